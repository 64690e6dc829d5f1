// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <tutti/base/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// How wide a kernel may read and write its arrays.
namespace tutti::kernels {

/// The bytes of the widest access of a thread.
inline constexpr std::size_t widest = 16;

/// An array that a kernel touches.
struct touched {
    std::uintptr_t address = 0;    ///< of its first element
    std::size_t element_bytes = 1; ///< the length of an element
    std::size_t alignment = 1;     ///< of an element
    const char* name = "";         ///< for the error: "source", "destination", ...
};

/// A thread takes `lanes` elements at a time of each array, in accesses of up to 16 bytes. The first `head` elements,
/// and those behind the last whole lanes, go one by one.
struct access_width {
    unsigned lanes = 1; ///< elements of one access
    unsigned head = 0;  ///< elements that go one by one before the first wide access
    friend bool operator==(const access_width&, const access_width&) = default;
};

namespace detail {

[[nodiscard]] constexpr bool is_power_of_two(std::size_t x) noexcept { return x != 0 && (x & (x - 1)) == 0; }

/// Whether all arrays are aligned, `head` elements in, to the accesses by which `lanes` elements are read.
[[nodiscard]] inline bool fits(std::span<const touched> arrays, unsigned lanes, unsigned head) noexcept {
    return std::all_of(arrays.begin(), arrays.end(), [&](const touched& a) {
        return (a.address + head * a.element_bytes) % std::min(widest, lanes * a.element_bytes) == 0;
    });
}

} // namespace detail

/// The most lanes that make sense: 16 bytes of the smallest element. One where an element's size is no power of two.
[[nodiscard]] constexpr unsigned most_lanes(std::size_t smallest_element, std::size_t largest_element) noexcept {
    if (!detail::is_power_of_two(smallest_element) || !detail::is_power_of_two(largest_element)) return 1;
    return smallest_element < widest ? static_cast<unsigned>(widest / smallest_element) : 1;
}

/// The widest access that all arrays allow, up to `most` lanes: 16 bytes where they are congruent modulo 16, else
/// the widest common width. Errors: invalid_argument, where an address is not aligned to its elements.
[[nodiscard]] inline access_width widest_access(std::span<const touched> arrays, unsigned most) {
    for (const touched& a : arrays)
        if (a.address % a.alignment != 0)
            reject("a kernel",
                   std::string("a ") + a.name + " is not aligned to its elements of " +
                       std::to_string(a.element_bytes) + " bytes",
                   "pass pointers to whole elements");
    for (unsigned lanes = most; lanes > 1; lanes /= 2)
        for (unsigned head = 0; head < lanes; ++head)
            if (detail::fits(arrays, lanes, head)) return {lanes, head};
    return {};
}

} // namespace tutti::kernels
