// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "pipeline.hpp"
#include "common/lists.hpp"

#include <base/error.hpp>
#include <training/pipeline/all.hpp>
#include <training/pipeline/draw.hpp>
#include <training/pipeline/timeline.hpp>
#include <training/pipeline/verify.hpp>

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

namespace pipeline = training::pipeline;

[[nodiscard]] std::string told(const error& e) {
    const fault& f = e.facts();
    return f.detail + (f.remedy.empty() ? "" : "; " + f.remedy);
}

[[nodiscard]] std::vector<pipeline::any> schedules_of(const std::string& list) {
    std::vector<pipeline::any> chosen;
    if (list == "all") return {pipeline::schedules.begin(), pipeline::schedules.end()};
    for (const std::string& name : split_list(list)) chosen.push_back(pipeline::by_name(name));
    return chosen;
}

/// What stands in the table: of the largest shape, and the first worker, which holds most.
struct schedule_row {
    pipeline::shape of;
    long proofs = 0;
    pipeline::figures most;
    double bubble = 0;
    bool one_version = true;
};

/// Numbers to prove: of each schedule all combinations.
struct shapes {
    std::vector<int> stages, microbatches, chunks;
};

[[nodiscard]] shapes shapes_of(const pipeline_proofs& wanted) {
    constexpr int most = 256;
    return {parse_ranks(wanted.stages, most, "stages"), parse_ranks(wanted.microbatches, most, "microbatches"),
            parse_ranks(wanted.chunks, 16, "chunks")};
}

/// Empty, or the fault.
[[nodiscard]] std::string prove(const pipeline::any& a, const pipeline::shape& of, schedule_row& r) {
    const pipeline::program p = a.write(of);
    const pipeline::promise stated = a.promises(of);
    const pipeline::proof found = verify(p, &stated);
    if (!found.proven)
        return fmt::format("{}, {} stages, {} microbatches, {} chunks a worker: {}", a.name, of.stages, of.microbatches,
                           of.chunks, found.fault);
    r.of = of;
    ++r.proofs;
    r.most = found.workers.front();
    r.one_version = r.one_version && found.one_version;
    return {};
}

/// With so many microbatches for each stage it is full for most of the time.
constexpr int many_a_stage = 4;

/// Its gradients are older than its weights, which it updates while microbatches are under way.
[[nodiscard]] bool never_empties(const pipeline::any& a, const pipeline::shape& of) {
    return a.promises({of.stages, many_a_stage * of.stages, of.chunks}).workers.front().staleness > 0;
}

/// The share of the time in which worker 0 is idle, batch after batch. Where it never empties, a microbatch costs in
/// the long run what more of them add. Its start and its end are paid once.
[[nodiscard]] double bubble_of(const pipeline::any& a, const pipeline::shape& of) {
    const double part = of.chunks; // of a stage's time
    const pipeline::costs costs{.forward_s = 1 / part, .backward_s = 2 / part};
    const pipeline::shape few{of.stages, many_a_stage * of.stages, of.chunks},
        many{of.stages, 2 * few.microbatches, of.chunks};
    if (!never_empties(a, of)) return timeline_of(a.write(of), costs).bubble(0);
    const auto before = timeline_of(a.write(few), costs), after = timeline_of(a.write(many), costs);
    return 1 - (after.busy_s[0] - before.busy_s[0]) / (after.makespan_s - before.makespan_s);
}

void print(const pipeline::any& a, const schedule_row& r) {
    const double part = r.of.chunks;
    fmt::print("  {:<24} {:>7} {:>6} {:>6} {:>6} {:>8.1f}% {:>12.2f} {:>9} {:>10} {:>8}\n", a.name, r.proofs,
               r.of.stages, r.of.microbatches, r.of.chunks, 100 * bubble_of(a, r.of), r.most.activations / part,
               r.most.versions, r.most.staleness, r.one_version ? "one" : "several");
    std::fflush(stdout);
}

[[nodiscard]] std::string prove_all(const shapes& wanted, const pipeline::any& a, long& proofs) {
    schedule_row r;
    const std::vector<int> chunks = a.takes_chunks ? wanted.chunks : std::vector<int>{1};
    for (const int v : chunks)
        for (const int s : wanted.stages)
            for (const int m : wanted.microbatches)
                if (auto fault = prove(a, {s, m, v}, r); !fault.empty()) return fault;
    proofs += r.proofs;
    if (never_empties(a, r.of) && r.of.microbatches < many_a_stage * r.of.stages) { // what it holds in the long run
        schedule_row full;
        if (auto fault = prove(a, {r.of.stages, many_a_stage * r.of.stages, r.of.chunks}, full); !fault.empty())
            return fault;
        r.most = full.most;
        r.one_version = r.one_version && full.one_version;
    }
    print(a, r);
    return {};
}

} // namespace

int prove_pipelines(const pipeline_proofs& wanted) {
    const auto start = std::chrono::steady_clock::now();
    long proofs = 0;
    try {
        const std::vector<pipeline::any> schedules = schedules_of(wanted.schedules);
        const shapes all = shapes_of(wanted);
        fmt::print(
            "# Proven of each pipeline: it completes without buffers, each microbatch passes each chunk once\n"
            "# forwards and once backwards with the same weights, and it holds no more than it promises.\n"
            "# Figures are of the largest shape, with backward twice as long as forward, of worker 0, and in the\n"
            "# long run: one batch follows the other. A pipeline that updates its weights while microbatches are\n"
            "# under way never empties, however few they are, and pays its start and its end but once.\n");
        fmt::print("# {:<24} {:>7} {:>6} {:>6} {:>6} {:>9} {:>12} {:>9} {:>10} {:>8}\n", "pipeline", "proofs", "stages",
                   "micro", "chunks", "bubble", "activations", "versions", "staleness", "weights");
        for (const pipeline::any& a : schedules)
            if (const auto fault = prove_all(all, a, proofs); !fault.empty()) {
                std::fflush(stdout);
                fmt::print(stderr, "tutti verify: {}\n", fault);
                return 1;
            }
    } catch (const error& e) {
        throw std::invalid_argument(told(e));
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("# {} pipeline{} proven in {:.1f} s\n", proofs, proofs == 1 ? "" : "s", seconds);
    return 0;
}

std::string drawn_pipeline(const pipeline_drawing& wanted, bool svg) {
    try {
        const pipeline::any a = pipeline::by_name(wanted.schedule);
        const int chunks = wanted.chunks > 0 ? wanted.chunks : a.takes_chunks ? 2 : 1;
        const pipeline::shape of{wanted.stages, wanted.microbatches, chunks};
        const pipeline::program p = a.write(of);
        const auto t = timeline_of(p, {.forward_s = 1. / chunks, .backward_s = 2. / chunks});
        std::string title = fmt::format("{}, {} worker{}, {} microbatch{}", a.name, of.stages,
                                        of.stages == 1 ? "" : "s", of.microbatches, of.microbatches == 1 ? "" : "es");
        if (chunks > 1) title += fmt::format(", {} chunks a worker", chunks);
        return svg ? pipeline_svg(p, t, title) : pipeline_text(p, t, title);
    } catch (const error& e) {
        throw std::invalid_argument(told(e));
    }
}

} // namespace tutti::tools
