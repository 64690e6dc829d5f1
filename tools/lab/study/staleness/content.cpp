// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "content.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tutti::tools::study::staleness {
namespace {

using staleness_json = nlohmann::ordered_json;

/// Between which a curve of accuracy is drawn on straight lines.
constexpr int places_of_curve = 24;

staleness_json names_of_disciplines(const results& r) {
    staleness_json names = staleness_json::array();
    for (const discipline& d : r.of.disciplines) names.push_back(d.name);
    return names;
}

staleness_json speed_chart(const results& r) {
    staleness_json series = staleness_json::array();
    for (std::size_t m = 0; m < r.of.models.size(); ++m) {
        staleness_json points = staleness_json::array();
        for (std::size_t how = 0; how < r.of.disciplines.size(); ++how)
            points.push_back(staleness_json{{"y", steps_a_second(r, m, how).mean}});
        series.push_back({{"name", r.of.models[m].name}, {"points", std::move(points)}});
    }
    return {{"kind", "bars"},
            {"title", "Steps of all workers in a virtual second: mean of the seeds"},
            {"x", "how far workers may be apart"},
            {"y", "steps a second"},
            {"labels", names_of_disciplines(r)},
            {"series", std::move(series)}};
}

/// Accuracy by time, or by thousands of steps.
staleness_json accuracy_chart(const results& r, std::size_t model, axis by) {
    const double unit = by == axis::seconds ? 1 : 1000;
    double last = 0;
    for (std::size_t how = 0; how < r.of.disciplines.size(); ++how)
        for (const out_of_step_result* one : seeds_of(r, model, how))
            last = std::max(last, place_of(one->tests.back(), by));
    staleness_json series = staleness_json::array();
    for (std::size_t how = 0; how < r.of.disciplines.size(); ++how) {
        staleness_json points = staleness_json::array();
        for (int i = 1; i <= places_of_curve; ++i) {
            const double place = last * i / places_of_curve;
            if (const auto accuracy = mean_accuracy_at(r, model, how, by, place))
                points.push_back({{"x", place / unit}, {"y", 100 * *accuracy}});
        }
        series.push_back({{"name", r.of.disciplines[how].name}, {"points", std::move(points)}});
    }
    const bool is_time = by == axis::seconds;
    return {{"title",
             fmt::format("Accuracy by {}, {}: mean of the seeds", is_time ? "time" : "steps", r.of.models[model].name)},
            {"x", is_time ? "virtual seconds" : "thousands of steps of all workers"},
            {"y", "test accuracy, %"},
            {"series", std::move(series)}};
}

staleness_json accuracy_charts(const results& r, axis by) {
    staleness_json all = staleness_json::array();
    for (std::size_t m = 0; m < r.of.models.size(); ++m) all.push_back(accuracy_chart(r, m, by));
    return all;
}

/// The last bar counts what is older.
staleness_json read_chart(const results& r, std::size_t model) {
    std::uint64_t widest = 1;
    for (const discipline& d : r.of.disciplines) widest = std::max(widest, d.slack);
    const auto bars = static_cast<std::size_t>(widest) + 2;
    staleness_json labels = staleness_json::array(), series = staleness_json::array();
    for (std::size_t i = 0; i + 1 < bars; ++i) labels.push_back(std::to_string(i));
    labels.push_back("more");
    for (std::size_t how = 0; how < r.of.disciplines.size(); ++how) {
        std::vector<double> shares(bars);
        const std::vector<double> found = staleness_of(r, model, how);
        for (std::size_t i = 0; i < found.size(); ++i) shares[std::min(i, bars - 1)] += 100 * found[i];
        staleness_json points = staleness_json::array();
        for (const double share : shares) points.push_back(staleness_json{{"y", share}});
        series.push_back({{"name", r.of.disciplines[how].name}, {"points", std::move(points)}});
    }
    return {{"kind", "bars"},
            {"title", fmt::format("Reads by their staleness, {}", r.of.models[model].name)},
            {"x", "clocks by which the slowest worker was behind the reader"},
            {"y", "reads, %"},
            {"labels", std::move(labels)},
            {"series", std::move(series)}};
}

staleness_json read_charts(const results& r) {
    staleness_json all = staleness_json::array();
    for (std::size_t m = 0; m < r.of.models.size(); ++m) all.push_back(read_chart(r, m));
    return all;
}

staleness_json figures_table(const results& r) {
    const double goal = goal_of(r);
    staleness_json lines = staleness_json::array();
    for (std::size_t m = 0; m < r.of.models.size(); ++m)
        for (std::size_t how = 0; how < r.of.disciplines.size(); ++how) {
            const auto time = seconds_to(r, m, how, goal);
            lines.push_back({r.of.models[m].name, r.of.disciplines[how].name, words_of(steps_a_second(r, m, how)),
                             words_of(accuracy_after(r, m, how, 0.5), 100), words_of(accuracy_after(r, m, how, 1), 100),
                             time ? words_of(*time) : "not by all seeds"});
        }
    return {{"caption", "Mean and two standard deviations of the seeds"},
            {"heads",
             {"stragglers", "workers", "steps a second", "accuracy after half of the steps, %", "after all, %",
              fmt::format("virtual seconds to {:.0f} %", 100 * goal)}},
            {"names", 2},
            {"lines", std::move(lines)}};
}

staleness_json parameter_table(const results& r) {
    const design& d = r.of;
    staleness_json lines = staleness_json::array();
    const auto add = [&lines](const std::string& name, const std::string& value) { lines.push_back({name, value}); };
    add("pictures", r.pictures);
    add("network", fmt::format("{} hidden units, rectified; 10 outputs; cross entropy", d.hidden));
    add("workers", fmt::format("{}, each with its own part of the pictures; one server", d.workers));
    add("step", fmt::format("a gradient of {} pictures", d.batch / static_cast<std::size_t>(d.workers)));
    add("rule of the server", fmt::format("w = w - {} g / {}, g a sum over the pictures of a step; under BSP of all "
                                          "workers together",
                                          d.rate, d.batch));
    add("length", fmt::format("{} passes over the pictures by all workers together", d.epochs));
    for (const straggler_model& m : d.models)
        add(m.name, m.stragglers.empty() ? m.compute : m.compute + ", " + m.stragglers);
    add("messages", fmt::format("priced as on the cluster {}", d.cluster));
    add("tests", fmt::format("each {} steps of the first worker, which is no slow one", d.test_every));
    add("seeds", fmt::format("1 to {}: first weights, order of pictures, times of the workers", d.seeds));
    return {
        {"caption", "Parameters"}, {"heads", {"parameter", "value"}}, {"lines", std::move(lines)}, {"folded", true}};
}

} // namespace

nlohmann::ordered_json content_of(const results& r) {
    std::vector<std::string> found{comparison(r)};
    for (std::string& one : findings_of(r)) found.push_back(std::move(one));
    return {
        {"title", "Staleness: how far may workers be apart?"},
        {"lead",
         fmt::format("{} workers train a network on {} through a parameter server, bulk synchronous (BSP), with "
                     "bounded staleness (SSP) and asynchronously. Time is virtual, gradients are real.",
                     r.of.workers, r.pictures)},
        {"made", fmt::format("tutti study staleness: {} trainings in {:.0f} s", r.runs.size(), r.wall_s)},
        {"sources", "Ho et al., More Effective Distributed ML via a Stale Synchronous Parallel Parameter Server, NIPS "
                    "2013."},
        {"sections",
         {{{"title", "Findings"}, {"paragraphs", found}, {"tables", staleness_json::array({figures_table(r)})}},
          {{"title", "Steps a second"},
           {"paragraphs",
            {"A bound helps against workers that are slow in turn. One that is always slow uses it up once: as soon as "
             "the "
             "others are as far ahead as they may be, all go at its pace, as under BSP. So SSP s gains about s steps "
             "of "
             "each worker in the whole training, and only asynchronous workers gain in each step."}},
           {"charts", staleness_json::array({speed_chart(r)})}},
          {{"title", "What a step is worth"}, {"charts", accuracy_charts(r, axis::steps)}},
          {{"title", "Accuracy against time"}, {"charts", accuracy_charts(r, axis::seconds)}},
          {{"title", "Staleness as read"},
           {"paragraphs",
            {"A worker's clock is the number of its steps. SSP s lets it read while the slowest one is up to s clocks "
             "behind. A read has all updates that the server has, also newer ones than that bound asks for. The "
             "paper's "
             "workers have caches, which they read as long as the bound allows."}},
           {"charts", read_charts(r)}},
          {{"title", "Parameters"}, {"tables", staleness_json::array({parameter_table(r)})}}}}};
}

nlohmann::ordered_json facts_of(const results& r) {
    staleness_json trainings = staleness_json::array();
    for (std::size_t i = 0; i < r.runs.size(); ++i) {
        staleness_json tests = staleness_json::array();
        for (const tested_store& t : r.found[i].tests)
            tests.push_back({{"seconds", t.seconds}, {"steps", t.steps}, {"loss", t.loss}, {"accuracy", t.accuracy}});
        trainings.push_back({{"stragglers", r.of.models[r.runs[i].model].name},
                             {"workers", r.of.disciplines[r.runs[i].discipline].name},
                             {"seed", r.runs[i].seed},
                             {"seconds", r.found[i].seconds},
                             {"steps", r.found[i].steps},
                             {"reads_by_staleness", r.found[i].staleness},
                             {"tests", std::move(tests)}});
    }
    return {{"tutti_study", "staleness"}, {"pictures", r.pictures},      {"wall_s", r.wall_s},
            {"goal", goal_of(r)},         {"comparison", comparison(r)}, {"trainings", std::move(trainings)}};
}

} // namespace tutti::tools::study::staleness
