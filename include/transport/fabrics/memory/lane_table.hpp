// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transport.hpp"
#include "lane.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

namespace tutti::transport::detail {

/// The lanes between two ranks in one context, and which of the two have opened and closed it.
struct line {
    line() noexcept {} // not zeroed, as its lanes

    std::array<lane, 2> lanes;    ///< [0] from the lower to the higher rank, [1] back
    std::array<bool, 2> opened{}; ///< by the lower and the higher rank; guarded by the lane_table, as is `closed`
    std::array<bool, 2> closed{};

    [[nodiscard]] lane& way(int from, int to) noexcept { return lanes[from < to ? 0 : 1]; }
};

/// All lines of a world. A line is made when either side first opens it, and kept until both have closed it or left, so
/// that messages sent before a close still reach the other side.
class lane_table {
public:
    explicit lane_table(int size) : gone_(static_cast<std::size_t>(size), false) {}

    /// The line between two ranks. A side that has closed a line and comes back gets a new one.
    [[nodiscard]] std::shared_ptr<line> connect(context k, int self, int peer) {
        const std::lock_guard lock{mutex_};
        auto& found = lines_[key(k, self, peer)];
        if (!found || found->closed[side(self, peer)]) found = std::make_shared<line>();
        found->opened[side(self, peer)] = true;
        return found;
    }

    void disconnect(context k, int self, int peer, const std::shared_ptr<line>& used) {
        const std::lock_guard lock{mutex_};
        used->closed[side(self, peer)] = true;
        const auto found = lines_.find(key(k, self, peer));
        if (found != lines_.end() && found->second == used && is_over(*used, self, peer)) lines_.erase(found);
    }

    /// A rank, all of whose lines are closed, has left.
    void leave(int rank) {
        const std::lock_guard lock{mutex_};
        gone_[static_cast<std::size_t>(rank)] = true;
        std::erase_if(lines_, [&](const auto& entry) {
            const auto [k, lower, higher] = entry.first;
            return (rank == lower || rank == higher) && is_over(*entry.second, lower, higher);
        });
    }

private:
    using line_key = std::tuple<context, int, int>;

    [[nodiscard]] static line_key key(context k, int a, int b) { return {k, std::min(a, b), std::max(a, b)}; }
    [[nodiscard]] static std::size_t side(int self, int peer) noexcept { return self < peer ? 0 : 1; }
    [[nodiscard]] bool is_over(const line& l, int a, int b) const {
        const auto over = [&](int self, int peer) {
            return l.closed[side(self, peer)] || gone_[static_cast<std::size_t>(self)];
        };
        return over(a, b) && over(b, a);
    }

    std::mutex mutex_;
    std::map<line_key, std::shared_ptr<line>> lines_;
    std::vector<bool> gone_;
};

} // namespace tutti::transport::detail
