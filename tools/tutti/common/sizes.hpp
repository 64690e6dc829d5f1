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

namespace detail {

[[noreturn]] inline void refuse_size(std::string_view text, const char* why = "write it as in 8, 4K, 1.5M or 1G") {
    throw std::invalid_argument("'" + std::string(text) + "' is no size: " + why);
}

/// The power of two that "", "B", "K", "KB" or "KiB" stands for.
[[nodiscard]] inline std::size_t shift_of_unit(std::string_view text, std::string_view unit) {
    if (unit.ends_with("iB")) {
        unit.remove_suffix(2);
        if (unit.empty()) refuse_size(text);
    } else if (unit.ends_with('B')) {
        unit.remove_suffix(1);
    }
    if (unit.empty()) return 0;
    constexpr std::string_view letters = "KMGT";
    const std::size_t power = letters.find(unit.front() == 'k' ? 'K' : unit.front());
    if (unit.size() != 1 || power == letters.npos) refuse_size(text);
    return 10 * (power + 1);
}

/// The digits behind the point, times 2^shift. In whole numbers, so that nothing is rounded: of k digits d it is
/// d / 5^k * 2^(shift - k).
[[nodiscard]] inline std::size_t fraction_of(std::string_view text, std::string_view digits, std::size_t shift) {
    constexpr std::size_t most_digits = 18; // a 64-bit number holds
    constexpr auto no_bytes = "that is no whole number of bytes";
    if (digits.size() > most_digits) refuse_size(text, no_bytes);
    std::uint64_t fraction = 0, five_to_k = 1;
    for (const char c : digits) {
        fraction = 10 * fraction + static_cast<std::uint64_t>(c - '0');
        five_to_k *= 5;
    }
    const std::uint64_t shifted = fraction / five_to_k << shift; // below 2^(k + shift)
    if (fraction % five_to_k != 0 || (shifted >> digits.size() << digits.size()) != shifted)
        refuse_size(text, no_bytes);
    return shifted >> digits.size();
}

} // namespace detail

/// Bytes from words as people write them: 8, 4K, 1.5M, 1G, powers of 1024; also 4k, 4KB and 4KiB, which are the same.
/// Throws std::invalid_argument that quotes what was written, also where that is no whole number of bytes.
[[nodiscard]] inline std::size_t parse_size(std::string_view text) {
    std::size_t number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong == std::errc::result_out_of_range) detail::refuse_size(text, "too large");
    if (wrong != std::errc{}) detail::refuse_size(text);
    std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data())), digits;
    if (unit.starts_with('.')) {
        digits = unit.substr(1, std::min(unit.find_first_not_of("0123456789", 1), unit.size()) - 1);
        if (digits.empty()) detail::refuse_size(text);
        unit.remove_prefix(1 + digits.size());
    }
    const std::size_t shift = detail::shift_of_unit(text, unit);
    if (number > SIZE_MAX >> shift) detail::refuse_size(text, "too large");
    return (number << shift) + detail::fraction_of(text, digits, shift);
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
