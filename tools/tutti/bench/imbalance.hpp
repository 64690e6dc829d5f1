// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools {

/// How long the last rank computes before its call, while the others wait in theirs: evenly from low to high.
struct imbalance {
    double low_us = 0;
    double high_us = 0;
};

/// "300us"; "1000us..20000us" where it is drawn anew before each call.
[[nodiscard]] std::string in_words(const imbalance& by);

/// Imbalances from "300us", "50us,1ms", "1ms..20ms" or a mixture. Throws std::invalid_argument that quotes what was
/// written.
[[nodiscard]] std::vector<imbalance> parse_imbalances(std::string_view text);

} // namespace tutti::tools
