// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/algorithm/any.hpp>
#include <collectives/engine/call.hpp>
#include <collectives/schedule/lowering/cut.hpp>

#include "support/expect.hpp"

#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

namespace tutti::test {

using bytes = std::vector<std::byte>;

/// A schedule on the data of all ranks, step after step in one thread: what every transport must give, bit by bit.
class serial_run {
public:
    /// `inputs` by rank: each rank's own part where the operation gathers, the whole vector otherwise.
    serial_run(const engine::call& c, int size, const std::vector<bytes>& inputs)
        : call_(c), program_(c.how.write(c.what, size, c.root, false, c.segments)),
          cut_(schedule::cut_of(c.what, size, c.how.chunks(c.what, size), c.segments, c.count)),
          ranks_(static_cast<std::size_t>(size)) {
        for (int r = 0; r < size; ++r) {
            const auto own = window(r, schedule::buffer::input);
            auto& input = bank(r, schedule::buffer::input);
            const std::byte* given = inputs[static_cast<std::size_t>(r)].data();
            for (int k = 0; k < own.ranges(); given += span_of(own.range(k++)))
                if (span_of(own.range(k)) > 0) std::memcpy(at(input, own.range(k).first), given, span_of(own.range(k)));
        }
        walk();
    }

    /// What the operation gives to a rank; empty where it gives nothing.
    [[nodiscard]] bytes output(int rank) {
        const auto own = window(rank, schedule::buffer::output).range(0);
        auto& out = bank(rank, schedule::buffer::output);
        bytes result(span_of(own));
        if (!result.empty()) std::memcpy(result.data(), at(out, own.first), result.size());
        if (call_.finisher && !result.empty())
            call_.finisher(result.data(), result.size() / call_.element_bytes, program_.size);
        return result;
    }

private:
    struct state {
        std::map<schedule::buffer, bytes> banks;
        std::map<int, std::deque<bytes>> arrived; // by sender
        std::size_t next = 0;                     // step
    };

    [[nodiscard]] schedule::chunk_window window(int rank, schedule::buffer b) const {
        return schedule::window(call_.what, program_.at(rank), b, program_.chunks);
    }
    bytes& bank(int rank, schedule::buffer b) {
        auto& memory = ranks_[static_cast<std::size_t>(rank)].banks[b];
        memory.resize(cut_.bound(program_.chunks) * call_.element_bytes);
        return memory;
    }
    [[nodiscard]] std::byte* at(bytes& memory, int chunk) const {
        return memory.data() + cut_.bound(chunk) * call_.element_bytes;
    }
    [[nodiscard]] std::size_t span_of(schedule::chunk_range w) const {
        return (cut_.bound(w.last) - cut_.bound(w.first)) * call_.element_bytes;
    }
    [[nodiscard]] std::size_t span_of(schedule::place p) const {
        return span_of(schedule::chunk_range{p.first, p.first + p.count});
    }

    /// Every rank goes as far as it can, in turns. A send never waits.
    void walk() {
        for (bool moved = true; moved;) {
            moved = false;
            for (int r = 0; r < program_.size; ++r) {
                auto& me = ranks_[static_cast<std::size_t>(r)];
                const auto& steps = program_.ranks[static_cast<std::size_t>(r)];
                for (; me.next < steps.size() && can(me, steps[me.next]); ++me.next, moved = true)
                    perform(r, steps[me.next]);
            }
        }
        for (int r = 0; r < program_.size; ++r)
            expect(ranks_[static_cast<std::size_t>(r)].next == program_.ranks[static_cast<std::size_t>(r)].size(),
                   "a proven schedule can be walked in order");
    }

    [[nodiscard]] static bool can(state& me, const schedule::step& s) {
        return !receives(s) || !me.arrived[s.peer].empty();
    }

    void perform(int r, const schedule::step& s) {
        auto& me = ranks_[static_cast<std::size_t>(r)];
        const std::byte* from = reads_from(s) ? at(bank(r, s.from.where), s.from.first) : nullptr;
        std::byte* to = writes_to(s) ? at(bank(r, s.to.where), s.to.first) : nullptr;
        const std::size_t length = span_of(receives(s) ? s.to : s.from);
        if (sends(s)) {
            ranks_[static_cast<std::size_t>(s.peer)].arrived[r].emplace_back(from, from + length);
            return;
        }
        bytes incoming;
        if (receives(s)) {
            incoming = std::move(me.arrived[s.peer].front());
            me.arrived[s.peer].pop_front();
            expect(incoming.size() == length, "both ends of a message agree on its length");
        }
        if (length == 0) return;
        if (s.what == schedule::action::receive)
            std::memcpy(to, incoming.data(), length);
        else if (s.what == schedule::action::copy)
            std::memmove(to, from, length);
        else if (s.what == schedule::action::reduce_many)
            combine_many(r, s, to, length);
        else if (s.what == schedule::action::reduce)
            combine(to, to, from, s.other, length);
        else
            combine(to, from, incoming.data(), s.other, length);
    }
    void combine_many(int r, const schedule::step& s, std::byte* to, std::size_t length) {
        std::vector<const std::byte*> operands;
        for (int k = 0; k < sources(s); ++k) operands.push_back(at(bank(r, source(s, k).where), s.from.first));
        call_.reduce.combine_many(to, operands.data(), operands.size(), length / call_.element_bytes,
                                  call_.reduce.state);
    }
    void combine(std::byte* to, const std::byte* own, const std::byte* other, schedule::side of_other,
                 std::size_t length) const {
        const bool left = of_other == schedule::side::left;
        call_.reduce.combine(to, left ? other : own, left ? own : other, length / call_.element_bytes,
                             call_.reduce.state);
    }

    engine::call call_;
    schedule::program program_;
    schedule::layout cut_;
    std::vector<state> ranks_;
};

} // namespace tutti::test
