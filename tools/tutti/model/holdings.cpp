// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "holdings.hpp"

#include <collectives/schedule/lowering/order.hpp>
#include <collectives/schedule/verify.hpp>

#include <bit>
#include <map>
#include <utility>

namespace tutti::tools {
namespace {

/// The memories of all ranks, where a set of inputs stands for a sum.
class memories {
public:
    explicit memories(const schedule::program& p) : p_(p), held_(p.ranks.size()) {
        for (int r = 0; r < p.size; ++r)
            for (int c = 0; c < p.chunks; ++c) at(r, schedule::buffer::input, c) = std::uint32_t{1} << r;
    }

    [[nodiscard]] const schedule::step& step_at(int rank, int i) const {
        return p_.ranks[static_cast<std::size_t>(rank)][static_cast<std::size_t>(i)];
    }
    void run(int rank, const schedule::step& s) {
        for (int c = s.to.first; c < s.to.first + s.to.count; ++c) {
            std::uint32_t sum = s.what == schedule::action::reduce ? at(rank, s.to.where, c) : 0;
            for (int k = 0; k < sources(s); ++k) sum |= at(rank, source(s, k).where, c);
            at(rank, s.to.where, c) = sum;
        }
    }
    /// All parts of a message, from its first on.
    void deliver(int from, int i, int to, int j) {
        for (;; ++i, ++j) {
            const schedule::step &sent = step_at(from, i), &received = step_at(to, j);
            for (int c = sent.from.first; c < sent.from.first + sent.from.count; ++c) {
                const std::uint32_t own = reads_from(received) ? at(to, received.from.where, c) : 0;
                at(to, received.to.where, c) = own | at(from, sent.from.where, c);
            }
            if (!sent.joined) return;
        }
    }
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> fullest() const {
        std::vector<std::vector<std::uint32_t>> all;
        for (const auto& places : held_) {
            auto& mine = all.emplace_back(static_cast<std::size_t>(p_.chunks));
            for (const auto& [place, sum] : places) {
                std::uint32_t& best = mine[static_cast<std::size_t>(place.second)];
                if (std::popcount(sum) > std::popcount(best)) best = sum;
            }
        }
        return all;
    }

private:
    [[nodiscard]] std::uint32_t& at(int rank, schedule::buffer where, int chunk) {
        return held_[static_cast<std::size_t>(rank)][{index_of(where), chunk}];
    }

    const schedule::program& p_;
    std::vector<std::map<std::pair<int, int>, std::uint32_t>> held_; ///< by rank: buffer and chunk
};

} // namespace

std::vector<std::vector<std::vector<std::uint32_t>>> holdings_of(const schedule::program& p) {
    memories all(p);
    std::vector<schedule::order> orders;
    for (int r = 0; r < p.size; ++r) orders.push_back(order_of(p, r));
    std::vector<std::vector<std::vector<std::uint32_t>>> rounds;
    // A round begins with its first message: what was held before it is what the one before has left.
    const auto passed = [&](int round, int from, int i, int to, int j) {
        if (rounds.size() < static_cast<std::size_t>(round)) rounds.push_back(all.fullest());
        all.deliver(from, i, to, j);
    };
    const auto ran = [&](int, int rank, int i) { all.run(rank, all.step_at(rank, i)); };
    const auto order_at = [&](int r) -> const schedule::order& { return orders[static_cast<std::size_t>(r)]; };
    static_cast<void>(schedule::detail::round_counter(p, order_at).count(passed, ran));
    rounds.push_back(all.fullest());
    return rounds;
}

} // namespace tutti::tools
