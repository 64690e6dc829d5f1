// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "algorithms.hpp"
#include "draw_calls.hpp"

#include <array>
#include <string>

namespace tutti::soak {

namespace {

std::string in_words(ranks_set set, int ranks) {
    std::string text;
    for (int r = 0; r < ranks; ++r)
        if (holds(set, r)) text += (text.empty() ? "" : ", ") + std::to_string(r);
    return text.empty() ? "none" : text;
}

std::string in_words(const family& f) {
    std::string text;
    for (std::size_t r = 0; r < f.members.size(); ++r) {
        const auto& group = f.members[r];
        if (group.front() != static_cast<int>(r)) continue; // each group once: where its first rank is
        text += text.empty() ? "{" : " {";
        for (const int m : group) text += (m == group.front() ? "" : " ") + std::to_string(m);
        text += "}";
    }
    return text;
}

std::string in_words(const plan& p, const step& s) {
    const auto of = [&](int f) { return "communicator " + std::to_string(f); };
    switch (s.what) {
    case action::split:
    case action::duplicate:
        return of(s.family) + (s.what == action::split ? " is split off " : " duplicates ") + of(s.parent) + ": " +
               in_words(p.families[static_cast<std::size_t>(s.family)]);
    case action::release: return of(s.family) + " goes";
    case action::calls: break;
    }
    constexpr std::array collected{"waited for in turn", "tested", "wait_all", "wait_any", "stepped"};
    std::string text = s.calls.size() == 1 ? "" : std::string(collected[static_cast<std::size_t>(s.collect)]) + ": ";
    for (const auto& c : s.calls) {
        text += (&c == s.calls.data() ? "" : "; ") + in_words(c);
        if (c.in_place != 0) text += ", in place at " + in_words(c.in_place, p.ranks);
        if (c.symmetric != 0) text += ", symmetric at " + in_words(c.symmetric, p.ranks);
    }
    if (s.forking != 0) text += "; child processes of " + in_words(s.forking, p.ranks) + " meanwhile";
    return text;
}

std::string in_words(const fault& f) {
    const auto who = "rank " + std::to_string(f.victim);
    const auto where = "step " + std::to_string(f.step);
    const auto ms = std::to_string(f.duration_ms) + " ms";
    const auto after = std::to_string(f.pause_us) + " us after it has begun " + where;
    switch (f.what) {
    case fault_kind::none: return "nothing";
    case fault_kind::mismatch: return who + " calls in " + where + " instead: " + in_words(f.odd);
    case fault_kind::kill: return who + " is killed " + after;
    case fault_kind::stop_short: return who + " is stopped for " + ms + ", " + after;
    case fault_kind::stop_long: return who + " is stopped, " + after + ", until the others have been told";
    case fault_kind::delay_short:
    case fault_kind::delay_long: return who + " sleeps for " + ms + " before " + where;
    case fault_kind::late_start: return who + " starts " + ms + " late";
    case fault_kind::refused: return who + " refuses connections from " + where + " on";
    case fault_kind::shortage:
        return who + " can open " + std::to_string(f.spare) + " more descriptors from " + where + " on";
    case fault_kind::leave: return who + " leaves in good order before " + where;
    }
    return {};
}

} // namespace

const char* name_of(fault_kind f) noexcept {
    constexpr std::array names{"none",       "mismatch",   "kill",    "stop short", "stop long", "delay short",
                               "delay long", "late start", "refused", "shortage",   "leave"};
    static_assert(names.size() == fault_kinds);
    return names[static_cast<std::size_t>(f)];
}

const char* name_of(fabric f) noexcept {
    constexpr std::array names{"memory", "shared_memory", "tcp", "routed", "verbs"};
    return names[static_cast<std::size_t>(f)];
}

std::string in_words(const call& c) {
    constexpr std::array kinds{"uint8 sum",      "int32 sum",   "int32 maximum",         "float sum",
                               "double product", "float16 sum", "uint32 non_commutative"};
    constexpr std::array modes{"", " non-blocking", " prepared"};
    static_assert(kinds.size() == flavours);
    std::string text{c.what == operation::barrier    ? "barrier"
                     : c.what == operation::exchange ? "exchange"
                                                     : name_of(scheduled(c.what))};
    const auto on = " on " + std::to_string(c.family);
    if (c.what == operation::barrier) return text + on;
    text += c.algorithm < 0 ? std::string("(auto)") : "(" + std::string(named(c).name()) + ")";
    text += " of " + std::to_string(c.count) + " " + kinds[static_cast<std::size_t>(c.of)];
    if (has_root(c.what)) text += ", root " + std::to_string(c.root);
    return text + modes[static_cast<std::size_t>(c.how)] + on;
}

std::string in_words(const plan& p) {
    std::string text = "world " + std::to_string(p.world) + " of seed " + std::to_string(p.seed) + ": " +
                       std::to_string(p.ranks) + " ranks over " + name_of(p.over);
    if (p.hosts > 1) text += ", on " + std::to_string(p.hosts) + " pretended hosts";
    if (p.over == fabric::tcp || p.over == fabric::routed) {
        if (p.six) text += ", over IPv6";
        if (p.encrypted) text += ", encrypted";
        if (p.lanes > 1) text += ", " + std::to_string(p.lanes) + " lanes";
        if (p.window_bytes > 0) text += ", windows of " + std::to_string(p.window_bytes) + " bytes";
        if (p.contexts_ahead > 0) text += ", " + std::to_string(p.contexts_ahead) + " contexts ahead";
    }
    text += ", by waiters at " + in_words(p.progress_threads, p.ranks) + ", deadline " +
            std::to_string(p.deadline.count()) + " ms";
    if (p.in_turn > 1) text += ", made " + std::to_string(p.in_turn) + " times in turn";
    text += p.ends_abruptly    ? ", who has got an error ends without a destructor\n"
            : p.leaves_at_once ? "\n"
                               : ", who has got an error waits for the others\n";
    for (std::size_t i = 0; i < p.steps.size(); ++i)
        text += "  step " + std::to_string(i) + ": " + in_words(p, p.steps[i]) + "\n";
    text += "  what happens: " + in_words(p.upset) + "\n";
    return text;
}

} // namespace tutti::soak
