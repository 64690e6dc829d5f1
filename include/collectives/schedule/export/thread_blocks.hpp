// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"
#include "msccl_channels.hpp"
#include "predecessors.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace tutti::schedule::detail {

/// A step of a thread block, in MSCCL's words.
struct msccl_step {
    const char* type = "nop";
    msccl_location from{'i', -1};
    msccl_location to{'o', -1};
    int count = 0;
    int block = -1; ///< the thread block and the step of it that this one waits for
    int step = -1;
    bool awaited = false; ///< by a step of another block
};

/// Steps that run one after the other. A block sends to one peer, or receives from one, or does neither.
struct thread_block {
    int send = -1;
    int receive = -1;
    std::vector<msccl_step> steps;
};

/// Distributes one rank's steps over thread blocks, such that none waits for another without need: what is in one block
/// would also wait for its former step without blocks. So what a proof says of deadlock holds here as well.
/// - Each channel is a block, since its messages start and move in order anyway.
/// - Local steps that wait for nothing but such steps can run at once, and share a block.
/// - Any other local step follows, in its block, one that it waits for, or begins a block.
class thread_blocks {
public:
    thread_blocks(const program& p, int rank, const msccl_memory& memory, const msccl_channels& channels)
        : steps_(p.ranks[static_cast<std::size_t>(rank)]), rank_(rank), memory_(memory), channels_(channels),
          before_(order_of(p, rank)) {
        for (int i = 0; i < static_cast<int>(steps_.size()); ++i) {
            seats_.push_back({block_for(i), -1});
            lower(i);
        }
    }
    [[nodiscard]] std::vector<thread_block> take() && { return std::move(blocks_); }

private:
    /// The block of one of our steps, and the number of its last MSCCL step there.
    struct seat {
        int block = -1;
        int step = -1;
    };

    [[nodiscard]] const step& at(int i) const { return steps_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] seat& seat_of(int i) { return seats_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] thread_block& block(int b) { return blocks_[static_cast<std::size_t>(b)]; }

    int add_block(int send, int receive) {
        blocks_.push_back({send, receive, {}});
        return static_cast<int>(blocks_.size()) - 1;
    }
    int block_for(int i) {
        const step& s = at(i);
        if (!communicates(s)) return local_block_for(i);
        const auto [known, fresh] = of_channel_.try_emplace({s.peer, sends(s)}, -1);
        if (fresh) known->second = sends(s) ? add_block(s.peer, -1) : add_block(-1, s.peer);
        return known->second;
    }
    int local_block_for(int i) {
        const auto waits_for = before_.of(i);
        const auto at_once = [&](int b) { return at_once_ >= 0 && seat_of(b).block == at_once_; };
        if (std::ranges::all_of(waits_for, at_once)) {
            if (at_once_ < 0) at_once_ = add_block(-1, -1);
            return at_once_;
        }
        for (const int b : waits_for) {
            const seat last = seat_of(b);
            const bool at_end = last.step + 1 == static_cast<int>(block(last.block).steps.size());
            if (!communicates(at(b)) && last.block != at_once_ && at_end) return last.block;
        }
        return add_block(-1, -1);
    }

    /// The MSCCL steps of step i: an empty step for each block that it waits for but one. The first real step waits for
    /// that one.
    void lower(int i) {
        const int own = seat_of(i).block;
        std::vector<msccl_step>& list = block(own).steps;
        std::map<int, int> last; // by block: its last step includes the wait for its earlier ones
        for (const int b : before_.of(i))
            if (const seat s = seat_of(b); s.block != own) last[s.block] = std::max(last[s.block], s.step);
        for (const auto& [b, s] : last) {
            block(b).steps[static_cast<std::size_t>(s)].awaited = true;
            list.push_back({.block = b, .step = s});
        }
        if (!last.empty()) list.pop_back();
        const std::size_t first = list.size();
        put(at(i), list);
        if (!last.empty()) {
            list[first].block = last.rbegin()->first;
            list[first].step = last.rbegin()->second;
        }
        seat_of(i).step = static_cast<int>(list.size()) - 1;
    }

    void put(const step& s, std::vector<msccl_step>& list) {
        const auto add = [&](const char* type, msccl_location from, msccl_location to) {
            list.push_back({.type = type, .from = from, .to = to, .count = width(s)});
        };
        switch (s.what) {
        case action::send:
            return add("s", memory_.at(s.from), channels_.target(rank_, s.peer, messages_[{s.peer, true}]++));
        case action::receive:
            return add("r", channels_.source(s.peer, rank_, messages_[{s.peer, false}]++), memory_.at(s.to));
        case action::receive_reduce:
            ++messages_[{s.peer, false}];
            return add("rrc", memory_.at(s.from), memory_.at(s.to));
        case action::copy: return add("cpy", memory_.at(s.from), memory_.at(s.to));
        case action::reduce: return add("re", memory_.at(s.from), memory_.at(s.to));
        case action::reduce_many: return put_many(s, add);
        }
    }
    /// The first operand is copied to where the sum is to be, unless one is there already; the others are added to it.
    void put_many(const step& s, auto&& add) const {
        int there = -1, copied = -1;
        for (int k = 0; k < sources(s); ++k)
            if (memory_.same(source(s, k).where, s.to.where)) {
                if (there >= 0)
                    reject("export as MSCCL XML", "a reduce_many has its target as operand more than once",
                           "copy one of them first");
                there = k;
            }
        if (there < 0) add("cpy", memory_.at(source(s, copied = 0)), memory_.at(s.to));
        for (int k = 0; k < sources(s); ++k)
            if (k != there && k != copied) add("re", memory_.at(source(s, k)), memory_.at(s.to));
    }

    const std::vector<step>& steps_;
    int rank_;
    const msccl_memory& memory_;
    const msccl_channels& channels_;
    predecessors before_;
    std::vector<thread_block> blocks_;
    std::vector<seat> seats_;                              ///< by our steps
    std::map<std::pair<int, bool>, int> of_channel_;       ///< by peer and whether it sends: its block
    std::map<std::pair<int, bool>, std::size_t> messages_; ///< likewise: how many so far
    int at_once_ = -1; ///< the block of the steps that can run at once; -1: none yet
};

} // namespace tutti::schedule::detail
