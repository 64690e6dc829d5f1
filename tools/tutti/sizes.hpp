// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "lists.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tutti::tools {

/// Bytes from words as people write them: 8, 4K, 1M, 1G, powers of 1024; also 4k, 4KB and 4KiB.
/// Throws std::invalid_argument that quotes what was written.
[[nodiscard]] inline std::size_t parse_size(std::string_view text) {
    const auto refuse = [&](const char* why) {
        throw std::invalid_argument("'" + std::string(text) + "' is no size: " + why);
    };
    std::size_t number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong == std::errc::result_out_of_range) refuse("too large");
    if (wrong != std::errc{}) refuse("write it as in 8, 4K, 1M or 1G");
    std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    if (unit.ends_with("iB")) {
        unit.remove_suffix(2);
        if (unit.empty()) refuse("write it as in 8, 4K, 1M or 1G");
    } else if (unit.ends_with('B')) {
        unit.remove_suffix(1);
    }
    if (unit.empty()) return number;
    constexpr std::string_view letters = "KMGT";
    const char letter = unit.front() == 'k' ? 'K' : unit.front();
    const std::size_t power = letters.find(letter);
    if (unit.size() != 1 || power == letters.npos) refuse("write it as in 8, 4K, 1M or 1G");
    const std::size_t shift = 10 * (power + 1);
    if (number > SIZE_MAX >> shift) refuse("too large");
    return number << shift;
}

/// How a bench goes from the smallest size to the largest: times `factor`, or plus `step` bytes where that is not 0.
struct sweep {
    std::size_t smallest = 8;
    std::size_t largest = 8;
    std::size_t factor = 2;
    std::size_t step = 0;
};

/// All sizes of a sweep, in order; the largest one only if it is met exactly.
/// Throws std::invalid_argument if it would never get there.
[[nodiscard]] inline std::vector<std::size_t> sizes_of(const sweep& s) {
    if (s.smallest > s.largest) throw std::invalid_argument("the smallest size is above the largest");
    if (s.step == 0 && s.factor < 2 && s.smallest != s.largest)
        throw std::invalid_argument("the factor between two sizes must be at least 2");
    std::vector<std::size_t> sizes{s.smallest};
    for (;;) {
        const std::size_t last = sizes.back();
        if (s.step == 0 && last > s.largest / std::max<std::size_t>(s.factor, 1)) break;
        const std::size_t next = s.step != 0 ? last + s.step : last == 0 ? 1 : last * s.factor;
        if (next > s.largest || next <= last) break;
        sizes.push_back(next);
    }
    return sizes;
}

/// Sizes from "8", "8,1K", "8..64M" (each twice the former), "8..64M*16" or a mixture, ascending, each once.
/// Throws std::invalid_argument that quotes what was written, or says that it is beyond 1 PiB.
[[nodiscard]] inline std::vector<std::size_t> parse_sizes(std::string_view text) {
    std::vector<std::size_t> sizes;
    for (const std::string& word : split_list(text)) {
        const std::string_view all = word;
        const std::size_t dots = all.find("..");
        if (dots == all.npos) {
            sizes.push_back(parse_size(all));
            continue;
        }
        const std::size_t star = std::min(all.find('*'), all.size());
        sweep s{parse_size(all.substr(0, dots)), parse_size(all.substr(dots + 2, star - dots - 2))};
        if (star < all.size()) s.factor = parse_size(all.substr(star + 1));
        const auto some = sizes_of(s);
        sizes.insert(sizes.end(), some.begin(), some.end());
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    if (!sizes.empty() && sizes.back() > std::size_t{1} << 50)
        throw std::invalid_argument("'" + std::string(text) + "' has a size beyond 1024T, which is the most");
    return sizes;
}

} // namespace tutti::tools
