// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "draw_calls.hpp"

#include <algorithm>

namespace tutti::soak {

namespace {

using std::chrono::milliseconds;

/// So long a call may take where nobody waits for a deadline: a loaded machine is no fault.
constexpr milliseconds ample{25'000};
constexpr std::size_t small_bytes = 64 * 1024, large_bytes = 1 << 20;
constexpr std::size_t least_window = 16 * 1024; // tcp takes no less

family world_family(int ranks) {
    std::vector<int> all;
    for (int r = 0; r < ranks; ++r) all.push_back(r);
    return {std::vector<std::vector<int>>(static_cast<std::size_t>(ranks), all)};
}

/// The groups that communicator::split makes of each group of `parent`.
family split_of(const family& parent, const step& s) {
    family made;
    const auto color = [&](const std::vector<int>& group, int r) {
        const auto at = std::find(group.begin(), group.end(), r) - group.begin();
        return static_cast<int>(at) / s.by % s.colors;
    };
    for (std::size_t r = 0; r < parent.members.size(); ++r) {
        const auto& group = parent.members[r];
        auto& mine = made.members.emplace_back();
        for (const int m : group)
            if (color(group, m) == color(group, static_cast<int>(r))) mine.push_back(m);
        if (s.reversed) std::reverse(mine.begin(), mine.end());
    }
    return made;
}

fault_kind drawn_fault(dice& d, fabric over) {
    using k = fault_kind;
    if (d.chance(35)) return k::none;
    if (over == fabric::memory) return d.one_of({k::mismatch, k::mismatch, k::delay_short, k::delay_long, k::leave});
    const auto what = d.one_of({k::mismatch, k::mismatch, k::mismatch, k::kill, k::kill, k::kill, k::stop_short,
                                k::stop_long, k::stop_long, k::delay_short, k::delay_long, k::late_start, k::refused,
                                k::shortage, k::leave, k::leave});
    // Nobody connects to a rank but over tcp; those of one host share memory.
    return what == k::refused && over == fabric::shared_memory ? k::late_start : what;
}

void draw_place(dice& d, plan& p) {
    p.over = d.one_of({fabric::memory, fabric::shared_memory, fabric::tcp, fabric::tcp, fabric::routed});
    p.ranks = d.chance(85) ? d.between(2, 5) : d.between(6, 8);
    if (p.over == fabric::routed || (p.over == fabric::tcp && d.chance(30)))
        p.hosts = d.between(1, std::min(p.ranks, 3));
    p.six = d.chance(20);
    if (d.chance(30)) p.lanes = d.between(2, 3);
    if (d.chance(30)) p.window_bytes = least_window + d.below(std::uint64_t{60'000});
    if (p.window_bytes > 0) p.contexts_ahead = 1 + p.window_bytes % 7;
    const ranks_set all = (1U << p.ranks) - 1;
    p.progress_threads = d.one_of<ranks_set>({0, 0, all, static_cast<ranks_set>(d.next()) & all});
}

/// Communicators that are there, by number; the world always.
using open_families = std::vector<int>;

step communicator_step(dice& d, plan& p, open_families& open) {
    step s;
    s.what = d.one_of({action::split, action::split, action::duplicate});
    if (open.size() > 1 && d.chance(40)) {
        s.what = action::release;
        const auto which = 1 + d.below(open.size() - 1);
        s.family = open[which];
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
        return s;
    }
    s.parent = open[d.below(open.size())];
    s.family = static_cast<int>(p.families.size());
    s.colors = d.between(1, 3);
    s.by = d.between(1, 2);
    s.reversed = d.chance(30);
    const auto& parent = p.families[static_cast<std::size_t>(s.parent)];
    p.families.push_back(s.what == action::split ? split_of(parent, s) : family{parent});
    open.push_back(s.family);
    return s;
}

/// Ranks fork where nothing is wrong: a child of a killed rank would be left behind.
ranks_set drawn_forks(dice& d, const plan& p) {
    if (p.upset.what != fault_kind::none || !d.chance(15)) return 0;
    return static_cast<ranks_set>(d.next());
}

step calls_step(dice& d, const plan& p, const open_families& open, std::size_t most_bytes) {
    step s;
    const int several = d.chance(65) ? 1 : d.between(2, 6);
    for (int i = 0; i < several; ++i) {
        s.calls.push_back(drawn_call(d, p, open[d.below(open.size())], most_bytes));
        if (several > 1) s.calls.back().repeats = 1;
    }
    s.collect = static_cast<collecting>(d.below(5));
    s.forking = drawn_forks(d, p);
    if (d.chance(20)) {
        s.jitter_us = d.below(3000);
        s.jittering = static_cast<ranks_set>(d.next());
    }
    return s;
}

step barriers(int of_family, int times) {
    step s;
    s.calls.assign(static_cast<std::size_t>(times), call{.family = of_family});
    return s;
}

/// A step in which one rank calls something else; and further calls, in the fourth of which at the latest it shows.
void put_mismatch(dice& d, plan& p, step& s) {
    auto& f = p.upset;
    s.calls.resize(1);
    auto& c = s.calls.front();
    if (p.members(c.family, f.victim).size() < 2) c.family = 0;
    c.how = c.how == mode::prepared ? mode::blocking : c.how;
    c.symmetric = 0;
    c.whole_object = false;
    do f.differs = static_cast<difference>(d.below(5));
    while (!can_differ(c, f.differs));
    if (f.differs == difference::flavour && c.what != operation::allreduce) c.of = flavour::int32_sum;
    // One that has the operation: ring, binomial_tree or chain.
    if (c.algorithm < 0 && c.what != operation::barrier && is_scheduled(c.what)) c.algorithm = is_scan(c.what) ? 9 : 4;
    if (has_root(c.what)) c.algorithm = 7;
    c.of = c.of == flavour::uint32_compose ? flavour::float_sum : c.of;
    f.odd = unlike(d, c, f.differs);
}

void draw_upset(dice& d, plan& p, int steps) {
    auto& f = p.upset;
    f.what = drawn_fault(d, p.over);
    if (f.what == fault_kind::none) return;
    f.victim = d.below(p.ranks);
    f.step = d.below(steps);
    f.pause_us = d.below(d.chance(50) ? 500 : 20'000);
    const bool brief = f.leaves_all_well();
    const auto deadline_ms = static_cast<int>(p.deadline.count());
    f.duration_ms = brief ? d.between(100, 3000) : deadline_ms + 1500;
    if (f.what == fault_kind::late_start) f.duration_ms = d.between(100, 2000);
    if (f.what == fault_kind::refused || f.what == fault_kind::shortage) f.step = d.below(2);
    f.spare = d.below(4);
    p.leaves_at_once = d.chance(60);
    p.aftermath = f.what == fault_kind::kill && f.victim != 0 && p.ranks > 2 && d.chance(40);
    if (p.aftermath) p.leaves_at_once = false; // or some would work on while others still wait for them elsewhere
}

/// All others without the victim: made at once, used by nobody until there has been an error.
void put_others(plan& p, open_families& open) {
    step s;
    s.what = action::split;
    s.family = 1;
    s.colors = 0;
    family made;
    for (int r = 0; r < p.ranks; ++r) {
        auto& mine = made.members.emplace_back();
        for (int m = 0; m < p.ranks; ++m)
            if ((m == p.upset.victim) == (r == p.upset.victim)) mine.push_back(m);
    }
    p.families.push_back(made);
    p.steps.push_back(s);
    open = {0};
}

} // namespace

plan draw(std::uint64_t seed, std::uint64_t world, milliseconds deadline) {
    dice d(mixed(seed) ^ mixed(~world));
    plan p;
    p.seed = seed;
    p.world = world;
    p.deadline = deadline;
    draw_place(d, p);
    p.families.push_back(world_family(p.ranks));
    const int several = d.between(3, 14);
    draw_upset(d, p, several);
    const bool quiet = p.upset.what == fault_kind::none;
    if (p.upset.leaves_all_well()) p.deadline = ample;
    if (quiet && p.over != fabric::memory && d.chance(30)) p.in_turn = d.between(2, 4);

    open_families open{0};
    if (p.aftermath) put_others(p, open);
    const int families_chance = d.one_of({0, 15, 30});
    const int all = quiet ? 2 * several : several;
    for (int i = 0; i < all; ++i) {
        const bool odd = p.upset.what == fault_kind::mismatch && i == p.upset.step;
        if (!odd && d.chance(families_chance)) {
            p.steps.push_back(communicator_step(d, p, open));
            continue;
        }
        p.steps.push_back(calls_step(d, p, open, quiet ? large_bytes : small_bytes * (d.chance(20) ? 8 : 1)));
        if (!odd) continue;
        put_mismatch(d, p, p.steps.back());
        p.upset.step = static_cast<int>(p.steps.size()) - 1;
        const int where = p.steps.back().calls.front().family;
        p.steps.push_back(barriers(where, 8));
    }
    if (!quiet || d.chance(50)) p.steps.push_back(barriers(0, quiet ? 1 : 2));
    // Drawn last: plans of a seed stay as they were.
    p.ends_abruptly = p.upset.what == fault_kind::kill && p.over != fabric::memory && p.leaves_at_once && d.chance(60);
    p.encrypted = (p.over == fabric::tcp || p.over == fabric::routed) && d.chance(40);
    return p;
}

} // namespace tutti::soak
