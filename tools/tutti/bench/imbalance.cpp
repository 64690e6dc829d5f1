// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "imbalance.hpp"

#include "../common/lists.hpp"
#include "../common/quantities.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace tutti::tools {

std::string in_words(const imbalance& by) {
    const std::string low = fmt::format("{:g}us", by.low_us);
    return by.low_us == by.high_us ? low : fmt::format("{}..{:g}us", low, by.high_us);
}

std::vector<imbalance> parse_imbalances(std::string_view text) {
    constexpr double us_per_s = 1e6;
    std::vector<imbalance> all;
    for (const std::string& word : split_list(text)) {
        const std::string_view whole = word;
        const std::size_t dots = whole.find("..");
        const double low = parse_time(whole.substr(0, dots)) * us_per_s;
        const double high = dots == whole.npos ? low : parse_time(whole.substr(dots + 2)) * us_per_s;
        if (high < low) throw std::invalid_argument(fmt::format("'{}' ends before it begins", word));
        all.push_back({low, high});
    }
    return all;
}

} // namespace tutti::tools
