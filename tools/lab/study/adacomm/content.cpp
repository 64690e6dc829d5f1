// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../page.hpp"
#include "findings.hpp"

namespace tutti::tools::study::adacomm {
namespace {

json curves(const results& r, std::size_t first, std::size_t last, const char* title, const char* y, double look::*what,
            double unit = 1) {
    const std::vector<double> times = times_of(r);
    return chart(title, "virtual seconds", y,
                 list_of(last - first,
                         [&](std::size_t w) {
                             return series(r.ways[first + w].name, list_of(times.size(), [&](std::size_t i) {
                                               const double mean = spread_at(r, first + w, times[i], what).mean;
                                               return json{{"x", times[i]}, {"y", unit * mean}};
                                           }));
                         }),
                 {"log_y"});
}

/// The loss against a fixed period, at several times.
json trade_off(const results& r) {
    return chart("Loss against a fixed period: mean, and a band of two standard deviations",
                 "tau, steps between averages", "training loss",
                 list_of(4,
                         [&](std::size_t n) {
                             const double seconds = r.of.budget_s / static_cast<double>(8 >> n);
                             return series(fmt::format("after {:.3g} s", seconds),
                                           list_of(r.of.fixed.size(), [&](std::size_t i) {
                                               return banded(static_cast<double>(r.of.fixed[i]),
                                                             spread_at(r, i, seconds, &look::loss));
                                           }));
                         }),
                 {"powers_of_two", "log_y"});
}

json end_table(const results& r) {
    const double target = spread_at(r, 0, r.of.budget_s, &look::loss).mean;
    return table(fmt::format("After {} s: mean and two standard deviations", r.of.budget_s),
                 {"weights are averaged", "steps", "ms a step", "training loss", "test error, %",
                  fmt::format("s to a loss of {:.4f}", target)},
                 list_of(r.ways.size(), [&](std::size_t w) {
                     const auto when = time_to(r, w, target);
                     return json{r.ways[w].name,
                                 fmt::format("{:.0f}", r.of.budget_s / step_s(r, w)),
                                 fmt::format("{:.1f}", 1e3 * step_s(r, w)),
                                 words_of(spread_at(r, w, r.of.budget_s, &look::loss), 4),
                                 words_of(spread_at(r, w, r.of.budget_s, &look::error), 2, 100),
                                 when ? fmt::format("{:.3g}", *when) : "never"};
                 }));
}

json parameters_of(const results& r) {
    const design& d = r.of;
    std::vector<std::pair<std::string, std::string>> all{
        {"ranks", fmt::format("{}, each on a node of its own", d.ranks)},
        {"link", fmt::format("{:.3g} Mbit/s, latency {:.3g} us, {:.3g} us of the processor a message",
                             8e-6 / d.link.gap_s_per_byte, 1e6 * d.link.latency_s, 1e6 * d.link.overhead_s)},
        {"computing",
         fmt::format("lognormal({:.3g}ms,{}) a step and rank", 1e3 * d.takes.typical.count(), d.takes.spread)},
        {"averages", "allreduce by ring"},
        {"pictures", r.pictures + ", spread evenly over the ranks"},
        {"network", fmt::format("{} hidden units, rectified; 10 outputs; cross entropy", d.hidden)},
        {"optimizer", fmt::format("SGD without momentum, rate {}, which stays", d.rate)},
        {"batch", fmt::format("{} pictures a rank", d.batch)}};
    for (const strategy& s : r.ways)
        if (s.name.find("tau") != 0 || s.slow_momentum > 0)
            all.emplace_back(s.name, fmt::format("--period {} --slow-momentum {}", s.period, s.slow_momentum));
    all.emplace_back("seeds", fmt::format("1 to {}: first weights and the order of pictures", d.seeds));
    all.emplace_back("training loss", "of the first 4096 training pictures, by the average of all ranks' weights");
    return parameters(all);
}

} // namespace

json content_of(const results& r) {
    const std::size_t fixed = r.of.fixed.size(), all = r.ways.size();
    return {{"title", "How often should weights be averaged?"},
            {"lead", fmt::format("{} ranks learn {} for {} s over slow links, in virtual time.", r.of.ranks, r.pictures,
                                 r.of.budget_s)},
            {"made", fmt::format("tutti study adacomm: {} trainings in {:.0f} s", all * r.of.seeds, r.wall_s)},
            {"sources",
             "Wang and Joshi, Adaptive Communication Strategies to Achieve the Best Error-Runtime Trade-off in "
             "Local-Update SGD, 2019. Lin et al., Don't Use Large Mini-Batches, Use Local SGD, 2020. Wang et al., "
             "SlowMo, 2020."},
            {"sections",
             {{{"title", "Error against time"},
               {"paragraphs", findings_of(r)},
               {"charts",
                {curves(r, 0, all, "Training loss: mean of the seeds", "training loss", &look::loss),
                 curves(r, 0, all, "Test error: mean of the seeds", "test error, %", &look::error, 100)}},
               {"tables", json::array({end_table(r)})}},
              {{"title", "The trade-off"},
               {"charts",
                {trade_off(r),
                 curves(r, fixed, fixed + 2, "Steps between averages: mean of the seeds", "tau", &look::tau)}}},
              parameters_of(r)}}};
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
