// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../lowering/places.hpp"
#include "../program.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::schedule::draw::detail {

/// Whose inputs are in what each rank holds, a bit a rank: tells results from operands on their way. For at most 64
/// ranks, whose steps come in an order that the program allows.
class contributions {
public:
    explicit contributions(const program& p) : program_(p) {
        for (int r = 0; r < p.size; ++r) {
            const auto& numbers =
                numbers_.emplace_back(p.what, p.at(r), p.chunks, p.ranks[static_cast<std::size_t>(r)]);
            held_.emplace_back(numbers.size(), 0);
            window(p.what, p.at(r), buffer::input, p.chunks).each([&](int c) { at(r, buffer::input, c) = bit(r); });
        }
    }

    /// A step that does not communicate.
    void run(int rank, const step& s) {
        for (int c = s.to.first; c < s.to.first + s.to.count; ++c) {
            std::uint64_t sum = s.what == action::reduce ? at(rank, s.to.where, c) : 0;
            for (int k = 0; k < sources(s); ++k) sum |= at(rank, source(s, k).where, c);
            at(rank, s.to.where, c) = sum;
        }
    }
    void deliver(int from, const step& sent, int to, const step& received) {
        for (int c = sent.from.first; c < sent.from.first + sent.from.count; ++c) {
            const std::uint64_t own = reads_from(received) ? at(to, received.from.where, c) : 0;
            at(to, received.to.where, c) = own | at(from, sent.from.where, c);
        }
    }
    /// Nothing is left to reduce into it.
    [[nodiscard]] bool complete(int rank, const place& x) {
        if (!reduces(program_.what)) return true;
        for (int c = x.first; c < x.first + x.count; ++c)
            if (at(rank, x.where, c) != bit(program_.size) - 1) return false;
        return true;
    }

private:
    [[nodiscard]] static std::uint64_t bit(int n) noexcept { return n < 64 ? std::uint64_t{1} << n : 0; }
    [[nodiscard]] std::uint64_t& at(int rank, buffer b, int chunk) {
        const auto r = static_cast<std::size_t>(rank);
        return held_[r][numbers_[r].of(b, chunk)];
    }

    const program& program_;
    std::vector<place_numbers> numbers_;
    std::vector<std::vector<std::uint64_t>> held_; ///< by rank and place
};

} // namespace tutti::schedule::draw::detail
