// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "waiting.hpp"
#include "bench_barrier.hpp"

#include <transport/control/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

namespace bootstrap = transport::bootstrap;
using transport::status::call_told;

/// Where nothing has moved for less, ranks are only on their way.
constexpr double least_wait_s = 0.2;
constexpr std::size_t most_lines = 48; ///< of a drawing

/// Its page says the truth about whom it waits for, and it goes on by itself once that comes.
bool may_go_on(const observed_rank& r) { return r.state == rank_state::in_call; }

/// The job as the coordinator would see it, with what each page tells as that rank's answer. Ranks that are stopped or
/// elsewhere would not answer.
struct inquiry {
    explicit inquiry(const observed_job& job) : ranks(static_cast<std::size_t>(job.size)) {
        for (const observed_rank& r : job.ranks) {
            if (r.state == rank_state::dead) ranks[static_cast<std::size_t>(r.rank)].now = bootstrap::standing::lost;
            if (r.state == rank_state::left) ranks[static_cast<std::size_t>(r.rank)].now = bootstrap::standing::left;
            if (may_go_on(r) || r.state == rank_state::outside) answers.emplace(r.rank, answer_of(r));
            if (r.told) told.emplace(r.rank, answer_of(r));
        }
        choose_report(job);
    }

    [[nodiscard]] bool any() const { return report.rank >= 0; }
    [[nodiscard]] bootstrap::diagnosis facts() const { return {report, answers, ranks}; }
    /// The first calls that two ranks made unlike, in a sentence: of all ranks, also of those that would not answer.
    [[nodiscard]] std::optional<std::string> difference() const {
        const bootstrap::diagnosis all{report, told, ranks};
        const auto found = bootstrap::detail::difference_of_calls(all, bootstrap::wait_graph(all));
        return found ? std::optional(bootstrap::detail::difference_in_words(all, *found)) : std::nullopt;
    }

    transport::notice report;
    std::map<int, transport::notice> answers;
    std::map<int, transport::notice> told; ///< by the pages of all ranks
    bootstrap::rank_records ranks;

private:
    static transport::notice answer_of(const observed_rank& r) {
        transport::notice n;
        n.rank = r.rank;
        for (const call_told& c : calls_of(r)) {
            n.waits.push_back({c.communicator, c.request, c.blocks, {c.peers.begin(), c.peers.end()}, c.words});
            if (c.signature != 0) n.calls.push_back({c.communicator, c.request, c.signature, c.words});
        }
        return n;
    }
    /// The call that its rank has waited for longest.
    void choose_report(const observed_job& job) {
        double longest = least_wait_s;
        for (const observed_rank& r : job.ranks)
            if (may_go_on(r))
                for (const call_told& c : calls_of(r)) {
                    const double waits = seconds_since(r, c.since);
                    if (!c.blocks || waits < longest) continue;
                    longest = waits;
                    report.rank = r.rank, report.communicator = c.communicator, report.request = c.request;
                    report.call = c.words;
                }
    }
};

std::string subject_of(const observed_rank& r) {
    const bool is_numbered = r.told && r.told->global_rank >= 0;
    return fmt::format("rank {}", r.rank) + (is_numbered ? fmt::format(", global rank {}", r.told->global_rank) : "") +
           (r.pid > 0 ? fmt::format(" (process {} on {})", r.pid, r.host) : "");
}

std::string last_call_of(const observed_rank& r) {
    if (!r.told || r.told->entered == 0) return "it has made no call yet";
    return "its last call began " + duration_text(seconds_since(r, r.told->entered)) + " ago";
}

std::string sentence_on_root(const observed_rank& r, bool is_alone) {
    const std::string who = subject_of(r);
    switch (r.state) {
    case rank_state::stopped: return who + " is stopped by a signal (SIGCONT lets it go on) or by a debugger";
    case rank_state::dead: return who + " is dead: its process ended without leaving";
    case rank_state::left: return who + " has left";
    case rank_state::outside:
        return who + " is outside of all calls: its program computes, sleeps or waits; " + last_call_of(r);
    case rank_state::elsewhere:
        return who + " has calls under way and has not looked at them for " +
               duration_text(seconds_since(r, std::max(r.told->looked, r.told->entered))) +
               ": its program does something else, or an operator takes long";
    case rank_state::silent: return who + " does not answer: it is outside of all calls, or stopped";
    case rank_state::in_call:
        if (is_alone) return who + " is in that call and waits for nobody: its own work is not done";
        return who + " is in another call";
    case rank_state::unknown: break;
    }
    return who + " has no status page on this host: it has left, or runs elsewhere";
}

std::string kind_of(const observed_rank& r) {
    switch (r.state) {
    case rank_state::in_call: return "alone";
    case rank_state::outside: return "outside";
    default: return name_of(r.state);
    }
}

std::string waiters_text(const std::vector<int>& waiters, int size) {
    if (waiters.empty()) return "";
    if (static_cast<int>(waiters.size()) == size - 1 && size > 2) return "; all others wait for it";
    return "; " + ranks_text(waiters) + (waiters.size() == 1 ? " waits for it" : " wait for it");
}

/// For whom each rank's program waits: by its first call that blocks.
std::vector<std::pair<int, int>> waits_in(const observed_job& job) {
    std::vector<std::pair<int, int>> all;
    for (const observed_rank& r : job.ranks)
        for (const call_told& c : calls_of(r)) {
            if (!c.blocks) continue;
            for (const int peer : c.peers)
                if (peer != r.rank) all.emplace_back(r.rank, peer);
            break;
        }
    return all;
}

/// Whom ranks wait for, as a tree that grows from the root: each rank once, below the first that leads to it.
std::string tree_text(const observed_job& job, const std::vector<std::pair<int, int>>& waits, int root) {
    std::map<int, std::vector<int>> waiters;
    for (const auto& [from, to] : waits) waiters[to].push_back(from);
    std::vector<bool> met(static_cast<std::size_t>(job.size), false);
    std::vector<std::pair<int, std::size_t>> reached{{root, 0}}; // with depth, in the order of their meeting
    std::map<int, int> parent;
    met[static_cast<std::size_t>(root)] = true;
    for (std::size_t k = 0; k < reached.size(); ++k)
        for (const int w : waiters[reached[k].first]) {
            if (met[static_cast<std::size_t>(w)]) continue;
            met[static_cast<std::size_t>(w)] = true;
            parent[w] = reached[k].first;
            reached.emplace_back(w, reached[k].second + 1);
        }
    std::map<int, std::vector<int>> children;
    for (const auto& [child, of] : parent) children[of].push_back(child);
    std::string text = fmt::format("rank {}: {}\n", root, name_of(job.ranks[static_cast<std::size_t>(root)].state));
    std::vector<std::pair<int, std::size_t>> stack;
    const auto push_children = [&](int of, std::size_t depth) {
        for (auto c = children[of].rbegin(); c != children[of].rend(); ++c) stack.emplace_back(*c, depth);
    };
    push_children(root, 1);
    for (std::size_t lines = 1; !stack.empty(); ++lines) {
        if (lines == most_lines) return text + fmt::format("and {} more\n", reached.size() - lines);
        const auto [rank, depth] = stack.back();
        stack.pop_back();
        text += fmt::format("{:{}}<- rank {} waits for rank {}\n", "", 3 * (depth - 1), rank, parent[rank]);
        push_children(rank, depth + 1);
    }
    return text;
}

explanation of_circle(const bootstrap::diagnosis& facts, const bootstrap::wait_graph& graph) {
    explanation e;
    const auto circle = graph.circle();
    if (circle.empty()) {
        e.kind = "none";
        e.sentence = "no reason is seen from here why ranks wait";
        return e;
    }
    e.kind = "circle";
    e.sentence = bootstrap::detail::circle_verdict(facts, circle).text;
    for (const auto& n : circle) e.drawing += fmt::format("rank {} -> ", n.rank);
    e.drawing += fmt::format("rank {}\n", circle.front().rank);
    return e;
}

explanation of_root(const observed_job& job, const bootstrap::wait_graph& graph,
                    const bootstrap::wait_graph::root& root) {
    explanation e;
    const observed_rank& r = job.ranks[static_cast<std::size_t>(root.rank)];
    e.kind = kind_of(r);
    e.rank = root.rank;
    e.sentence = sentence_on_root(r, root.why == bootstrap::absence::alone) +
                 waiters_text(graph.waiters_for(root).all, job.size);
    return e;
}

/// Nobody waits now; but those that waited for a dead rank may have given up.
explanation without_waiting(const observed_job& job) {
    explanation e;
    e.kind = "none";
    e.sentence = "no rank has waited for more than 0.2 s";
    for (const observed_rank& r : job.ranks) {
        if (r.state != rank_state::dead) continue;
        e.kind = kind_of(r);
        e.rank = r.rank;
        e.sentence = sentence_on_root(r, false) + "; " + e.sentence;
        break;
    }
    return e;
}

/// Who is stopped or dead is the reason; else the first that has not come.
explanation of_bench_barrier(const observed_job& job, const bench_barrier& b) {
    const auto holds_up = [&](int rank) {
        const rank_state s = job.ranks[static_cast<std::size_t>(rank)].state;
        return s == rank_state::stopped || s == rank_state::dead;
    };
    const auto found = std::ranges::find_if(b.missing, holds_up);
    explanation e;
    e.rank = found == b.missing.end() ? b.missing.front() : *found;
    const observed_rank& r = job.ranks[static_cast<std::size_t>(e.rank)];
    e.kind = kind_of(r);
    e.sentence =
        sentence_on_root(r, false) + waiters_text(b.waiting, job.size) + " in the barrier of tutti bench itself";
    for (const int from : b.waiting) e.waits.emplace_back(from, e.rank);
    e.drawing = tree_text(job, e.waits, e.rank);
    return e;
}

} // namespace

std::string duration_text(double seconds) {
    if (seconds < 120) return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<long long>(seconds);
    if (whole < 7200) return fmt::format("{} min {} s", whole / 60, whole % 60);
    return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string ranks_text(const std::vector<int>& ranks) { return bootstrap::detail::ranks_in_words(ranks); }

explanation explain_waiting(const observed_job& job) {
    const inquiry asked(job);
    if (!asked.any()) {
        const auto barrier = bench_barrier_of(job);
        return barrier ? of_bench_barrier(job, *barrier) : without_waiting(job);
    }
    const auto facts = asked.facts();
    const bootstrap::wait_graph graph(facts);
    const auto root = graph.find_root();
    explanation e = root ? of_root(job, graph, *root) : of_circle(facts, graph);
    e.waits = waits_in(job);
    if (root) e.drawing = tree_text(job, e.waits, root->rank);
    // Who is dead or stopped holds all up, whatever was called.
    if (e.kind == "dead" || e.kind == "stopped") return e;
    if (const auto difference = asked.difference()) {
        e.kind = "mismatch";
        e.sentence = *difference;
    }
    return e;
}

} // namespace tutti::tools
