// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "host_group.hpp"
#include "host_launch.hpp"
#include "kernels/engine/device_engine.hpp"

#include <collectives/schedule/lowering/cut.hpp>
#include <collectives/schedule/lowering/places.hpp>
#include <collectives/schedule/program.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tutti::test {

/// A vector of each rank: all of its elements, whatever part of it an operation's window shows.
template <class T>
using vectors = std::vector<std::vector<T>>;

/// The cut of a program's chunks, and where the window of a rank's input or output begins in its vector. That of an
/// alltoall is the whole vector.
inline schedule::layout cut_of(const schedule::program& p, std::size_t count) {
    return schedule::cut_of(p.what, p.size, p.chunks / p.segments, p.segments, count);
}
inline std::size_t first_shown(const schedule::program& p, int rank, schedule::buffer b, std::size_t count) {
    if (p.what == schedule::operation::alltoall) return 0;
    return cut_of(p, count).bound(schedule::window(p.what, p.at(rank), b, p.chunks).range(0).first);
}
/// Where a chunk of a buffer begins in its vector.
inline std::size_t first_of(const schedule::program& p, int rank, const schedule::place& x, std::size_t count) {
    const schedule::layout cut = cut_of(p, count);
    if (p.what != schedule::operation::alltoall || x.where >= schedule::buffer::first_scratch)
        return cut.bound(x.first);
    return offset_of(cut, schedule::window(p.what, p.at(rank), x.where, p.chunks), x.first);
}

/// Runs a program by its definition: messages are copied, and steps go in the order of each list.
template <class T, class Op>
class interpreter {
public:
    interpreter(const schedule::program& p, std::size_t count) : p_(p), count_(count), cut_(test::cut_of(p, count)) {}

    void run(const vectors<T>& in, vectors<T>& out) {
        buffers_.clear();
        for (int r = 0; r < p_.size; ++r) {
            const auto rank = static_cast<std::size_t>(r);
            buffers_.push_back({in[rank], out[rank]});
            buffers_.back().resize(schedule::scratch_windows(p_.ranks[rank]).size(),
                                   std::vector<T>(cut_.bound(p_.chunks)));
        }
        std::vector<std::size_t> at(p_.ranks.size(), 0);
        const auto may_go = [&](std::size_t r) { return at[r] < p_.ranks[r].size(); };
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t r = 0; r < at.size(); ++r)
                for (; may_go(r) && step(static_cast<int>(r), p_.ranks[r][at[r]]); ++at[r]) moved = true;
        }
        for (std::size_t r = 0; r < at.size(); ++r) {
            if (may_go(r)) throw std::logic_error("a step waits for ever");
            out[r] = buffers_[r][1];
        }
    }

private:
    [[nodiscard]] std::vector<T>& of(int rank, schedule::buffer b) {
        if (p_.in_place && b == schedule::buffer::input) b = schedule::buffer::output;
        return buffers_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(schedule::index_of(b))];
    }
    [[nodiscard]] std::vector<T> read(int rank, const schedule::place& x) {
        const auto from = of(rank, x.where).begin() + static_cast<std::ptrdiff_t>(first_of(p_, rank, x, count_));
        return {from, from + static_cast<std::ptrdiff_t>(cut_.bound(x.first + x.count) - cut_.bound(x.first))};
    }
    void write(int rank, const schedule::place& x, const std::vector<T>& all) {
        const auto first = static_cast<std::ptrdiff_t>(first_of(p_, rank, x, count_));
        std::copy(all.begin(), all.end(), of(rank, x.where).begin() + first);
    }
    [[nodiscard]] static std::vector<T> combined(const vectors<T>& from) {
        kernels::reduction<T, Op, kernels::stored<T>> what;
        what.sources = static_cast<unsigned>(from.size());
        what.count = from[0].size();
        for (std::size_t k = 0; k < from.size(); ++k) what.from[k] = from[k].data();
        std::vector<T> to(what.count);
        by_definition(to.data(), what);
        return to;
    }
    [[nodiscard]] static std::vector<T> both(bool left, const std::vector<T>& other, const std::vector<T>& own) {
        return left ? combined({other, own}) : combined({own, other});
    }
    /// False: it waits for a message.
    bool step(int r, const schedule::step& s) {
        using schedule::action;
        if (s.what == action::send) {
            wires_[{r, s.peer}].push_back(read(r, s.from));
            return true;
        }
        std::vector<T> incoming;
        if (schedule::receives(s)) {
            auto& wire = wires_[{s.peer, r}];
            if (wire.empty()) return false;
            incoming = std::move(wire.front());
            wire.pop_front();
        }
        const bool left = s.other == schedule::side::left;
        vectors<T> all;
        for (int k = 0; k < schedule::sources(s); ++k) all.push_back(read(r, schedule::source(s, k)));
        switch (s.what) {
        case action::receive: write(r, s.to, incoming); break;
        case action::copy: write(r, s.to, all[0]); break;
        case action::receive_reduce: write(r, s.to, both(left, incoming, all[0])); break;
        case action::reduce: write(r, s.to, both(left, all[0], read(r, s.to))); break;
        default: write(r, s.to, combined(all));
        }
        return true;
    }

    const schedule::program& p_;
    std::size_t count_;
    schedule::layout cut_;
    std::vector<vectors<T>> buffers_; // by rank
    std::map<std::pair<int, int>, std::deque<std::vector<T>>> wires_;
};

/// A group of ranks whose device engines run on threads of the host.
template <class Here = kernels::host_execution>
class host_engine : public host_group<Here> {
public:
    host_engine(unsigned ranks, kernels::geometry shape, std::chrono::nanoseconds patience = std::chrono::seconds(30))
        : host_group<Here>(ranks, shape, 0, patience), pages_(ranks),
          counters_(ranks, std::vector<kernels::device_counters>(shape.blocks)) {}

    /// The call of one rank. In place, the inputs are the outputs.
    template <class T, class Op>
    [[nodiscard]] kernels::device_call<T, Op> call_of(const schedule::program& p, unsigned rank,
                                                      const kernels::device_plan& plan, std::uint32_t signature,
                                                      vectors<T>& in, vectors<T>& out, vectors<T>& scratch) {
        const std::size_t count = out[rank].size() - lead;
        const auto shown = [&](vectors<T>& of, unsigned r, schedule::buffer b) {
            return of[r].data() + lead + first_shown(p, static_cast<int>(r), b, count);
        };
        kernels::device_call<T, Op> call;
        call.group = this->groups[rank];
        for (unsigned r = 0; r < this->groups.size(); ++r) {
            call.pages[r] = &pages_[r];
            call.memory[r][0] = shown(p.in_place ? out : in, r, schedule::buffer::input);
            call.memory[r][1] = shown(out, r, schedule::buffer::output);
            call.memory[r][2] = scratch[r].data();
        }
        call.counters = counters_[rank].data();
        call.steps = plan.steps.data();
        call.operands = plan.operands.data();
        call.number = static_cast<std::uint32_t>(plan.steps.size());
        call.messages = plan.messages;
        call.signature = signature;
        return call;
    }
    /// Each rank runs its call, but those for whom `comes(rank)` is false.
    template <class Call>
    void run(const std::vector<Call>& calls, const auto& comes) {
        this->launch(comes, [&](unsigned rank, const Here& here, std::uint64_t* failed) { calls[rank](failed, here); });
    }
    template <class Call>
    void run(const std::vector<Call>& calls) {
        run(calls, this->everyone);
    }

    /// As if each rank had made so many calls.
    void pretend_calls(std::uint32_t calls) {
        for (auto& of_rank : counters_)
            for (auto& of_block : of_rank) of_block.calls = calls;
        for (auto& page : pages_)
            for (auto& of_block : page.called)
                for (auto& word : of_block) word = std::uint64_t{calls} << 32;
    }

    std::size_t lead = 0; ///< elements before each vector, so that it is aligned to them alone

private:
    std::vector<kernels::device_page> pages_;
    std::vector<std::vector<kernels::device_counters>> counters_;
};

} // namespace tutti::test
