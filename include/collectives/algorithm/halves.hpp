// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"

#include <algorithm>

namespace tutti::algorithm::detail {

/// Ranks [first, last), cut into halves: [first, middle), which has one more where their number is odd, and
/// [middle, last). All but `first` pair up over the halves, where their number is odd; else `last - 1` is left.
struct halves {
    int first, middle, last;

    constexpr halves(int from, int to) noexcept : first(from), middle(from + (to - from + 1) / 2), last(to) {}

    [[nodiscard]] constexpr bool is_pair() const noexcept { return last - first == 2; }
    [[nodiscard]] constexpr bool leaves_last() const noexcept { return (last - first) % 2 == 0; }
    [[nodiscard]] constexpr int partner(int rank) const noexcept {
        return rank < middle ? rank - first - 1 + middle : rank - middle + 1 + first;
    }
    /// The halves of the half that the rank is in.
    [[nodiscard]] constexpr halves of(int rank) const noexcept {
        return rank < middle ? halves(first, middle) : halves(middle, last);
    }
};

/// How often a rank's ranges are cut, from all `size` ranks down to itself.
[[nodiscard]] constexpr int cuts(int rank, int size) noexcept {
    int n = 0;
    for (halves h(0, size); h.last - h.first > 1; h = h.of(rank)) ++n;
    return n;
}

/// visit(halves) for the ranges of a rank, from all `size` ranks down to a pair.
template <class Visit>
constexpr void each_cut_down(int rank, int size, Visit&& visit) {
    for (halves h(0, size); h.last - h.first > 1; h = h.of(rank)) visit(h);
}

/// The same from the pair up.
template <class Visit>
constexpr void each_cut_up(int rank, int size, Visit&& visit) {
    for (int level = cuts(rank, size); level-- > 0;) {
        halves h(0, size);
        for (int k = 0; k < level; ++k) h = h.of(rank);
        visit(h);
    }
}

/// What it costs to scatter through the halves and to exchange them again.
[[nodiscard]] constexpr cost cost_by_halves(int size) noexcept {
    if (size == 1) return {};
    const int h = cuts(0, size);
    const bool whole = (size & (size - 1)) == 0;
    const int depth = h > 1 ? 2 * h - 2 : 1, sent = size > 2 ? 2 * (size - 1) : 2;
    return {depth, whole ? 2 * h - 1 : 3 * h, sent, size, whole && h > 1 ? h - 1 : h, !whole};
}

/// About the time to scatter through the halves and to exchange them, or to exchange and reduce and then to gather.
template <class Costs>
class time_by_halves {
public:
    constexpr explicit time_by_halves(const Costs& c) noexcept : c_(c) {}

    [[nodiscard]] constexpr double all() const { return of(c_.size).less; }

private:
    /// Of some ranks, and of one more: halves of halves have one of two sizes.
    struct times {
        double less = 0, more = 0;
    };
    [[nodiscard]] constexpr times of(int ranks) const {
        if (ranks == 1) return {0, join(0, 0, 1, 1)};
        const auto [less, more] = of(ranks / 2);
        const int half = ranks / 2;
        if (ranks % 2 == 0) return {join(less, less, half, half), join(more, less, half + 1, half)};
        return {join(more, less, half + 1, half), join(more, more, half + 1, half + 1)};
    }
    /// From the times of two halves of so many ranks.
    [[nodiscard]] constexpr double join(double first, double second, int of_first, int of_second) const {
        if (of_first == 1) return message(2);
        const double bytes = c_.first(of_second, c_.size), each = c_.reduction(bytes);
        const double of_root = schedule::reduces(c_.what) ? c_.take(bytes, each) : c_.send(bytes);
        return std::max(first + of_root, second + message(of_second)) + message(of_first) +
               (of_first > 2 || schedule::reduces(c_.what) ? held(of_first) : 0); // a pair hands out to none
    }
    [[nodiscard]] constexpr double message(int chunks) const {
        const double bytes = c_.first(chunks, c_.size);
        return c_.message(bytes) + c_.reduction(bytes);
    }
    [[nodiscard]] constexpr double held(int chunks) const {
        const double bytes = c_.first(chunks, c_.size);
        return c_.hold(bytes, c_.reduction(bytes));
    }

    const Costs& c_;
};

} // namespace tutti::algorithm::detail
