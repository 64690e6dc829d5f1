// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../page.hpp"
#include "findings.hpp"

namespace tutti::tools::study::compression {
namespace {

/// A curve of each way: point(way, i) for each i below `count`.
json curves_of(const char* title, const char* x, const char* y, std::size_t count, const auto& point,
               std::initializer_list<const char*> set = {"log_y"}) {
    return chart(title, x, y,
                 list_of(ways.size(),
                         [&](std::size_t w) {
                             return series(name_of(ways[w]), list_of(count, [&](std::size_t i) {
                                               const auto [at, value] = point(w, i);
                                               return json{{"x", at}, {"y", value}};
                                           }));
                         }),
                 set);
}

std::size_t looks_in(const results& r) { return r.runs.front().front().looks.size(); }
double steps_at(const results& r, std::size_t i) { return r.runs.front().front().looks[i].steps; }

json loss_over(const results& r, std::size_t link, const char* which) {
    const std::string title =
        fmt::format("Training loss over {} links of {:g} Mbit/s: mean of the seeds", which, r.of.mbit_s[link]);
    return curves_of(title.c_str(), "virtual seconds", "training loss", looks_in(r), [&](std::size_t w, std::size_t i) {
        return std::pair(steps_at(r, i) * step_s(r, w, link), spread_at(r, w, i, &look::loss).mean);
    });
}

json error_by_step(const results& r) {
    return curves_of("Test error by step: mean of the seeds", "step", "test error, %", looks_in(r),
                     [&](std::size_t w, std::size_t i) {
                         return std::pair(steps_at(r, i), 100 * spread_at(r, w, i, &look::error).mean);
                     });
}

json step_times(const results& r) {
    return curves_of("Time of a step by link", "Mbit/s", "ms", r.of.mbit_s.size(),
                     [&](std::size_t w, std::size_t l) { return std::pair(r.of.mbit_s[l], 1e3 * step_s(r, w, l)); },
                     {"powers_of_two", "log_y"});
}

json end_table(const results& r) {
    json heads{"gradients are averaged by",
               "bytes a step",
               "coding, ms",
               "training loss",
               "test error, %",
               fmt::format("steps to a loss of {:.4f}", target_of(r))};
    for (const double m : r.of.mbit_s) heads.push_back(fmt::format("ms a step at {:g} Mbit/s", m));
    return table(fmt::format("After {} steps: mean and two standard deviations", r.of.steps), heads,
                 list_of(ways.size(), [&](std::size_t w) {
                     const auto steps = steps_to(r, w, target_of(r));
                     json line{name_of(ways[w]),
                               fmt::format("{:.0f}", bytes_of(r, w)),
                               fmt::format("{:.2f}", 1e3 * r.coding_s[w]),
                               words_of(last_of(r, w, &look::loss), 4),
                               words_of(last_of(r, w, &look::error), 2, 100),
                               steps ? fmt::format("{:.0f}", *steps) : "never"};
                     for (std::size_t l = 0; l < r.of.mbit_s.size(); ++l)
                         line.push_back(fmt::format("{:.2f}", 1e3 * step_s(r, w, l)));
                     return line;
                 }));
}

json parameters_of(const results& r) {
    const design& d = r.of;
    return parameters(
        {{"ranks", fmt::format("{}, each on a node of its own, in virtual time", d.ranks)},
         {"links", fmt::format("latency {:.3g} us, {:.3g} us of the processor a message", 1e6 * d.latency_s,
                               1e6 * d.overhead_s)},
         {"computing", fmt::format("{} ms a step", static_cast<double>(d.computing.count()) / 1e3)},
         {"coding", "added to that: as measured on this host for one gradient, the median of 15"},
         {"messages",
          fmt::format("simulated for {} steps over each link, with the gradients of seed 1", d.timed_steps)},
         {"plain allreduce", "by halving_doubling"},
         {"error feedback", "of top-k, random-k and power-sgd"},
         {"pictures", r.pictures + ", spread evenly over the ranks"},
         {"network", fmt::format("{} hidden units, rectified; 10 outputs; cross entropy", d.hidden)},
         {"optimizer", fmt::format("SGD without momentum, rate {}", d.rate)},
         {"batch", fmt::format("{} pictures a rank", d.batch)},
         {"seeds", fmt::format("1 to {}: first weights, the order of pictures, and what compressors draw", d.seeds)}});
}

} // namespace

json content_of(const results& r) {
    return {
        {"title", "When does it pay to compress gradients?"},
        {"lead", fmt::format("{} ranks learn {} over slow and fast links, in virtual time.", r.of.ranks, r.pictures)},
        {"made", fmt::format("tutti study compression: {} trainings in {:.0f} s", ways.size() * r.of.seeds, r.wall_s)},
        {"sources", "Renggli et al., SparCML, 2019. Alistarh et al., QSGD, 2017. Vogels, Karimireddy and Jaggi, "
                    "PowerSGD, 2019. Bernstein et al., signSGD with Majority Vote, 2019."},
        {"sections",
         {{{"title", "Loss against time"},
           {"paragraphs", findings_of(r)},
           {"charts", {loss_over(r, slow_link(r), "slow"), loss_over(r, fast_link(r), "fast")}},
           {"tables", json::array({end_table(r)})}},
          {{"title", "Time and learning apart"}, {"charts", {step_times(r), error_by_step(r)}}},
          parameters_of(r)}}};
}

json facts_of(const results& r) {
    json trainings = json::array(), steps = json::array();
    for (std::size_t w = 0; w < ways.size(); ++w) {
        for (std::size_t seed = 0; seed < r.runs[w].size(); ++seed) {
            json looks = json::array();
            for (const look& l : r.runs[w][seed].looks)
                looks.push_back({{"steps", l.steps}, {"loss", l.loss}, {"test_error", l.error}});
            trainings.push_back({{"way", name_of(ways[w])},
                                 {"seed", seed + 1},
                                 {"bytes_a_step", r.runs[w][seed].bytes},
                                 {"looks", looks}});
        }
        for (std::size_t l = 0; l < r.of.mbit_s.size(); ++l)
            steps.push_back({{"way", name_of(ways[w])},
                             {"mbit_s", r.of.mbit_s[l]},
                             {"coding_s", r.coding_s[w]},
                             {"network_s", r.network_s[w][l]}});
    }
    return {{"tutti_study", "compression"},
            {"pictures", r.pictures},
            {"wall_s", r.wall_s},
            {"trainings", trainings},
            {"steps", steps}};
}

} // namespace tutti::tools::study::compression
