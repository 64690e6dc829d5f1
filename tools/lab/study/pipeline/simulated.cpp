// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "simulated.hpp"

#include "four.hpp"

#include <training/pipeline/all.hpp>
#include <training/pipeline/draw.hpp>
#include <training/pipeline/timeline.hpp>
#include <training/pipeline/verify.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutti::tools::study::pipeline {
namespace {

namespace pipes = training::pipeline;
using page_json = nlohmann::ordered_json;

constexpr std::array all_stages{2, 4, 8, 16};
constexpr std::array all_microbatches{1, 2, 4, 8, 16, 32, 64};

pipes::timeline timeline_of(std::string_view schedule, const pipes::shape& of) {
    return pipes::timeline_of(pipes::by_name(schedule).write(of), {1. / of.chunks, 2. / of.chunks});
}

page_json series_of(const std::string& name, const char* style, std::size_t hue, const auto& value) {
    page_json points = page_json::array();
    for (const int m : all_microbatches) points.push_back({{"x", m}, {"y", 100 * value(m)}});
    return {{"name", name}, {"style", style}, {"hue", hue}, {"points", std::move(points)}};
}

page_json bubbles_by_stages() {
    page_json series = page_json::array();
    for (std::size_t i = 0; i < all_stages.size(); ++i) {
        const int stages = all_stages[i];
        series.push_back(series_of(fmt::format("{} stages", stages), "points", i, [&](int m) {
            return bubble_of("one_f_one_b", {stages, m, 1});
        }));
        series.push_back(series_of(fmt::format("formula, {} stages", stages), "dashed", i, [&](int m) {
            return formula_of_bubble({stages, m, 1});
        }));
    }
    return {{"kind", "lines"},
            {"powers_of_two", true},
            {"x", "microbatches M"},
            {"y", "idle, % of the time"},
            {"series", std::move(series)},
            {"title", "GPipe and 1F1B: points from the steps, lines (S-1)/(M+S-1)"}};
}

page_json bubbles_by_schedule() {
    constexpr std::array shown{four[0], four[1], four[2], shown_schedule{"interleaved, 4 chunks", "interleaved", 4}};
    page_json series = page_json::array();
    std::size_t hue = 0;
    for (const shown_schedule& s : shown) {
        const char* const style = hue == 1 ? "points" : "line"; // the first two are equal
        series.push_back(series_of(s.words, style, hue++, [&](int m) {
            return bubble_of(s.schedule, {8, m, s.chunks});
        }));
    }
    // It goes on over eight batches of M, and pays for the start and the end once.
    series.push_back(series_of("PipeDream, 8 batches in a run", "line", hue, [](int m) {
        return bubble_of("pipedream", {8, 8 * m, 1});
    }));
    return {{"kind", "lines"},
            {"powers_of_two", true},
            {"x", "microbatches M of a batch"},
            {"y", "idle, % of the time"},
            {"series", std::move(series)},
            {"title", "8 stages, by schedule"}};
}

/// One bar a stage, out of a proof of each schedule.
page_json bars(const std::string& title, const std::string& unit, const auto& shown, const auto& value) {
    constexpr int stages = 8, microbatches = 32;
    page_json series = page_json::array(), labels = page_json::array();
    for (int s = 0; s < stages; ++s) labels.push_back(std::to_string(s));
    for (const shown_schedule& s : shown) {
        const pipes::proof found = pipes::verify(pipes::by_name(s.schedule).write({stages, microbatches, s.chunks}));
        page_json points = page_json::array();
        for (const pipes::figures& f : found.workers)
            points.push_back(page_json{{"y", value(f) / static_cast<double>(s.chunks)}});
        series.push_back({{"name", s.words}, {"points", std::move(points)}});
    }
    return {{"kind", "bars"},
            {"x", "stage"},
            {"y", unit},
            {"title", title},
            {"labels", std::move(labels)},
            {"series", std::move(series)}};
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

page_json bubble_charts() { return {bubbles_by_stages(), bubbles_by_schedule()}; }

page_json held_charts() {
    constexpr std::array stale{four[3], shown_schedule{"PipeDream, vertical sync", "pipedream_vertical_sync", 1},
                               shown_schedule{"PipeDream-2BW", "pipedream_2bw", 1}};
    return {bars("Activations alive at most, 8 stages and 32 microbatches", "microbatches on a whole stage", four,
                 [](const pipes::figures& f) { return f.activations; }),
            bars("Versions of the weights", "versions", stale, [](const pipes::figures& f) { return f.versions; }),
            bars("Staleness of the gradients", "updates", stale, [](const pipes::figures& f) { return f.staleness; })};
}

page_json timelines() {
    page_json all = page_json::array();
    for (const shown_schedule& s : four) {
        const pipes::shape of{4, 8, s.chunks};
        const std::string title = fmt::format("{}: 4 stages, 8 microbatches", s.words);
        all.push_back(
            {{"title", title},
             {"svg", pipeline_svg(pipes::by_name(s.schedule).write(of), timeline_of(s.schedule, of), title)}});
    }
    return all;
}

} // namespace tutti::tools::study::pipeline
