// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace tutti::test {

/// Whether a text has that part.
[[nodiscard]] inline bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

} // namespace tutti::test
