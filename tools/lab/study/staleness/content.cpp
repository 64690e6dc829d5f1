// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../page.hpp"
#include "findings.hpp"

namespace tutti::tools::study::staleness {
namespace {

/// Between which a curve of accuracy is drawn on straight lines.
constexpr int places_of_curve = 24;

/// A curve, or bars, of each discipline: points(how).
json by_discipline(const results& r, const auto& points) {
    return list_of(r.of.disciplines.size(),
                   [&](std::size_t how) { return series(r.of.disciplines[how].name, points(how)); });
}

json speed_chart(const results& r) {
    const std::size_t count = r.of.disciplines.size();
    return bars("Steps of all workers in a virtual second: mean of the seeds", "how far workers may be apart",
                "steps a second", list_of(count, [&](std::size_t how) { return r.of.disciplines[how].name; }),
                list_of(r.of.models.size(), [&](std::size_t m) {
                    return series(r.of.models[m].name, list_of(count, [&](std::size_t how) {
                                      return json{{"y", steps_a_second(r, m, how).mean}};
                                  }));
                }));
}

/// Accuracy by time, or by thousands of steps.
json accuracy_chart(const results& r, std::size_t model, axis by) {
    const bool is_time = by == axis::seconds;
    double last = 0;
    for (std::size_t how = 0; how < r.of.disciplines.size(); ++how)
        for (const out_of_step_result* one : seeds_of(r, model, how))
            last = std::max(last, place_of(one->tests.back(), by));
    return chart(
        fmt::format("Accuracy by {}, {}: mean of the seeds", is_time ? "time" : "steps", r.of.models[model].name),
        is_time ? "virtual seconds" : "thousands of steps of all workers", "test accuracy, %",
        by_discipline(r, [&](std::size_t how) {
            json points = json::array();
            for (int i = 1; i <= places_of_curve; ++i) {
                const double place = last * i / places_of_curve;
                if (const auto accuracy = mean_accuracy_at(r, model, how, by, place))
                    points.push_back({{"x", place / (is_time ? 1 : 1000)}, {"y", 100 * *accuracy}});
            }
            return points;
        }));
}

/// The last bar counts what is older.
json read_chart(const results& r, std::size_t model) {
    std::uint64_t widest = 1;
    for (const discipline& d : r.of.disciplines) widest = std::max(widest, d.slack);
    const auto count = static_cast<std::size_t>(widest) + 2;
    return bars(fmt::format("Reads by their staleness, {}", r.of.models[model].name),
                "clocks by which the slowest worker was behind the reader", "reads, %",
                list_of(count, [&](std::size_t i) { return i + 1 < count ? std::to_string(i) : "more"; }),
                by_discipline(r, [&](std::size_t how) {
                    std::vector<double> shares(count);
                    const std::vector<double> found = staleness_of(r, model, how);
                    for (std::size_t i = 0; i < found.size(); ++i) shares[std::min(i, count - 1)] += 100 * found[i];
                    return list_of(count, [&](std::size_t i) { return json{{"y", shares[i]}}; });
                }));
}

/// one(model) for each model of stragglers.
json of_models(const results& r, const auto& one) { return list_of(r.of.models.size(), one); }

json figures_table(const results& r) {
    const double goal = goal_of(r);
    json lines = json::array();
    for (std::size_t m = 0; m < r.of.models.size(); ++m)
        for (std::size_t how = 0; how < r.of.disciplines.size(); ++how) {
            const auto time = seconds_to(r, m, how, goal);
            lines.push_back({r.of.models[m].name, r.of.disciplines[how].name, words_of(steps_a_second(r, m, how), 1),
                             words_of(accuracy_after(r, m, how, 0.5), 1, 100),
                             words_of(accuracy_after(r, m, how, 1), 1, 100),
                             time ? words_of(*time, 1) : "not by all seeds"});
        }
    json made = table("Mean and two standard deviations of the seeds",
                      {"stragglers", "workers", "steps a second", "accuracy after half of the steps, %", "after all, %",
                       fmt::format("virtual seconds to {:.0f} %", 100 * goal)},
                      lines);
    made["names"] = 2;
    return made;
}

json parameters_of(const results& r) {
    const design& d = r.of;
    std::vector<std::pair<std::string, std::string>> all{
        {"pictures", r.pictures},
        {"network", fmt::format("{} hidden units, rectified; 10 outputs; cross entropy", d.hidden)},
        {"workers", fmt::format("{}, each with its own part of the pictures; one server", d.workers)},
        {"step", fmt::format("a gradient of {} pictures", d.batch / static_cast<std::size_t>(d.workers))},
        {"rule of the server", fmt::format("w = w - {} g / {}, g a sum over the pictures of a step; under BSP of all "
                                           "workers together",
                                           d.rate, d.batch)},
        {"length", fmt::format("{} passes over the pictures by all workers together", d.epochs)}};
    for (const straggler_model& m : d.models)
        all.emplace_back(m.name, m.stragglers.empty() ? m.compute : m.compute + ", " + m.stragglers);
    all.emplace_back("messages", fmt::format("priced as on the cluster {}", d.cluster));
    all.emplace_back("tests", fmt::format("each {} steps of the first worker, which is no slow one", d.test_every));
    all.emplace_back("seeds", fmt::format("1 to {}: first weights, order of pictures, times of the workers", d.seeds));
    return parameters(all);
}

} // namespace

json content_of(const results& r) {
    const auto accuracies = [&r](axis by) {
        return of_models(r, [&](std::size_t m) { return accuracy_chart(r, m, by); });
    };
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
         {{{"title", "Findings"}, {"paragraphs", findings_of(r)}, {"tables", json::array({figures_table(r)})}},
          {{"title", "Steps a second"},
           {"paragraphs",
            {"A bound helps against workers that are slow in turn. One that is always slow uses it up once: as soon as "
             "the "
             "others are as far ahead as they may be, all go at its pace, as under BSP. So SSP s gains about s steps "
             "of "
             "each worker in the whole training, and only asynchronous workers gain in each step."}},
           {"charts", json::array({speed_chart(r)})}},
          {{"title", "What a step is worth"}, {"charts", accuracies(axis::steps)}},
          {{"title", "Accuracy against time"}, {"charts", accuracies(axis::seconds)}},
          {{"title", "Staleness as read"},
           {"paragraphs",
            {"A worker's clock is the number of its steps. SSP s lets it read while the slowest one is up to s clocks "
             "behind. A read has all updates that the server has, also newer ones than that bound asks for. The "
             "paper's "
             "workers have caches, which they read as long as the bound allows."}},
           {"charts", of_models(r, [&r](std::size_t m) { return read_chart(r, m); })}},
          parameters_of(r)}}};
}

json facts_of(const results& r) {
    json trainings = json::array();
    for (std::size_t i = 0; i < r.runs.size(); ++i) {
        json tests = json::array();
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
