// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "meeting.hpp"
#include "reduce_many.hpp"

#include <base/error.hpp>
#include <collectives/schedule/cut.hpp>
#include <collectives/schedule/order.hpp>
#include <collectives/schedule/pack.hpp>
#include <collectives/schedule/program.hpp>
#include <collectives/schedule/verify.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// A proven schedule as kernels run it: see device_engine.hpp.
namespace tutti::kernels {

/// The memory of a rank that an operand lies in.
enum class device_memory : std::uint8_t {
    input,   ///< the rank's input, which is only read
    output,  ///< the rank's output; in place the same memory
    scratch, ///< as much more as its plan says
};
inline constexpr unsigned device_memories = 3; ///< how many memories a rank has

/// Element e of the vector, or of a block of an alltoall, lies at `e + shift` of that memory of that rank.
struct operand {
    std::int64_t shift = 0;                  ///< in elements
    std::uint8_t rank = 0;                   ///< whose memory it is
    device_memory of = device_memory::input; ///< which memory
    friend constexpr bool operator==(const operand&, const operand&) = default;
};

/// What a step of a plan does.
enum class device_action : std::uint8_t {
    combine,     ///< to = o0 ∘ o1 ∘ ..., one operand is copied
    post,        ///< tells the peer that a message to it may be read where it lies
    await_post,  ///< waits for a message of the peer
    acknowledge, ///< tells the peer that its messages up to this one were read
    await_taken, ///< waits until the peer has read the messages to it up to this one
};

/// Messages of a call are numbered from 1, on each channel.
struct device_step {
    device_action what = device_action::combine; ///< what is done
    std::uint8_t operands = 0;                   ///< of a combine, without the destination
    std::uint8_t peer = 0;                       ///< of all others
    std::uint32_t number = 0; ///< of the message; of a combine: its first operand. The last one is followed by
                              ///< the destination
    /// The elements that a combine works on: [first, end).
    /// @{
    std::uint64_t first = 0, end = 0;
    /// @}
};

/// How many messages a plan has, by peer.
struct message_counts {
    /// By peer.
    /// @{
    std::uint32_t sent[most_peers]{}, received[most_peers]{};
    /// @}
};

/// The steps of one rank, which run strictly one after the other.
struct device_plan {
    std::vector<device_step> steps; ///< in their order
    std::vector<operand> operands;  ///< of the steps: each names its first one
    std::size_t scratch = 0;        ///< elements that it needs
    message_counts messages;        ///< of a call that runs this plan
};

namespace detail {

/// Makes the plan of one rank. A message stays with its sender, and the receiver reads it there.
class device_planner {
public:
    device_planner(const schedule::program& p, std::size_t count, std::size_t element_bytes)
        : p_(p), cut_(schedule::cut_of(p.what, p.size, p.chunks / p.segments, p.segments, count)),
          sends_(static_cast<std::size_t>(p.size) * static_cast<std::size_t>(p.size)) {
        for (int r = 0; r < p.size; ++r) lay_out(r, most_lanes(element_bytes, element_bytes));
        for (int r = 0; r < p.size; ++r)
            for (const schedule::step& s : steps_of(r))
                if (schedule::sends(s)) sends_[channel(r, s.peer)].push_back(operand_of(r, s.from));
    }

    [[nodiscard]] device_plan plan(int rank) {
        made_ = {};
        made_.scratch = scratch_[static_cast<std::size_t>(rank)];
        rank_ = rank;
        const auto peers = static_cast<std::size_t>(p_.size);
        awaited_.assign(peers, 0);
        read_.assign(peers, {});
        const auto& steps = steps_of(rank);
        order_ = schedule::order_of(p_, rank);
        number_.assign(steps.size(), 0);
        frees_.assign(steps.size(), {});
        for (std::size_t i = 0; i < steps.size(); ++i)
            if (schedule::sends(steps[i]))
                for (const auto f : order_.followers_of(static_cast<std::uint32_t>(i))) frees_[f].push_back(i);
        for (std::size_t i = 0; i < steps.size(); ++i) add(i, steps[i]);
        for (int peer = 0; peer < p_.size; ++peer) await_taken(peer, made_.messages.sent[peer]);
        return std::move(made_);
    }

private:
    [[nodiscard]] const std::vector<schedule::step>& steps_of(int rank) const {
        return p_.ranks[static_cast<std::size_t>(rank)];
    }
    [[nodiscard]] std::size_t channel(int from, int to) const noexcept {
        return static_cast<std::size_t>(from) * static_cast<std::size_t>(p_.size) + static_cast<std::size_t>(to);
    }

    /// Where each buffer of a rank lies. Banks begin where their elements are as aligned as those of a whole vector.
    void lay_out(int rank, std::size_t unit) {
        auto& buffers = buffers_.emplace_back();
        std::size_t used = 0;
        for (const auto& w : schedule::windows_of(p_.what, p_.at(rank), p_.chunks, steps_of(rank))) {
            const std::size_t first = cut_.bound(w.range(0).first), elements = elements_of(cut_, w);
            std::size_t begin = 0;
            if (buffers.size() >= 2 && elements > 0) {
                begin = used + (first % unit + unit - used % unit) % unit;
                used = begin + elements;
            }
            buffers.push_back({w, begin});
        }
        scratch_.push_back(used);
    }
    [[nodiscard]] operand operand_of(int rank, const schedule::place& x) const {
        const auto index = static_cast<std::size_t>(schedule::index_of(x.where));
        const memory& m = buffers_[static_cast<std::size_t>(rank)][index];
        const std::size_t lies_at = m.begin + offset_of(cut_, m.window, x.first);
        return {static_cast<std::int64_t>(lies_at) - static_cast<std::int64_t>(element_of(x.first)),
                static_cast<std::uint8_t>(rank), static_cast<device_memory>(std::min<std::size_t>(index, 2))};
    }
    /// The first element of a chunk, by whose number blocks share the work: each is always the same block's, on all
    /// ranks and wherever it lies. In an alltoall in place, memory is that of two blocks of data with different chunk
    /// ids, so their elements are counted from where each begins.
    [[nodiscard]] std::uint64_t element_of(int chunk) const {
        if (p_.what != schedule::operation::alltoall) return cut_.bound(chunk);
        return cut_.bound(chunk) - cut_.bound(chunk - chunk % chunks_of_block());
    }
    [[nodiscard]] int chunks_of_block() const { return p_.chunks / schedule::parts_of(p_.what, p_.size); }
    [[nodiscard]] operand own(const schedule::place& x) const { return operand_of(rank_, x); }

    void add(std::size_t i, const schedule::step& s) {
        for (const std::size_t send : frees_[i]) await_taken(steps_of(rank_)[send].peer, number_[send]);
        if (schedule::sends(s)) {
            number_[i] = ++made_.messages.sent[s.peer];
            return signal(device_action::post, s.peer, number_[i]);
        }
        if (schedule::receives(s)) {
            number_[i] = ++made_.messages.received[s.peer];
            if (order_.viewed.reader_of(static_cast<int>(i)) < 0) receive(s, number_[i]);
            return;
        }
        if (s.what == schedule::action::reduce_many) return reduce_many(static_cast<int>(i), s);
        if (s.what == schedule::action::copy) return combine(s.to, {{own(s.from)}});
        const bool left = s.other == schedule::side::left;
        const operand from = own(s.from), to = own(s.to);
        combine(s.to, {{left ? from : to, left ? to : from}});
    }
    void receive(const schedule::step& s, std::uint32_t number) {
        const operand incoming = sends_[channel(s.peer, rank_)][number - 1];
        signal(device_action::await_post, s.peer, number);
        if (s.what == schedule::action::receive) {
            combine(s.to, {{incoming}});
        } else {
            const bool left = s.other == schedule::side::left;
            const operand from = own(s.from);
            combine(s.to, {{left ? incoming : from, left ? from : incoming}});
        }
        acknowledge(s.peer, number);
    }
    /// Reads viewed operands where their senders have them.
    void reduce_many(int i, const schedule::step& s) {
        std::vector<operand> from;
        for (int k = 0; k < schedule::sources(s); ++k) from.push_back(own(schedule::source(s, k)));
        const auto viewed = order_.viewed.of(i);
        for (const auto& [receive, k] : viewed) {
            const int peer = steps_of(rank_)[static_cast<std::size_t>(receive)].peer;
            const std::uint32_t number = number_[static_cast<std::size_t>(receive)];
            signal(device_action::await_post, peer, number);
            from[static_cast<std::size_t>(k)] = sends_[channel(peer, rank_)][number - 1];
        }
        combine(s.to, from);
        for (const auto& [receive, k] : viewed)
            acknowledge(steps_of(rank_)[static_cast<std::size_t>(receive)].peer,
                        number_[static_cast<std::size_t>(receive)]);
    }

    void combine(const schedule::place& to, const std::vector<operand>& from) {
        if (p_.what == schedule::operation::alltoall && to.first % chunks_of_block() + to.count > chunks_of_block())
            reject("device_plans_of", "a step of the alltoall goes over several blocks", "make it a step for each");
        device_step s;
        s.operands = static_cast<std::uint8_t>(from.size());
        s.number = static_cast<std::uint32_t>(made_.operands.size());
        s.first = element_of(to.first);
        s.end = s.first + cut_.bound(to.first + to.count) - cut_.bound(to.first);
        made_.operands.insert(made_.operands.end(), from.begin(), from.end());
        made_.operands.push_back(own(to));
        made_.steps.push_back(s);
    }
    void signal(device_action what, int peer, std::uint32_t number) {
        made_.steps.push_back({.what = what, .peer = static_cast<std::uint8_t>(peer), .number = number});
    }
    void await_taken(int peer, std::uint32_t number) {
        auto& awaited = awaited_[static_cast<std::size_t>(peer)];
        if (number <= awaited) return;
        awaited = number;
        signal(device_action::await_taken, peer, number);
    }
    /// A viewed message is read later than those behind it, which are acknowledged with it then.
    void acknowledge(int peer, std::uint32_t number) {
        auto& read = read_[static_cast<std::size_t>(peer)];
        read.marks.resize(std::max<std::size_t>(read.marks.size(), number), false);
        read.marks[number - 1] = true;
        const std::uint32_t before = read.all;
        while (read.all < read.marks.size() && read.marks[read.all]) ++read.all;
        if (read.all > before) signal(device_action::acknowledge, peer, read.all);
    }

    /// A buffer of a rank: its first element lies at element `begin` of that memory.
    struct memory {
        schedule::chunk_window window;
        std::size_t begin = 0;
    };

    const schedule::program& p_;
    schedule::layout cut_;
    std::vector<std::vector<memory>> buffers_; ///< by rank and buffer
    std::vector<std::size_t> scratch_;         ///< by rank
    std::vector<std::vector<operand>> sends_;  ///< by channel: where each message lies

    // Of the rank whose plan is made:
    struct messages_read {
        std::vector<bool> marks;
        std::uint32_t all = 0; ///< the first so many are all marked
    };
    int rank_ = 0;
    device_plan made_;
    schedule::order order_;
    std::vector<std::uint32_t> number_;           ///< by step, of its message
    std::vector<std::vector<std::size_t>> frees_; ///< by step: the sends that must have been read before
    std::vector<std::uint32_t> awaited_;          ///< by peer: the last message that it is known to have read
    std::vector<messages_read> read_;             ///< by peer
};

/// The first rank that waits for ever; -1 if all come to their end. What a plan waits for never goes away again, so one
/// order of steps tells for all.
[[nodiscard]] inline int stuck_rank(std::span<const device_plan> plans) {
    const std::size_t size = plans.size();
    std::vector<std::uint32_t> posted(size * size, 0), taken(size * size, 0); // by sender and receiver
    std::vector<std::size_t> at(size, 0);
    const auto may_go = [&](std::size_t r, const device_step& s) {
        if (s.what == device_action::await_post) return posted[s.peer * size + r] >= s.number;
        if (s.what == device_action::await_taken) return taken[r * size + s.peer] >= s.number;
        return true;
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t r = 0; r < size; ++r)
            for (; at[r] < plans[r].steps.size(); ++at[r], moved = true) {
                const device_step& s = plans[r].steps[at[r]];
                if (!may_go(r, s)) break;
                if (s.what == device_action::post) posted[r * size + s.peer] = s.number;
                if (s.what == device_action::acknowledge) taken[s.peer * size + r] = s.number;
            }
    }
    for (std::size_t r = 0; r < size; ++r)
        if (at[r] < plans[r].steps.size()) return static_cast<int>(r);
    return -1;
}

} // namespace detail

/// The plans of all ranks, by rank, for `count` elements of that size. The program is proven first, and so is that
/// every rank comes to its end though it does one step after the other. Joined parts are messages of their own there.
///
/// Errors: invalid_argument, where the program is no proven one, has more than 8 ranks, would wait for ever, or is an
/// alltoall of a count that is no multiple of the ranks, or with a step that goes over several blocks. Cost: that of
/// schedule::verify, so keep the plans.
[[nodiscard]] inline std::vector<device_plan> device_plans_of(const schedule::program& p, std::size_t count,
                                                              std::size_t element_bytes) {
    if (p.size > static_cast<int>(most_peers))
        reject("device_plans_of", "the schedule is for " + std::to_string(p.size) + " ranks",
               "groups have 1 to " + std::to_string(most_peers));
    if (p.what == schedule::operation::alltoall && p.size > 0 && count % static_cast<std::size_t>(p.size) != 0)
        reject("device_plans_of", std::to_string(count) + " elements have no block for each rank",
               "make it a multiple of the ranks");
    const schedule::proof proof = schedule::verify(p, nullptr, schedule::bits::may_differ);
    if (!proof.proven) reject("device_plans_of", "the schedule is not proven: " + schedule::message_of(proof.fault));
    const schedule::program apart = schedule::unjoined(p);
    detail::device_planner planner(apart, count, element_bytes);
    std::vector<device_plan> plans;
    for (int r = 0; r < p.size; ++r) plans.push_back(planner.plan(r));
    if (const int r = detail::stuck_rank(plans); r >= 0)
        reject("device_plans_of",
               "rank " + std::to_string(r) +
                   " would wait for ever: a block does one step after the other, and "
                   "acknowledges what a reduce_many reads where it lies only then",
               "order its steps so that none waits for what a later one sends or acknowledges");
    return plans;
}

} // namespace tutti::kernels
