// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "device_ports.hpp"

#include <collectives/schedule/order.hpp>
#include <collectives/schedule/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace tutti::kernels::detail {

/// By rank, its steps in the order in which its kernel does them.
using device_orders = std::vector<std::vector<std::uint32_t>>;

/// Finds orders of all ranks' steps by doing them in the model of `ports`. A rank that reads nothing begins a step that
/// order_of lets it begin, so it goes on with another chunk where its list would have it wait. Of several such steps it
/// takes one that reads from the rank that is read least. All chunks count as equally long, so that ranks whose chunks
/// differ by an element keep in step.
///
/// No step is left over. Some execution of verify's does all steps of a proven program; the first one of these that
/// was left over would wait for nothing but earlier ones.
class order_finder {
public:
    /// Precondition: the program is proven, has at most most_peers ranks, and no joined steps.
    explicit order_finder(const schedule::program& p) : p_(p), channels_(index(p.size) * index(p.size)) {
        const ticks chunk = ticks_a_vector / static_cast<ticks>(p.chunks);
        for (int r = 0; r < p.size; ++r) {
            of_rank& mine = ranks_.emplace_back();
            mine.order = schedule::order_of(p, r);
            const std::size_t steps = steps_of(r).size();
            mine.numbers.assign(steps, 0);
            for (std::uint32_t i = 0; i < steps; ++i) {
                if (schedule::communicates(step_of(r, i))) number(r, i);
                mine.senders.push_back(senders_of(r, i));
                const std::size_t chunks = mine.senders.back().size() * index(place_of(r, i).count);
                mine.work.push_back(chunks * chunk);
            }
        }
    }

    /// The lists as they are written.
    [[nodiscard]] device_orders as_written() const {
        device_orders all;
        for (int r = 0; r < p_.size; ++r) {
            all.emplace_back(steps_of(r).size());
            std::iota(all.back().begin(), all.back().end(), 0U);
        }
        return all;
    }
    /// Of steps that read from ranks that are read alike, the first is one on the earliest segment of a chunk.
    [[nodiscard]] device_orders by_segment() {
        for (int r = 0; r < p_.size; ++r)
            prefer(r, [&](std::uint32_t i) { return static_cast<ticks>(place_of(r, i).first % p_.segments); });
        return found();
    }
    /// The first is one that most is yet to be read behind. Precondition: another order has been found before.
    [[nodiscard]] device_orders by_way() {
        measure_ways();
        for (int r = 0; r < p_.size; ++r) prefer(r, [&](std::uint32_t i) { return ~of(r).ways[i]; });
        return found();
    }

private:
    using preference = std::pair<ticks, std::uint32_t>; ///< the least goes first: by rule, then as written

    /// A rank; by step unless said otherwise.
    struct of_rank {
        schedule::order order;
        std::vector<std::uint32_t> numbers;             ///< of its message on the channel, from 0
        std::vector<std::vector<std::uint8_t>> senders; ///< from whose memory it reads; empty if that takes no time
        std::vector<ticks> work, ways, preferred;       ///< what it reads, and see measure_ways() and prefer()
        std::vector<std::uint32_t> waits;               ///< for so many events
        std::vector<std::uint32_t> begun;               ///< not by step: those that have begun, in their order
        std::uint32_t reading = 0;                      ///< not by step: what the rank reads now
        /// Not by step: those that could begin, by whom they read from.
        std::map<std::vector<std::uint8_t>, std::set<preference>> ready;
    };
    /// The messages from one rank to another, by number.
    struct channel {
        std::vector<std::uint32_t> sends, receives; ///< their steps
        std::vector<bool> open, read;               ///< open: nothing but the message holds the receive up
        std::size_t posted = 0, acknowledged = 0;   ///< how many
    };
    struct event {
        int rank;
        std::uint32_t step;
    };

    [[nodiscard]] static std::size_t index(int rank) noexcept { return static_cast<std::size_t>(rank); }
    [[nodiscard]] const std::vector<schedule::step>& steps_of(int r) const { return p_.ranks[index(r)]; }
    [[nodiscard]] const schedule::step& step_of(int r, std::uint32_t i) const { return steps_of(r)[i]; }
    [[nodiscard]] const schedule::place& place_of(int r, std::uint32_t i) const {
        return schedule::writes_to(step_of(r, i)) ? step_of(r, i).to : step_of(r, i).from;
    }
    [[nodiscard]] of_rank& of(int r) { return ranks_[index(r)]; }
    [[nodiscard]] const of_rank& of(int r) const { return ranks_[index(r)]; }
    [[nodiscard]] channel& between(int from, int to) { return channels_[index(from) * index(p_.size) + index(to)]; }
    /// The reduce_many that reads the message where it lies; -1: it is stored.
    [[nodiscard]] int reader_of(int r, std::uint32_t i) const {
        return of(r).order.viewed.reader_of(static_cast<int>(i));
    }
    [[nodiscard]] auto viewed_by(int r, std::uint32_t i) const { return of(r).order.viewed.of(static_cast<int>(i)); }

    void number(int r, std::uint32_t i) {
        const schedule::step& s = step_of(r, i);
        auto& same = schedule::sends(s) ? between(r, s.peer).sends : between(s.peer, r).receives;
        of(r).numbers[i] = static_cast<std::uint32_t>(same.size());
        same.push_back(i);
    }
    [[nodiscard]] std::vector<std::uint8_t> senders_of(int r, std::uint32_t i) const {
        std::vector<std::uint8_t> from;
        if (schedule::receives(step_of(r, i)) && reader_of(r, i) < 0)
            from.push_back(static_cast<std::uint8_t>(step_of(r, i).peer));
        for (const auto& v : viewed_by(r, i))
            from.push_back(static_cast<std::uint8_t>(step_of(r, static_cast<std::uint32_t>(v.receive)).peer));
        return from;
    }

    void prefer(int r, const auto& rule) {
        of(r).preferred.clear();
        for (std::uint32_t i = 0; i < steps_of(r).size(); ++i) of(r).preferred.push_back(rule(i));
    }
    /// A step's way: what is read, one after the other, from its beginning to the end of the last that needs it. Steps
    /// that need another one begin later, also in the order that was found before.
    void measure_ways() {
        for (of_rank& r : ranks_) r.ways.assign(r.work.size(), 0);
        for (auto e = begun_.rbegin(); e != begun_.rend(); ++e) {
            const auto [r, i] = *e;
            ticks longest = 0;
            const auto before = [&](int rank, std::uint32_t step) { longest = std::max(longest, of(rank).ways[step]); };
            for (const std::uint32_t f : of(r).order.followers_of(i)) before(r, f);
            if (const int next = of(r).order.next_on_channel[i]; next >= 0) before(r, static_cast<std::uint32_t>(next));
            if (schedule::sends(step_of(r, i))) {
                const int peer = step_of(r, i).peer;
                const std::uint32_t receive = between(r, peer).receives[of(r).numbers[i]];
                const int reader = reader_of(peer, receive);
                before(peer, reader >= 0 ? static_cast<std::uint32_t>(reader) : receive);
            }
            of(r).ways[i] = longest + of(r).work[i];
        }
    }

    [[nodiscard]] device_orders found() {
        start_anew();
        for (bool moved = true; moved;) {
            settle();
            moved = false;
            for (int r = 0; r < p_.size; ++r)
                if (!links_.reads(index(r)) && !of(r).ready.empty()) {
                    moved = true;
                    begin(r, best_of(r));
                }
            if (!moved)
                links_.advance([&](std::size_t r) {
                    moved = true;
                    end(static_cast<int>(r), ranks_[r].reading);
                });
        }
        device_orders all;
        for (const of_rank& r : ranks_) all.push_back(r.begun);
        return all;
    }
    void start_anew() {
        for (channel& c : channels_) {
            c.open.assign(c.sends.size(), false);
            c.read.assign(c.sends.size(), false);
            c.posted = c.acknowledged = 0;
        }
        begun_.clear();
        for (int r = 0; r < p_.size; ++r) {
            of(r).begun.clear();
            of(r).waits = of(r).order.waits;
            for (std::uint32_t i = 0; i < steps_of(r).size(); ++i)
                if (of(r).waits[i] == 0) freed_.push_back({r, i});
        }
    }
    /// Does what takes no time and no choice.
    void settle() {
        for (std::size_t k = 0; k < freed_.size(); ++k) {
            const auto [r, i] = freed_[k];
            const schedule::step& s = step_of(r, i);
            if (schedule::sends(s))
                post(r, i);
            else if (schedule::receives(s))
                open(r, i);
            else
                make_ready(r, i);
        }
        freed_.clear();
    }
    void post(int r, std::uint32_t i) {
        const int peer = step_of(r, i).peer;
        channel& c = between(r, peer);
        c.posted = of(r).numbers[i] + std::size_t{1};
        start(r, i);
        if (c.open[c.posted - 1]) arrived(peer, c.receives[c.posted - 1]);
    }
    void open(int r, std::uint32_t i) {
        channel& c = between(step_of(r, i).peer, r);
        const std::size_t number = of(r).numbers[i];
        c.open[number] = true;
        if (reader_of(r, i) >= 0) start(r, i);
        if (c.posted > number) arrived(r, i);
    }
    /// The message of a receive that nothing else holds up is there.
    void arrived(int r, std::uint32_t i) {
        if (reader_of(r, i) >= 0)
            finish(r, i);
        else
            make_ready(r, i);
    }
    void make_ready(int r, std::uint32_t i) { of(r).ready[of(r).senders[i]].insert({of(r).preferred[i], i}); }

    /// Takes the step that goes first out of those that are ready: one that takes no time, if there is one.
    [[nodiscard]] std::uint32_t best_of(int r) {
        auto& ready = of(r).ready;
        auto best = ready.begin();
        if (!best->first.empty())
            for (auto other = std::next(best); other != ready.end(); ++other)
                if (std::pair(links_.load(other->first), *other->second.begin()) <
                    std::pair(links_.load(best->first), *best->second.begin()))
                    best = other;
        const std::uint32_t taken = best->second.begin()->second;
        best->second.erase(best->second.begin());
        if (best->second.empty()) ready.erase(best);
        return taken;
    }
    void begin(int r, std::uint32_t i) {
        start(r, i);
        if (of(r).work[i] == 0) return end(r, i);
        of(r).reading = i;
        links_.begin(index(r), of(r).work[i], of(r).senders[i]);
    }
    void start(int r, std::uint32_t i) {
        of(r).begun.push_back(i);
        begun_.push_back({r, i});
        if (const int next = of(r).order.next_on_channel[i]; next >= 0) release(r, static_cast<std::uint32_t>(next));
    }
    void end(int r, std::uint32_t i) {
        finish(r, i);
        if (schedule::receives(step_of(r, i))) acknowledge(r, i);
        for (const auto& v : viewed_by(r, i)) acknowledge(r, static_cast<std::uint32_t>(v.receive));
    }
    /// The message has been read. Its sender hears of it once all before it have been, too.
    void acknowledge(int r, std::uint32_t i) {
        const int sender = step_of(r, i).peer;
        channel& c = between(sender, r);
        c.read[of(r).numbers[i]] = true;
        while (c.acknowledged < c.read.size() && c.read[c.acknowledged]) finish(sender, c.sends[c.acknowledged++]);
    }
    void finish(int r, std::uint32_t i) {
        for (const std::uint32_t f : of(r).order.followers_of(i)) release(r, f);
    }
    void release(int r, std::uint32_t i) {
        if (--of(r).waits[i] == 0) freed_.push_back({r, i});
    }

    const schedule::program& p_;
    ports links_;
    std::vector<of_rank> ranks_;
    std::vector<channel> channels_; ///< by sender and receiver
    std::vector<event> freed_;      ///< steps that nothing of their own rank holds up any more
    std::vector<event> begun_;      ///< steps of all ranks that have begun, in their order
};

} // namespace tutti::kernels::detail
