// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "device_ports.hpp"
#include "device_replay.hpp"

#include <tutti/collectives/schedule/program.hpp>

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

/// By rank, the numbers of its steps in the order in which its kernel does them.
using device_orders = std::vector<std::vector<std::uint32_t>>;

/// The lists as they are written.
[[nodiscard]] inline device_orders as_written(const schedule::program& p) {
    device_orders all;
    for (const auto& steps : p.ranks) {
        all.emplace_back(steps.size());
        std::iota(all.back().begin(), all.back().end(), 0U);
    }
    return all;
}

/// Finds orders of all ranks' steps by doing them in the model of `ports`. A rank that reads nothing begins a step that
/// order_of lets it begin. So it goes on with another chunk where its list would have it wait. Of several such steps it
/// takes one that reads from the rank that is read least. All chunks count as equally long, so that ranks whose chunks
/// differ by an element keep in step.
///
/// No step is left over. Some execution of verify's does all steps of a proven program; the first one of these that
/// was left over would wait for nothing but earlier ones.
class order_finder {
public:
    /// Precondition: the program is proven, has at most most_peers ranks, and no joined steps.
    explicit order_finder(const schedule::program& p) : replay_(p) {
        for (int r = 0; r < p.size; ++r) {
            auto& mine = ranks_.emplace_back(p.ranks[static_cast<std::size_t>(r)].size());
            for (std::uint32_t i = 0; i < mine.size(); ++i) {
                const schedule::step& s = replay_.of({r, i});
                mine[i].senders = senders_of({r, i});
                mine[i].segment = static_cast<ticks>(schedule::writes_to(s) ? s.to.first : s.from.first) %
                                  static_cast<ticks>(p.segments);
                mine[i].work = ticks_a_vector / static_cast<ticks>(p.chunks) * mine[i].senders.size() *
                               static_cast<ticks>(schedule::width(s));
            }
        }
    }

    /// Of steps that read from ranks that are read alike, the first is one on the earliest segment of a chunk.
    [[nodiscard]] device_orders by_segment() {
        return found([](const facts& of) { return of.segment; });
    }
    /// The first is one that most is yet to be read behind. Precondition: another order has been found before.
    [[nodiscard]] device_orders by_way() {
        measure_ways();
        return found([](const facts& of) { return ~of.way; });
    }

private:
    /// Of a step.
    struct facts {
        std::vector<std::uint8_t> senders; ///< from whose memory it reads; a step that reads from none takes no time
        ticks segment = 0;                 ///< of its first chunk
        ticks work = 0;                    ///< what it reads
        ticks way = 0; ///< what is read from its beginning on, along the longest chain that needs it
    };
    /// The steps of a rank that could begin, by whom they read from. The least goes first: by rule, then as written.
    using ready_steps = std::map<std::vector<std::uint8_t>, std::set<std::pair<ticks, std::uint32_t>>>;

    [[nodiscard]] facts& facts_of(step_at x) { return ranks_[static_cast<std::size_t>(x.rank)][x.step]; }

    [[nodiscard]] std::vector<std::uint8_t> senders_of(step_at x) const {
        std::vector<std::uint8_t> from;
        const auto add = [&](step_at receive) { from.push_back(static_cast<std::uint8_t>(replay_.of(receive).peer)); };
        if (schedule::receives(replay_.of(x)) && !replay_.is_viewed(x)) add(x);
        for (const auto& v : replay_.viewed_by(x)) add({x.rank, static_cast<std::uint32_t>(v.receive)});
        return from;
    }
    /// Steps that need another one have begun later, too.
    void measure_ways() {
        for (auto x = replay_.begun().rbegin(); x != replay_.begun().rend(); ++x) {
            ticks longest = 0;
            replay_.each_behind(*x, [&](step_at later) { longest = std::max(longest, facts_of(later).way); });
            facts_of(*x).way = longest + facts_of(*x).work;
        }
    }

    [[nodiscard]] device_orders found(const auto& rule) {
        replay_.start_anew();
        ports links;
        std::vector<ready_steps> ready(ranks_.size());
        std::vector<std::uint32_t> reading(ranks_.size());
        for (bool moved = true; moved;) {
            replay_.settle([&](step_at x) {
                ready[static_cast<std::size_t>(x.rank)][facts_of(x).senders].insert({rule(facts_of(x)), x.step});
            });
            moved = false;
            for (std::size_t r = 0; r < ranks_.size(); ++r) {
                if (links.reads(r) || ready[r].empty()) continue;
                moved = true;
                const step_at x{static_cast<int>(r), reading[r] = take_best(ready[r], links)};
                replay_.begin(x);
                if (facts_of(x).work == 0)
                    replay_.end(x);
                else
                    links.begin(r, facts_of(x).work, facts_of(x).senders);
            }
            if (!moved)
                links.advance([&](std::size_t r) {
                    moved = true;
                    replay_.end({static_cast<int>(r), reading[r]});
                });
        }
        device_orders all(ranks_.size());
        for (const step_at x : replay_.begun()) all[static_cast<std::size_t>(x.rank)].push_back(x.step);
        return all;
    }
    /// Takes the step that goes first out of those that are ready: one that takes no time, if there is one.
    [[nodiscard]] static std::uint32_t take_best(ready_steps& ready, const ports& links) {
        auto best = ready.begin();
        if (!best->first.empty())
            for (auto other = std::next(best); other != ready.end(); ++other)
                if (std::pair(links.load(other->first), *other->second.begin()) <
                    std::pair(links.load(best->first), *best->second.begin()))
                    best = other;
        const std::uint32_t taken = best->second.begin()->second;
        best->second.erase(best->second.begin());
        if (best->second.empty()) ready.erase(best);
        return taken;
    }

    device_replay replay_;
    std::vector<std::vector<facts>> ranks_; ///< by rank and step
};

} // namespace tutti::kernels::detail
