// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../reduce_many.hpp"
#include "device_order.hpp"
#include "device_steps.hpp"

#include <tutti/base/error.hpp>
#include <tutti/collectives/schedule/layout.hpp>
#include <tutti/collectives/schedule/lowering/cut.hpp>
#include <tutti/collectives/schedule/lowering/order.hpp>
#include <tutti/collectives/schedule/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::kernels::detail {

/// Makes the plans of all ranks. A message stays with its sender, and the receiver reads it there.
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

    /// The plans whose ranks do their steps in these orders, which are some of order_of.
    [[nodiscard]] std::vector<device_plan> plans(const device_orders& orders) {
        std::vector<device_plan> all;
        for (int r = 0; r < p_.size; ++r) all.push_back(plan(r, orders[static_cast<std::size_t>(r)]));
        return all;
    }

private:
    [[nodiscard]] device_plan plan(int rank, const std::vector<std::uint32_t>& in_order) {
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
        for (const std::uint32_t i : in_order) add(i, steps[i]);
        for (int peer = 0; peer < p_.size; ++peer) await_taken(peer, made_.messages.sent[peer]);
        return std::move(made_);
    }

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

} // namespace tutti::kernels::detail
