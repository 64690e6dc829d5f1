// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/algorithm/all.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// For tests that try schedules which are wrong in one place.
namespace tutti::test {

using namespace tutti::schedule;

inline constexpr std::array kinds{"drop", "duplicate", "swap", "peer",   "first",    "count",
                                  "from", "to",        "side", "action", "operands", "joined"};
inline constexpr int operands_kind = 10;

/// Single random mutations of schedules that the library's algorithms wrote.
class mutator {
public:
    explicit mutator(unsigned seed) : random_(seed) {}

    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

    program schedule_for(int kind) {
        for (;;)
            if (program p = schedule(); kind != operands_kind || of_many(p.ranks[0]) != p.ranks[0].end()) return p;
    }
    program schedule() {
        const auto algorithms = tutti::algorithm::all(2 + below(2));
        for (;;) {
            const auto& a = algorithms[static_cast<std::size_t>(below(static_cast<int>(algorithms.size())))];
            const operation o = operations[static_cast<std::size_t>(below(static_cast<int>(operations.size())))];
            const int size = 2 + below(8);
            if (a.offers(o)) return a.write(o, size, has_root(o) ? below(size) : 0, below(2) == 1, 1 + below(2));
        }
    }
    /// Changes one step of a program that has one of the kind. May happen to change nothing.
    void mutate(program& p, int kind) {
        const auto has_none = [&](std::vector<step>& all) {
            return kind == operands_kind ? of_many(all) == all.end() : all.empty();
        };
        auto* steps = &p.ranks[static_cast<std::size_t>(below(p.size))];
        while (has_none(*steps)) steps = &p.ranks[static_cast<std::size_t>(below(p.size))];
        const int i = below(static_cast<int>(steps->size()));
        const auto at = steps->begin() + i;
        switch (kind) {
        case 0: steps->erase(at); break;
        case 1: steps->insert(at, step(*at)); break;
        case 2:
            if (at + 1 != steps->end()) std::swap(*at, *(at + 1));
            break;
        case 3: at->peer = below(p.size + 1); break;
        case 4: shift(*at, p, false); break;
        case 5: shift(*at, p, true); break;
        case 6: at->from.where = static_cast<buffer>(below(4)); break;
        case 7: at->to.where = static_cast<buffer>(below(4)); break;
        case 8: flip(*std::find_if(at, steps->end() - 1, has_sides)); break;
        case 9: become(*at, static_cast<action>(below(6)), p); break;
        case operands_kind: change_operands(*of_many(*steps)); break;
        default: join(p, *steps, i);
        }
    }

private:
    /// Both places together half of the time, since a step that names two different ranges is rejected for that alone.
    void shift(step& s, const program& p, bool count) {
        const int by = below(2) == 0 ? 1 : -1, which = below(4);
        for (place* x : {&s.from, &s.to}) {
            if ((which == 0 && x == &s.from) || (which == 1 && x == &s.to)) continue;
            if (count)
                x->count += by;
            else
                x->first = (x->first + by + p.chunks) % p.chunks;
        }
    }
    /// Of a send, mostly: joins it to the next step, or no more, and what receives it, half of the time.
    void join(program& p, std::vector<step>& steps, int i) {
        auto at = std::find_if(steps.begin() + i, steps.end(), sends);
        if (at == steps.end()) at = steps.begin() + i;
        at->joined = !at->joined;
        if (!sends(*at) || at->peer < 0 || at->peer >= p.size || below(2) == 0) return;
        const int rank = static_cast<int>(&steps - p.ranks.data());
        const auto to_peer = [&](const step& s) { return sends(s) && s.peer == at->peer; };
        auto left = std::count_if(steps.begin(), at, to_peer);
        for (step& s : p.ranks[static_cast<std::size_t>(at->peer)])
            if (receives(s) && s.peer == rank && left-- == 0) s.joined = at->joined;
    }
    static bool has_sides(const step& s) { return s.what == action::receive_reduce || s.what == action::reduce; }
    static void flip(step& s) { s.other = s.other == side::left ? side::right : side::left; }
    void become(step& s, action what, const program& p) {
        if (!reads_from(s)) s.from = s.to;
        if (!writes_to(s)) s.to = {buffer::output, s.from.first, s.from.count};
        if (!communicates(s)) s.peer = below(p.size);
        if (what == action::reduce_many && s.extra == 0) s.more[s.extra++] = static_cast<buffer>(below(4));
        s.what = what;
    }
    /// One more or less, another buffer, or two of them swapped.
    void change_operands(step& s) {
        buffer& one = s.more[static_cast<std::size_t>(below(s.extra))];
        switch (below(4)) {
        case 0: --s.extra; break;
        case 1: ++s.extra; break;
        case 2: one = static_cast<buffer>(below(2 + s.extra)); break;
        default: std::swap(one, s.from.where);
        }
    }
    static std::vector<step>::iterator of_many(std::vector<step>& steps) {
        return std::find_if(steps.begin(), steps.end(), [](const step& s) { return s.what == action::reduce_many; });
    }

    std::minstd_rand random_;
};

/// All steps of all ranks, for a failure to be understood.
inline std::string listing(const program& p) {
    std::string text{name_of(p.what)};
    text +=
        " root " + std::to_string(p.root) + (p.in_place ? " in place" : "") + ", chunks " + std::to_string(p.chunks);
    const auto show = [](const place& x) {
        return std::to_string(index_of(x.where)) + "[" + std::to_string(x.first) + "+" + std::to_string(x.count) + ")";
    };
    const auto extra = [](const step& s) {
        std::string all;
        for (int k = 1; k < sources(s); ++k) all += "," + std::to_string(index_of(source(s, k).where));
        return all;
    };
    for (const auto& steps : p.ranks) {
        text += "\nrank";
        for (const step& s : steps)
            text += "\n  " + std::to_string(static_cast<int>(s.what)) + " peer " + std::to_string(s.peer) + " " +
                    show(s.from) + extra(s) + " " + show(s.to) + (s.other == side::left ? " left" : " right") +
                    (s.joined ? " joined" : "");
    }
    return text;
}

} // namespace tutti::test
