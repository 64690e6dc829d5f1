// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../schedule/lowering/cells.hpp"
#include "../../schedule/lowering/places.hpp"
#include "cut.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::model::detail {

/// What follows from which message carries what another has brought: schedule::cost's depth and fan-in, and how many
/// bytes reach one rank at the same depth.
struct chain_counts {
    int depth = 0;
    int fan_in = 0;
    long long inbound_max = 0;
};

/// Follows the depth of what lies in every place through all ranks' steps, each rank walking its list in order with
/// posted sends; no result if the schedule does not complete so. Chunks that no step tells apart are one cell, so that
/// memory is linear in steps. Where rank 0 stands for all (`rotates`), only its steps are walked.
class chains {
public:
    chains(const collective& c, bool rotates)
        : cut_(c), size_(c.size), chunks_(c.how.chunks(c.what, c.size) * c.segments), rotates_(rotates) {
        for (int rank = 0; rank < (rotates ? 1 : c.size); ++rank) {
            auto& list = ranks_.emplace_back();
            c.how.walk(c.what, {rank, c.size, c.root, c.in_place}, c.segments, list.steps);
            prepare(list, c.in_place);
        }
    }

    [[nodiscard]] std::optional<chain_counts> count() {
        std::vector<int> again;
        for (int rank = static_cast<int>(ranks_.size()) - 1; rank >= 0; --rank) again.push_back(rank);
        while (!again.empty()) {
            const int rank = again.back();
            again.pop_back();
            walk(rank, again);
        }
        for (const state& r : ranks_)
            if (r.at < r.steps.size()) return std::nullopt;
        for (state& r : ranks_) add_arrivals(r.arrivals);
        return most_;
    }

private:
    struct arrival {
        int depth, from;
        long long bytes;
    };
    struct state {
        std::vector<schedule::step> steps; ///< places count cells once prepared
        std::vector<long long> bytes;      ///< by step; of a message's first part, of all
        std::optional<schedule::place_numbers> numbers;
        std::vector<int> depth; ///< by place
        std::vector<arrival> arrivals;
        std::size_t at = 0;
    };
    /// The depths of the messages on a channel that no receive has taken yet.
    struct channel {
        std::vector<int> depths;
        std::size_t taken = 0;
    };

    void prepare(state& r, bool in_place) const {
        for (const schedule::step& s : r.steps)
            r.bytes.push_back(cut_.bytes(s.what == schedule::action::receive ? s.to : s.from));
        for (std::size_t i = r.steps.size(); i-- > 0;)
            if (r.steps[i].joined) r.bytes[i] += r.bytes[i + 1];
        const schedule::cells within(r.steps, chunks_);
        r.steps = within.of(std::move(r.steps));
        r.numbers.emplace(r.steps, within.count(), in_place);
        r.depth.assign(r.numbers->size(), 0);
    }

    /// As far as it goes.
    void walk(int rank, std::vector<int>& again) {
        state& r = ranks_[static_cast<std::size_t>(rank)];
        for (std::size_t parts = 0; r.at < r.steps.size(); r.at += parts) {
            const schedule::step& s = r.steps[r.at];
            parts = schedule::parts_from(r.steps, r.at);
            if (schedule::sends(s)) {
                int depth = 0;
                for (std::size_t k = 0; k < parts; ++k) depth = std::max(depth, deepest(r, r.steps[r.at + k].from));
                channels_[sent_on(rank, s.peer)].depths.push_back(depth + 1);
                if (!rotates_) again.push_back(s.peer);
            } else if (schedule::receives(s)) {
                const int depth = take(received_on(rank, s.peer));
                if (depth == 0) return;
                r.arrivals.push_back({depth, s.peer, r.bytes[r.at]});
                for (std::size_t k = 0; k < parts; ++k) write(r, r.steps[r.at + k], depth);
            } else {
                write(r, s, 0);
            }
        }
    }

    /// The depth of the next message, 0 if it has not been sent yet.
    int take(std::uint64_t on) {
        const auto found = channels_.find(on);
        if (found == channels_.end()) return 0;
        channel& c = found->second;
        const int depth = c.depths[c.taken++];
        if (c.taken == c.depths.size()) channels_.erase(found);
        return depth;
    }
    /// Where rank 0 stands for all, the messages from rank -d are those that it has sent to rank d.
    [[nodiscard]] std::uint64_t sent_on(int rank, int peer) const noexcept {
        return static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(size_) + static_cast<std::uint64_t>(peer);
    }
    [[nodiscard]] std::uint64_t received_on(int rank, int peer) const noexcept {
        return rotates_ ? sent_on(0, size_ - peer) : sent_on(peer, rank);
    }

    static std::size_t index(const state& r, schedule::place x, int k) {
        return r.numbers->of(x.where, x.first) + static_cast<std::size_t>(k);
    }
    static int deepest(const state& r, schedule::place x) {
        int most = 0;
        for (int k = 0; k < x.count; ++k) most = std::max(most, r.depth[index(r, x, k)]);
        return most;
    }
    static void write(state& r, const schedule::step& s, int incoming) {
        for (int k = 0; k < s.to.count; ++k) {
            int most = schedule::reads_to(s) ? r.depth[index(r, s.to, k)] : incoming;
            for (int n = 0; n < schedule::sources(s); ++n)
                most = std::max(most, r.depth[index(r, schedule::source(s, n), k)]);
            r.depth[index(r, s.to, k)] = most;
        }
    }

    /// A rank counts once a depth, however many messages it sends.
    void add_arrivals(std::vector<arrival>& all) {
        std::sort(all.begin(), all.end(), [](const arrival& a, const arrival& b) {
            return std::pair(a.depth, a.from) < std::pair(b.depth, b.from);
        });
        int senders = 0;
        long long bytes = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool deeper = i == 0 || all[i].depth != all[i - 1].depth;
            if (deeper) senders = 0, bytes = 0;
            if (deeper || all[i].from != all[i - 1].from) ++senders;
            bytes += all[i].bytes;
            most_.depth = std::max(most_.depth, all[i].depth);
            most_.fan_in = std::max(most_.fan_in, senders);
            most_.inbound_max = std::max(most_.inbound_max, bytes);
        }
    }

    cut cut_;
    int size_, chunks_;
    bool rotates_;
    std::vector<state> ranks_;
    std::unordered_map<std::uint64_t, channel> channels_;
    chain_counts most_;
};

} // namespace tutti::model::detail
