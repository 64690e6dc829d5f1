// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "content.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tutti::tools::study::adacomm {
namespace {

using json = nlohmann::ordered_json;

json curves(const results& r, const char* title, const char* y, double look::*what, double times) {
    json series = json::array();
    for (std::size_t w = 0; w < r.ways.size(); ++w) {
        json points = json::array();
        for (const double t : times_of(r)) points.push_back({{"x", t}, {"y", times * spread_at(r, w, t, what).mean}});
        series.push_back({{"name", r.ways[w].name}, {"points", points}});
    }
    return {{"title", title}, {"x", "virtual seconds"}, {"y", y}, {"log_y", true}, {"series", series}};
}

/// The loss against a fixed period, at several times.
json trade_off(const results& r) {
    json series = json::array();
    for (const double share : {0.125, 0.25, 0.5, 1.}) {
        json points = json::array();
        for (std::size_t i = 0; i < r.of.fixed.size(); ++i) {
            const spread s = spread_at(r, i, share * r.of.budget_s, &look::loss);
            points.push_back({{"x", r.of.fixed[i]},
                              {"y", s.mean},
                              {"low", std::max(0., s.mean - 2 * s.deviation)},
                              {"high", s.mean + 2 * s.deviation}});
        }
        series.push_back({{"name", fmt::format("after {:.3g} s", share * r.of.budget_s)}, {"points", points}});
    }
    return {{"title", "Loss against a fixed period: mean, and a band of two standard deviations"},
            {"x", "tau, steps between averages"},
            {"y", "training loss"},
            {"powers_of_two", true},
            {"log_y", true},
            {"series", series}};
}

json periods(const results& r) {
    json chart = curves(r, "Steps between averages: mean of the seeds", "tau", &look::tau, 1);
    json changing = json::array();
    for (std::size_t w = r.of.fixed.size(); w < r.of.fixed.size() + 2; ++w) changing.push_back(chart["series"][w]);
    chart["series"] = changing;
    return chart;
}

json end_table(const results& r) {
    json lines = json::array();
    const double target = spread_at(r, 0, r.of.budget_s, &look::loss).mean;
    for (std::size_t w = 0; w < r.ways.size(); ++w) {
        const spread loss = spread_at(r, w, r.of.budget_s, &look::loss),
                     error = spread_at(r, w, r.of.budget_s, &look::error);
        const auto when = time_to(r, w, target);
        lines.push_back({r.ways[w].name, fmt::format("{:.0f}", r.of.budget_s / step_s(r, w)),
                         fmt::format("{:.1f}", 1e3 * step_s(r, w)),
                         fmt::format("{:.4f} ± {:.4f}", loss.mean, 2 * loss.deviation),
                         fmt::format("{:.2f} ± {:.2f}", 100 * error.mean, 200 * error.deviation),
                         when ? fmt::format("{:.3g}", *when) : "never"});
    }
    return {{"caption", fmt::format("After {} s: mean and two standard deviations", r.of.budget_s)},
            {"heads",
             {"weights are averaged", "steps", "ms a step", "training loss", "test error, %",
              fmt::format("s to a loss of {:.4f}", target)}},
            {"lines", lines}};
}

json parameter_table(const results& r) {
    const design& d = r.of;
    json lines = json::array();
    const auto add = [&lines](const char* name, std::string value) { lines.push_back({name, std::move(value)}); };
    add("ranks", fmt::format("{}, each on a node of its own", d.ranks));
    add("link", fmt::format("{:.3g} Mbit/s, latency {:.3g} us, {:.3g} us of the processor a message",
                            8e-6 / d.link.gap_s_per_byte, 1e6 * d.link.latency_s, 1e6 * d.link.overhead_s));
    add("computing",
        fmt::format("lognormal({:.3g}ms,{}) a step and rank", 1e3 * d.takes.typical.count(), d.takes.spread));
    add("averages", "allreduce by ring");
    add("pictures", r.pictures + ", spread evenly over the ranks");
    add("network", fmt::format("{} hidden units, rectified; 10 outputs; cross entropy", d.hidden));
    add("optimizer", fmt::format("SGD without momentum, rate {}, which stays", d.rate));
    add("batch", fmt::format("{} pictures a rank", d.batch));
    for (const strategy& s : r.ways)
        if (s.name.find("tau") != 0 || s.slow_momentum > 0)
            add(s.name.c_str(), fmt::format("--period {} --slow-momentum {}", s.period, s.slow_momentum));
    add("seeds", fmt::format("1 to {}: first weights and the order of pictures", d.seeds));
    add("training loss", "of the first 4096 training pictures, by the average of all ranks' weights");
    return {{"caption", "Parameters"}, {"heads", {"parameter", "value"}}, {"lines", lines}, {"folded", true}};
}

} // namespace

json content_of(const results& r) {
    return {
        {"title", "How often should weights be averaged?"},
        {"lead", fmt::format("{} ranks learn {} for {} s over slow links, in virtual time.", r.of.ranks, r.pictures,
                             r.of.budget_s)},
        {"made", fmt::format("tutti study adacomm: {} trainings in {:.0f} s", r.ways.size() * r.of.seeds, r.wall_s)},
        {"sources",
         "Wang and Joshi, Adaptive Communication Strategies to Achieve the Best Error-Runtime Trade-off in "
         "Local-Update SGD, 2019. Lin et al., Don't Use Large Mini-Batches, Use Local SGD, 2020. Wang et al., "
         "SlowMo, 2020."},
        {"sections",
         {{{"title", "Error against time"},
           {"paragraphs", findings_of(r)},
           {"charts",
            {curves(r, "Training loss: mean of the seeds", "training loss", &look::loss, 1),
             curves(r, "Test error: mean of the seeds", "test error, %", &look::error, 100)}},
           {"tables", json::array({end_table(r)})}},
          {{"title", "The trade-off"}, {"charts", {trade_off(r), periods(r)}}},
          {{"title", "Parameters"}, {"tables", json::array({parameter_table(r)})}}}}};
}

json facts_of(const results& r) {
    json trainings = json::array();
    for (std::size_t w = 0; w < r.ways.size(); ++w)
        for (std::size_t seed = 0; seed < r.runs[w].size(); ++seed) {
            json looks = json::array();
            for (const look& l : r.runs[w][seed])
                looks.push_back({{"seconds", l.seconds},
                                 {"steps", l.steps},
                                 {"loss", l.loss},
                                 {"test_error", l.error},
                                 {"tau", l.tau}});
            trainings.push_back({{"averaged", r.ways[w].name}, {"seed", seed + 1}, {"looks", looks}});
        }
    return {{"tutti_study", "adacomm"}, {"pictures", r.pictures}, {"wall_s", r.wall_s}, {"trainings", trainings}};
}

} // namespace tutti::tools::study::adacomm
