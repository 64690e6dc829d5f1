// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/sort.hpp"
#include "charges.hpp"
#include "event_queue.hpp"
#include "graph.hpp"
#include "settings.hpp"
#include "sharing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::model::detail {

/// The port that a rank's messages leave by, one at a time: when it is free, and the sends that wait for it.
struct port {
    double free_s = 0;
    std::uint32_t head = none, tail = none;
};

/// Stands for the shared resources where ranks share none.
struct nothing_shared {
    nothing_shared(const graph&, const machine&, const simulation_settings&) noexcept {}
};

/// Executes a graph by one of the rules: see simulate(). Shared: sharing or nothing_shared.
template <class Shared>
class event_simulation {
public:
    event_simulation(const graph& g, const machine& m, const simulation_settings& s)
        : graph_(g), charges_(m, g.lengths), settings_(s), shared_(g, m, s), steps_(g.steps) {
        ranks_.reserve(g.ranks.size());
        for (std::size_t r = 0; r < g.ranks.size(); ++r) {
            const role& of = g.role_of(r);
            ranks_.push_back({&of, g.ranks[r].first_step, g.ranks[r].first_slot});
            rank_state& mine = ranks_.back();
            mine.processor_free_s = mine.out.free_s = mine.in_free_s = mine.finish_s = m.call_s;
            for (std::uint32_t i = 0; i < of.steps.size(); ++i) {
                state(ranks_[r], i).waits = of.steps[i].waits;
                if (of.steps[i].waits == 0) queue_.push({0, static_cast<std::uint32_t>(r), i});
            }
        }
    }

    [[nodiscard]] simulated run() {
        std::vector<event> batch;
        while (queue_.pop(batch)) {
            in_program_order(batch);
            for (const event& e : batch) handle(e);
            for (const event& e : released_) release_now(e);
            released_.clear();
        }
        if (done_ < graph_.steps) reject("simulate", "the schedule deadlocks", "have verify name its fault");
        return result();
    }

private:
    // Of an event: not a step is ready, but a message comes; or it begins to leave the node, its adapter has got it, or
    // has sent it; or a receive may end.
    static constexpr std::uint32_t arriving = 1U << 31, leaving = 1U << 30, given = 1U << 29, sent = 1U << 28,
                                   ending = 1U << 27, step_of = ending - 1;
    static constexpr bool shares = !std::is_same_v<Shared, nothing_shared>;

    struct step_state {
        double ready_s = 0; ///< the latest of what it waits for; by Hockney's rule then when a receive began
        std::uint32_t waits = 0;
        /// Of a send, the next in the line; of a receive from another node, `carried` once the network has carried its
        /// message, and `awaited` while the receive cannot go on for that.
        std::uint32_t behind = none;
    };
    static constexpr std::uint32_t carried = 0, awaited = 1;
    struct alignas(64) rank_state { // one line of the cache
        const role* of;
        std::uint32_t first_step, first_slot;
        double processor_free_s = 0;
        port out{};
        double in_free_s = 0;                ///< the port by which messages come
        std::uint32_t batch = 0, latest = 0; ///< the latest batch with a step of this rank, and that step
        double finish_s = 0;                 ///< of the steps so far
    };

    /// Of a receive, for the processor.
    [[nodiscard]] double duration_of(const rank_state& r, std::uint32_t i) const noexcept {
        const role::step& s = r.of->steps[i];
        const charge& cost = charges_.of(s.length, slot(r, s).far);
        return (is_serial() ? cost.serial : cost.busy) + (s.what == schedule::action::receive_reduce ? cost.reduce : 0);
    }
    [[nodiscard]] bool is_serial() const noexcept { return settings_.receiver == receiver_rule::serial; }
    [[nodiscard]] bool by_hockney() const noexcept { return settings_.receiver == receiver_rule::hockney; }
    [[nodiscard]] step_state& state(const rank_state& r, std::uint32_t i) noexcept { return steps_[r.first_step + i]; }
    [[nodiscard]] const graph::slot& slot(const rank_state& r, const role::step& s) const noexcept {
        return graph_.slot_list[r.first_slot + s.slot];
    }

    /// Events of a rank at one time are handled in the order of its steps. Mostly they are in order already.
    void in_program_order(std::vector<event>& batch) {
        if (batch.size() == 1) return;
        ++batch_;
        bool sorted = true;
        for (const event& e : batch) {
            rank_state& r = ranks_[e.rank];
            if (r.batch == batch_ && r.latest > e.what) sorted = false;
            r.batch = batch_;
            r.latest = e.what;
        }
        if (sorted) return;
        std::sort(batch.begin(), batch.end(),
                  [](const event& a, const event& b) { return a.rank != b.rank ? a.rank < b.rank : a.what < b.what; });
    }

    void handle(const event& e) {
        const std::uint32_t i = e.what & step_of;
        if (e.what & arriving) return take_in(e.rank, i, e.at_s);
        if constexpr (shares) {
            if (e.what & leaving) return leave_node(e.rank, i, e.at_s);
            if (e.what & given) return is_given(e.rank, i, e.at_s);
            if (e.what & sent) return is_sent(e.rank, i, e.at_s);
            if (e.what & ending) return end_receive(e.rank, i, e.at_s);
        }
        begin(e.rank, i, e.at_s);
    }

    /// All that a step waits for is there.
    void begin(std::uint32_t rank, std::uint32_t i, double now) {
        rank_state& r = ranks_[rank];
        const role::step& s = r.of->steps[i];
        switch (s.what) {
        case schedule::action::send: return send(rank, i, now);
        case schedule::action::receive:
        case schedule::action::receive_reduce: return receive(rank, i, now);
        case schedule::action::copy: return occupy(rank, i, now, of(s).copy), void();
        case schedule::action::reduce: return occupy(rank, i, now, of(s).reduce), void();
        case schedule::action::reduce_many: return occupy(rank, i, now, (s.operands - 1) * of(s).reduce), void();
        }
    }
    [[nodiscard]] const charge& of(const role::step& s) const noexcept { return charges_.of(s.length, false); }

    void send(std::uint32_t rank, std::uint32_t i, double now) {
        rank_state& r = ranks_[rank];
        if (must_wait(r, rank, i, now)) return;
        const role::step& s = r.of->steps[i];
        const graph::slot to = slot(r, s);
        const std::uint32_t receiver = graph_.by_symmetry ? 0 : to.peer; // stands for all
        const charge& cost = charges_.of(s.length, to.far);
        if (by_hockney()) {
            begun(rank, i, now);
            ended(rank, i, now, now + cost.whole);
            leave(r, rank, i, now + cost.whole);
            return release(receiver, ranks_[receiver].of->receive(to.back, s.number), now);
        }
        const double start = occupy(rank, i, now, cost.busy);
        double header = start + cost.header;
        leave(r, rank, i, start + cost.next);
        if constexpr (shares) {
            shared_.expect(receiver, ranks_[receiver].first_slot + to.back);
            header += shared_.latency_to(receiver);
            if (to.far && shared_.has_network()) {
                if (start > now) return queue_.push({start, rank, i | leaving});
                return leave_node(rank, i, now);
            }
        }
        const std::uint32_t receive = ranks_[receiver].of->receive(to.back, s.number);
        if (shares || settings_.receiver == receiver_rule::full_duplex)
            queue_.push({header, receiver, receive | arriving});
        else
            release(receiver, receive, header);
    }

    struct arrival {
        std::uint32_t rank, step;
        double header_s, stream_s; ///< after its adapter began to send it; after the header
    };
    [[nodiscard]] arrival arrival_of(std::uint32_t rank, std::uint32_t i) const noexcept {
        const role::step& s = ranks_[rank].of->steps[i];
        const graph::slot to = slot(ranks_[rank], s);
        const charge& cost = charges_.of(s.length, true);
        return {to.peer, ranks_[to.peer].of->receive(to.back, s.number), cost.header + shared_.latency_to(to.peer),
                cost.stream};
    }
    /// A rank begins to send to another node.
    void leave_node(std::uint32_t rank, std::uint32_t i, double now) {
        const arrival a = arrival_of(rank, i);
        queue_.push(
            {now + shared_.network.begin(shared_.adapter_of(rank), now) + a.header_s, a.rank, a.step | arriving});
        queue_.push({now + a.stream_s, rank, i | given});
    }
    /// Its adapter has got all.
    void is_given(std::uint32_t rank, std::uint32_t i, double now) {
        queue_.push({shared_.network.end(shared_.adapter_of(rank), now), rank, i | sent});
    }
    /// Its adapter has sent all. The message cannot be there before the network has carried it, however early its
    /// header came.
    void is_sent(std::uint32_t rank, std::uint32_t i, double now) {
        const arrival a = arrival_of(rank, i);
        const double there_s = shared_.network.carry(shared_.adapter_of(rank), now) + a.header_s;
        rank_state& r = ranks_[a.rank];
        step_state& s = state(r, a.step);
        s.ready_s = std::max(s.ready_s, is_serial() ? there_s - a.stream_s : there_s);
        if (std::exchange(s.behind, carried) != awaited) return;
        if (is_serial())
            queue_.push({s.ready_s + duration_of(r, a.step), a.rank, a.step | ending});
        else
            queue_.push({s.ready_s, a.rank, a.step});
    }
    /// True if a receive cannot go on before the network has carried its message; is_sent() then has it go on.
    [[nodiscard]] bool awaits_network(step_state& s) noexcept {
        if (s.behind == carried) return false;
        s.behind = awaited;
        return true;
    }
    /// A processor has taken in the bytes of a message as they came, unless that has taken longer than it thought.
    void end_receive(std::uint32_t rank, std::uint32_t i, double now) {
        rank_state& r = ranks_[rank];
        step_state& s = state(r, i);
        if (awaits_network(s)) return;
        const double duration = duration_of(r, i), end = s.ready_s + duration;
        if (!is_later(end, now)) return ended(rank, i, now - duration, now);
        r.processor_free_s = std::max(r.processor_free_s, end);
        queue_.push({end, rank, i | ending});
    }

    /// A header has arrived: the port takes in what follows, after what came before, unless it is the processor that
    /// does. By Hockney's rule it is all of the message that has.
    void take_in(std::uint32_t rank, std::uint32_t i, double now) {
        rank_state& r = ranks_[rank];
        const role::step& s = r.of->steps[i];
        if (by_hockney()) return reduce_arrived(rank, i, now);
        const bool far = slot(r, s).far;
        const double stream = charges_.of(s.length, far).stream;
        const bool by_port = settings_.receiver == receiver_rule::full_duplex;
        double here = now + stream; // from a shared adapter, as fast as the rank's own port takes it
        if constexpr (shares)
            if (far && by_port && shared_.has_adapters()) here = shared_.take_in(rank, now, stream);
        if (!by_port) return release(rank, i, now);
        r.in_free_s = std::max(here, r.in_free_s + stream);
        release(rank, i, r.in_free_s);
    }

    void receive(std::uint32_t rank, std::uint32_t i, double now) {
        rank_state& r = ranks_[rank];
        const role::step& s = r.of->steps[i];
        if (by_hockney()) {
            const double start = std::max(now, r.in_free_s);
            r.in_free_s = start + charges_.of(s.length, slot(r, s).far).whole;
            state(r, i).ready_s = start; // from now on
            begun(rank, i, start);
            return queue_.push({r.in_free_s, rank, i | arriving});
        }
        double duration = duration_of(r, i);
        if constexpr (shares) {
            const bool by_network = shared_.has_network() && slot(r, s).far;
            if (by_network && !is_serial() && awaits_network(state(r, i))) return;
            if (by_network && is_later(state(r, i).ready_s, now))
                return queue_.push({state(r, i).ready_s, rank, i}); // once more, when the network has carried it
            duration += shared_.receive(rank, r.first_slot + s.slot, graph_.lengths[s.length]);
            if (by_network && is_serial()) {
                const auto [start, end] = work(rank, i, now, duration);
                begun(rank, i, start);
                return queue_.push({end, rank, i | ending});
            }
        }
        occupy(rank, i, now, duration);
    }

    /// Only a reduction takes the processor, and that not before the message is there.
    void reduce_arrived(std::uint32_t rank, std::uint32_t i, double now) {
        const rank_state& r = ranks_[rank];
        const role::step& s = r.of->steps[i];
        const double reduce = charges_.of(s.length, slot(r, s).far).reduce;
        const bool reduces = s.what == schedule::action::receive_reduce;
        ended(rank, i, state(r, i).ready_s, reduces ? work(rank, i, now, reduce).second : now);
    }

    /// Puts a send into the line, unless the port is free for it by the time that the processor is.
    [[nodiscard]] bool must_wait(rank_state& r, std::uint32_t rank, std::uint32_t i, double now) {
        port& p = r.out;
        if (p.head == i) return false;
        if (p.head != none) {
            state(r, p.tail).behind = i;
            p.tail = i;
            return true;
        }
        if (!is_later(p.free_s, by_hockney() ? now : std::max(now, r.processor_free_s))) return false;
        p.head = p.tail = i;
        queue_.push({p.free_s, rank, i});
        return true;
    }
    /// A send has begun, and the next one may at that time.
    void leave(rank_state& r, std::uint32_t rank, std::uint32_t i, double next) {
        port& p = r.out;
        p.free_s = next;
        if (p.head != i) return;
        p.head = state(r, i).behind;
        if (p.head != none) queue_.push({next, rank, p.head});
    }

    /// Does a step on its rank's processor, as soon as that has done what was there before; says when that begins.
    double occupy(std::uint32_t rank, std::uint32_t i, double now, double duration) {
        const auto [start, end] = work(rank, i, now, duration);
        begun(rank, i, start);
        ended(rank, i, start, end);
        return start;
    }
    /// When a processor begins and ends work that is ready now.
    std::pair<double, double> work(std::uint32_t rank, [[maybe_unused]] std::uint32_t i, double now, double duration) {
        rank_state& r = ranks_[rank];
        double start = std::max(now, r.processor_free_s), end = start + duration;
        if constexpr (shares) std::tie(start, end) = shared_.work(rank, i, start, duration);
        r.processor_free_s = end;
        return {start, end};
    }
    void begun(std::uint32_t rank, std::uint32_t i, double start) {
        if (const std::uint32_t next = ranks_[rank].of->steps[i].next; next != none) release(rank, next, start);
    }
    void ended(std::uint32_t rank, std::uint32_t i, double start, double end) {
        rank_state& r = ranks_[rank];
        const role& all = *r.of;
        ++done_;
        r.finish_s = std::max(r.finish_s, end);
        if (settings_.activities) record(rank, i, start, end);
        for (auto f = all.first[i]; f < all.first[i + 1]; ++f) release(rank, all.followers[f], end);
    }

    /// One of those that a step waits for is there. That is noted behind the batch, when its memory has come into the
    /// cache.
    void release(std::uint32_t rank, std::uint32_t i, double at) {
        __builtin_prefetch(&state(ranks_[rank], i), 1);
        released_.push_back({at, rank, i});
    }
    void release_now(const event& e) {
        step_state& s = state(ranks_[e.rank], e.what);
        s.ready_s = std::max(s.ready_s, e.at_s);
        if (--s.waits == 0) queue_.push({s.ready_s, e.rank, e.what});
    }

    void record(std::uint32_t rank, std::uint32_t i, double start, double end) {
        const rank_state& r = ranks_[rank];
        const role::step& s = r.of->steps[i];
        const std::uint32_t number = r.of->numbers.empty() ? i : r.of->numbers[i];
        schedule::activity a{
            static_cast<int>(rank), static_cast<int>(number), s.what, -1, graph_.lengths[s.length], start, end};
        if (s.slot != none) a.peer = static_cast<int>(slot(r, s).peer);
        activities_.push_back(a);
    }

    [[nodiscard]] simulated result() {
        simulated found;
        for (const rank_state& r : ranks_) {
            found.rank_finish_s.push_back(r.finish_s);
            found.finish_s = std::max(found.finish_s, r.finish_s);
        }
        const std::size_t each = graph_.by_symmetry ? static_cast<std::size_t>(graph_.size) : 1;
        if (graph_.by_symmetry) found.rank_finish_s.assign(each, found.finish_s);
        found.messages = graph_.messages * each;
        found.steps = graph_.steps * each;
        found.by_symmetry = graph_.by_symmetry;
        tutti::detail::sort_stably(activities_, [](const schedule::activity& a, const schedule::activity& b) {
            return a.begin_s < b.begin_s;
        });
        found.activities = std::move(activities_);
        return found;
    }

    const graph& graph_;
    charges charges_;
    simulation_settings settings_;
    [[no_unique_address]] Shared shared_;
    event_queue queue_;
    std::vector<step_state> steps_; ///< of all ranks
    std::vector<rank_state> ranks_;
    std::vector<event> released_; ///< during this batch
    std::vector<schedule::activity> activities_;
    std::uint32_t batch_ = 0;
    std::size_t done_ = 0;
};

} // namespace tutti::model::detail
