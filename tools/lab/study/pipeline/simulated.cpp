// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "simulated.hpp"

#include "../page.hpp"
#include "four.hpp"

#include <training/pipeline/all.hpp>
#include <training/pipeline/draw.hpp>
#include <training/pipeline/timeline.hpp>
#include <training/pipeline/verify.hpp>

#include <array>
#include <cmath>

namespace tutti::tools::study::pipeline {
namespace {

namespace pipes = training::pipeline;

constexpr std::array all_stages{2, 4, 8, 16};
constexpr std::array all_microbatches{1, 2, 4, 8, 16, 32, 64};

pipes::timeline timeline_of(std::string_view schedule, const pipes::shape& of) {
    return pipes::timeline_of(pipes::by_name(schedule).write(of), {1. / of.chunks, 2. / of.chunks});
}

json idle_of(const std::string& name, const char* style, std::size_t hue, const auto& value) {
    json made = series(name, list_of(all_microbatches.size(), [&](std::size_t i) {
                           return json{{"x", all_microbatches[i]}, {"y", 100 * value(all_microbatches[i])}};
                       }));
    made.update({{"style", style}, {"hue", hue}});
    return made;
}

json bubbles_by_stages() {
    json all = json::array();
    for (std::size_t i = 0; i < all_stages.size(); ++i) {
        const int stages = all_stages[i];
        all.push_back(idle_of(fmt::format("{} stages", stages), "points", i, [&](int m) {
            return bubble_of("one_f_one_b", {stages, m, 1});
        }));
        all.push_back(idle_of(fmt::format("formula, {} stages", stages), "dashed", i, [&](int m) {
            return formula_of_bubble({stages, m, 1});
        }));
    }
    return chart("GPipe and 1F1B: points from the steps, lines (S-1)/(M+S-1)", "microbatches M", "idle, % of the time",
                 all, {"powers_of_two"});
}

json bubbles_by_schedule() {
    constexpr std::array shown{four[0], four[1], four[2], shown_schedule{"interleaved, 4 chunks", "interleaved", 4}};
    json all = json::array();
    for (std::size_t hue = 0; hue < shown.size(); ++hue) // the first two are equal
        all.push_back(idle_of(shown[hue].words, hue == 1 ? "points" : "line", hue, [&](int m) {
            return bubble_of(shown[hue].schedule, {8, m, shown[hue].chunks});
        }));
    // It goes on over eight batches of M, and pays for the start and the end once.
    all.push_back(idle_of("PipeDream, 8 batches in a run", "line", shown.size(), [](int m) {
        return bubble_of("pipedream", {8, 8 * m, 1});
    }));
    return chart("8 stages, by schedule", "microbatches M of a batch", "idle, % of the time", all, {"powers_of_two"});
}

/// One bar a stage, out of a proof of each schedule.
json bars_by_stage(const std::string& title, const std::string& unit, const auto& shown, const auto& value) {
    constexpr int stages = 8, microbatches = 32;
    return bars(title, "stage", unit, list_of(stages, [](std::size_t s) { return std::to_string(s); }),
                list_of(shown.size(), [&](std::size_t n) {
                    const shown_schedule& s = shown[n];
                    const pipes::proof found =
                        pipes::verify(pipes::by_name(s.schedule).write({stages, microbatches, s.chunks}));
                    return series(s.words, list_of(found.workers.size(), [&](std::size_t i) {
                                      return json{{"y", value(found.workers[i]) / static_cast<double>(s.chunks)}};
                                  }));
                }));
}

} // namespace

double bubble_of(std::string_view schedule, const pipes::shape& of) {
    const pipes::timeline t = timeline_of(schedule, of);
    double sum = 0;
    for (int worker = 0; worker < of.stages; ++worker) sum += t.bubble(worker);
    return sum / of.stages;
}

double formula_of_bubble(const pipes::shape& of) {
    const double start = (of.stages - 1) / static_cast<double>(of.chunks);
    return start / (of.microbatches + start);
}

double largest_difference_of_bubble() {
    double most = 0;
    for (const int stages : all_stages)
        for (const int m : all_microbatches)
            for (const char* schedule : {"gpipe", "one_f_one_b"})
                most =
                    std::max(most, std::abs(bubble_of(schedule, {stages, m, 1}) - formula_of_bubble({stages, m, 1})));
    return most;
}

json bubble_charts() { return {bubbles_by_stages(), bubbles_by_schedule()}; }

json held_charts() {
    constexpr std::array stale{four[3], shown_schedule{"PipeDream, vertical sync", "pipedream_vertical_sync", 1},
                               shown_schedule{"PipeDream-2BW", "pipedream_2bw", 1}};
    return {
        bars_by_stage("Activations alive at most, 8 stages and 32 microbatches", "microbatches on a whole stage", four,
                      [](const pipes::figures& f) { return f.activations; }),
        bars_by_stage("Versions of the weights", "versions", stale, [](const pipes::figures& f) { return f.versions; }),
        bars_by_stage("Staleness of the gradients", "updates", stale,
                      [](const pipes::figures& f) { return f.staleness; })};
}

json timelines() {
    return list_of(four.size(), [](std::size_t i) {
        const shown_schedule& s = four[i];
        const pipes::shape of{4, 8, s.chunks};
        const std::string title = fmt::format("{}: 4 stages, 8 microbatches", s.words);
        return json{{"title", title},
                    {"svg", pipeline_svg(pipes::by_name(s.schedule).write(of), timeline_of(s.schedule, of), title)}};
    });
}

} // namespace tutti::tools::study::pipeline
