// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"
#include "../../schedule/lowering/pack.hpp"
#include "../rank_nodes.hpp"
#include "cut.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti::model::detail {

/// Sums of bytes up to here are counted: beyond, an integer would overflow.
inline constexpr long long most_counted = 1LL << 62;

[[noreturn]] inline void refuse_count() {
    reject("count", "more bytes are sent, reduced or kept than can be counted", "make the data or the ranks fewer");
}

inline void add_bytes(long long& to, long long bytes) {
    if (bytes > most_counted - to) refuse_count();
    to += bytes;
}

/// Sums over the steps of ranks. Throws tutti::error(invalid_argument) if a sum is too large to be counted.
class traffic {
public:
    traffic(const collective& c, const rank_nodes& nodes) : cut_(c), nodes_(nodes) {}

    void add(int rank, const std::vector<schedule::step>& steps) {
        long long sent = 0, received = 0, reduced = 0, scratch = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const schedule::step& s = steps[i];
            if (schedule::sends(s)) {
                add_bytes(sent, send(rank, s));
                if (schedule::leads(steps, i)) ++messages;
            }
            if (schedule::receives(s)) add_bytes(received, cut_.bytes(s.to));
            for (int k = 0; k < reductions(s); ++k) add_bytes(reduced, cut_.bytes(s.to));
        }
        const auto windows = schedule::scratch_windows_packed(steps);
        for (std::size_t bank = 2; bank < windows.size(); ++bank) add_bytes(scratch, cut_.bytes(windows[bank]));
        ++ranks;
        all_steps += static_cast<long long>(steps.size());
        add_bytes(total, sent);
        add_bytes(total_reduced, reduced);
        sent_max = std::max(sent_max, sent);
        received_max = std::max(received_max, received);
        reduced_max = std::max(reduced_max, reduced);
        scratch_max = std::max(scratch_max, scratch);
    }

    int ranks = 0;
    long long all_steps = 0, messages = 0, total = 0, far = 0, total_reduced = 0;
    long long sent_max = 0, received_max = 0, reduced_max = 0, scratch_max = 0, node_sent_max = 0;

private:
    long long send(int rank, const schedule::step& s) {
        const long long bytes = cut_.bytes(s.from);
        if (const int node = nodes_.node_of(rank); nodes_.node_of(s.peer) != node) {
            const auto at = static_cast<std::size_t>(node);
            if (node_sent_.size() <= at) node_sent_.resize(at + 1, 0);
            add_bytes(far, bytes);
            add_bytes(node_sent_[at], bytes);
            node_sent_max = std::max(node_sent_max, node_sent_[at]);
        }
        return bytes;
    }
    /// How many operands the step adds to its first.
    [[nodiscard]] static int reductions(const schedule::step& s) noexcept {
        if (s.what == schedule::action::reduce_many) return s.extra;
        return s.what == schedule::action::receive_reduce || s.what == schedule::action::reduce ? 1 : 0;
    }

    cut cut_;
    rank_nodes nodes_;
    std::vector<long long> node_sent_; ///< to other nodes, by node
};

} // namespace tutti::model::detail
