// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../reduce_many.hpp"
#include "meeting.hpp"

#include <cstddef>
#include <cstdint>

/// Data of several processes whose places a kernel learns when it runs.
namespace tutti::kernels {

/// The most pieces of memory of a rank that another process has mapped.
inline constexpr unsigned most_windows = 16;

/// Where a rank's data are: in which of its windows, and how many bytes from its begin.
struct window_place {
    std::uint64_t window = 0; ///< its number
    std::uint64_t offset = 0; ///< in bytes
    friend bool operator==(const window_place&, const window_place&) = default;
};

/// The windows of all ranks, where one process has them mapped.
struct window_table {
    std::byte* start[most_peers][most_windows]{}; ///< by rank

    /// The data of `rank` at this place.
    template <class T>
    [[nodiscard]] TUTTI_HOST_DEVICE T* at(const window_place& where, unsigned rank) const noexcept {
        return reinterpret_cast<T*>(start[rank][where.window] + where.offset);
    }
};

/// The body of one thread: reduce_many of arrays whose places the kernel alone knows. Accesses have 16 bytes if all
/// arrays are congruent modulo 16, else one element. `most` is 2, 4 or 8, and not less than the number of sources and
/// that of destinations. Preconditions: all arrays are aligned to their elements; `what.first` elements are a multiple
/// of 16 bytes.
template <unsigned most, class T, class Op, class Epilogue, execution Here>
TUTTI_HOST_DEVICE void reduce_placed(reduction<T, Op, Epilogue>& what, const Here& here) {
    constexpr unsigned lanes = lanes_of<reduction<T, Op, Epilogue>>;
    const auto misalignment = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p) % (lanes * sizeof(T)); };
    const std::uintptr_t first = misalignment(what.from[0]);
    const auto& to = destinations_of(what.last);
    bool congruent = true;
    TUTTI_UNROLL
    for (unsigned r = 0; r < most; ++r) {
        if (r < what.sources) congruent = congruent && misalignment(what.from[r]) == first;
        if (r < to.number) congruent = congruent && misalignment(to.to[r]) == first;
    }
    if (congruent)
        reduce_many<lanes, most>(what, {lanes, static_cast<unsigned>((lanes - first / sizeof(T)) % lanes)}, here);
    else
        reduce_many<1, most>(what, {1, 0}, here);
}

} // namespace tutti::kernels
