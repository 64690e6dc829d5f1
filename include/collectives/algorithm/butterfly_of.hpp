// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"
#include "rank_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::algorithm {

namespace detail {

/// The largest number of ranks, up to all of them, that is a product of factors from 2 to `radix`, and these factors,
/// the largest first.
class smooth_core {
public:
    constexpr smooth_core(int ranks, int radix) noexcept : size_(ranks) {
        while (!factorise(radix < 2 ? 2 : radix)) --size_;
        extra_ = ranks - size_;
    }

    [[nodiscard]] constexpr int size() const noexcept { return size_; }
    [[nodiscard]] constexpr int extra() const noexcept { return extra_; }
    [[nodiscard]] constexpr std::span<const int> factors() const noexcept {
        return std::span(factors_).first(static_cast<std::size_t>(number_));
    }

private:
    constexpr bool factorise(int radix) noexcept {
        number_ = 0;
        for (int left = size_; left > 1;) {
            int f = left < radix ? left : radix;
            while (f > 1 && left % f != 0) --f;
            if (f == 1) return false;
            factors_[static_cast<std::size_t>(number_++)] = f;
            left /= f;
        }
        return true;
    }

    int size_, extra_ = 0, number_ = 0;
    std::array<int, 31> factors_{};
};

} // namespace detail

/// Butterfly of a radix: in each round groups of up to `radix` ranks exchange all they have, and each combines it in
/// rank order in one pass. Their numbers are the factors of P. So data pass through fewer ranks than in a butterfly of
/// pairs, and often no rank is left over. For little data where latency is longer than it takes to send a few messages.
/// Keeps rank order.
///
/// The core is the largest number up to P whose factors are all up to `radix`; e = 0 if that is P, else 1: neighbours
/// fold the extra ranks in and out, and the figures are bounds. With m factors f:
///
/// | P ranks, n elements | depth | rounds | sent = received by the busiest rank | fan-in | scratch |
/// |---|---|---|---|---|---|
/// | allreduce | m + 2e | sum of f-1, + 2e | (sum of f-1, + e) n | the largest f-1; the rounds | radix n |
///
/// Source: Ruefenacht, Bull and Booth, Generalisation of recursive doubling for AllReduce, Parallel Computing 2017.
struct butterfly_of {
    int radix = 5; ///< the most ranks of a group, from 2 on

    static constexpr std::string_view name = "butterfly_of";
    static constexpr std::string_view idea =
        "Groups of a few ranks exchange whole vectors, at distances that multiply: no more depth than by pairs.";
    static constexpr std::string_view virtue = "few messages wait for each other, and nobody hears from many";
    [[nodiscard]] constexpr std::uint64_t parameter() const noexcept { return static_cast<std::uint64_t>(radix); }
    [[nodiscard]] static constexpr auto examples() noexcept {
        return std::array{butterfly_of{2}, butterfly_of{3}, butterfly_of{5}};
    }
    [[nodiscard]] constexpr bool alike(int size) const noexcept {
        return detail::smooth_core(size, radix).extra() == 0;
    }
    [[nodiscard]] static constexpr int chunks(int) noexcept { return 1; }

    [[nodiscard]] constexpr cost stated(operation, int size) const noexcept {
        const detail::smooth_core c(size, radix);
        const int e = c.extra() > 0 ? 1 : 0, m = static_cast<int>(c.factors().size());
        int others = 0;
        for (const int f : c.factors()) others += f - 1;
        const int fan_in = e > 0 ? others + 2 : m > 0 ? c.factors().front() - 1 : 0;
        return {m + 2 * e, others + 2 * e, others + e, others + e, fan_in, e > 0};
    }

    template <class Put>
    constexpr void allreduce(const position& p, Put&& put) const {
        const detail::smooth_core c(p.size, radix);
        const bool folded = p.rank < 2 * c.extra(), partner = folded && p.rank % 2 == 1;
        const place output{buffer::output, 0, 1}, spare{schedule::scratch(0), 0, 1};
        place have{buffer::input, 0, 1};
        if (folded && !partner) {
            put(schedule::send(p.rank + 1, have));
            return void(put(schedule::receive(p.rank + 1, output)));
        }
        // Each result goes to the buffer that is not being sent, such that the last one ends in output.
        int left = static_cast<int>(c.factors().size()) + (partner ? 1 : 0);
        const auto target = [&] { return --left % 2 == 0 ? output : spare; };
        if (partner) {
            const place to = target();
            put(schedule::receive_reduce(p.rank - 1, have, to, side::left));
            have = to;
        } else if (p.in_place && left % 2 == 1) {
            put(schedule::copy(have, spare));
            have = spare;
        }
        const int number = folded ? p.rank / 2 : p.rank - c.extra();
        int distance = 1;
        for (const int f : c.factors()) {
            const int digit = number / distance % f;
            const auto rank_of = [&](int k) {
                const int other = number + (k - digit) * distance;
                return other < c.extra() ? 2 * other + 1 : other + c.extra();
            };
            const place to = target();
            exchange(f, digit, rank_of, have, to, put);
            have = to;
            distance *= f;
        }
        if (partner) put(schedule::send(p.rank - 1, output));
    }

    /// An estimate. Rounds in groups, which all ranks of the core begin at once if none is folded in.
    template <class Costs>
    [[nodiscard]] constexpr auto closed_form(const Costs& c) const {
        const detail::smooth_core core(c.size, radix);
        const double n = c.whole(), each = c.reduce(n);
        double sum = core.extra() > 0 ? 2 * c.message(n) + each : -c.hold(n, each); // nothing follows the last round
        for (const int f : core.factors()) {
            const bool hidden = c.hides((f - 2) * c.send(n));
            const double taken = c.take(n, 0) + (hidden ? 0 : c.busy(n));
            sum += c.message(n) + (f - 2) * std::max(c.send(n), taken) + (f - 1) * each + c.hold(n, each);
        }
        return c.time(sum, false);
    }

private:
    /// One round: `f` ranks, of which this one is number `self`, swap `have`. Others' data wait in banks 1 to f-1.
    template <class Put>
    static constexpr void exchange(int f, int self, auto&& rank_of, place have, place to, Put&& put) {
        if (f == 2) {
            const int other = rank_of(1 - self);
            put(schedule::send(other, have));
            return void(put(schedule::receive_reduce(other, have, to, self == 1 ? side::left : side::right)));
        }
        const auto of = [&](int k) { return k == self ? have.where : schedule::scratch((k - self + f) % f); };
        for (int k = 1; k < f; ++k) {
            const int from = (self + f - k) % f;
            put(schedule::send(rank_of((self + k) % f), have));
            put(schedule::receive(rank_of(from), {of(from), 0, 1}));
        }
        detail::combine_in_rank_order(f, of, schedule::scratch(f), to, put);
    }
};

} // namespace tutti::algorithm
