// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "content.hpp"

#include <fmt/format.h>

namespace tutti::tools::study::compression {
namespace {

using json = nlohmann::ordered_json;

json series_of(const auto& points_of) {
    json series = json::array();
    for (std::size_t w = 0; w < ways.size(); ++w)
        series.push_back({{"name", name_of(ways[w])}, {"points", points_of(w)}});
    return series;
}

json loss_over(const results& r, std::size_t link, const char* which) {
    const json series = series_of([&](std::size_t w) {
        json points = json::array();
        for (std::size_t i = 0; i < r.runs[w].front().looks.size(); ++i)
            points.push_back({{"x", r.runs[w].front().looks[i].steps * step_s(r, w, link)},
                              {"y", spread_at(r, w, i, &look::loss).mean}});
        return points;
    });
    return {{"title",
             fmt::format("Training loss over {} links of {:g} Mbit/s: mean of the seeds", which, r.of.mbit_s[link])},
            {"x", "virtual seconds"},
            {"y", "training loss"},
            {"log_y", true},
            {"series", series}};
}

json error_by_step(const results& r) {
    const json series = series_of([&](std::size_t w) {
        json points = json::array();
        for (std::size_t i = 0; i < r.runs[w].front().looks.size(); ++i)
            points.push_back(
                {{"x", r.runs[w].front().looks[i].steps}, {"y", 100 * spread_at(r, w, i, &look::error).mean}});
        return points;
    });
    return {{"title", "Test error by step: mean of the seeds"},
            {"x", "step"},
            {"y", "test error, %"},
            {"log_y", true},
            {"series", series}};
}

json step_times(const results& r) {
    const json series = series_of([&](std::size_t w) {
        json points = json::array();
        for (std::size_t l = 0; l < r.of.mbit_s.size(); ++l)
            points.push_back({{"x", r.of.mbit_s[l]}, {"y", 1e3 * step_s(r, w, l)}});
        return points;
    });
    return {{"title", "Time of a step by link"},
            {"x", "Mbit/s"},
            {"y", "ms"},
            {"powers_of_two", true},
            {"log_y", true},
            {"series", series}};
}

json table(const results& r) {
    json lines = json::array(), heads{"gradients are averaged by",
                                      "bytes a step",
                                      "coding, ms",
                                      "training loss",
                                      "test error, %",
                                      fmt::format("steps to a loss of {:.4f}", target_of(r))};
    for (const double m : r.of.mbit_s) heads.push_back(fmt::format("ms a step at {:g} Mbit/s", m));
    for (std::size_t w = 0; w < ways.size(); ++w) {
        const spread loss = last_of(r, w, &look::loss), error = last_of(r, w, &look::error);
        const auto steps = steps_to(r, w, target_of(r));
        json line{name_of(ways[w]),
                  fmt::format("{:.0f}", bytes_of(r, w)),
                  fmt::format("{:.2f}", 1e3 * r.coding_s[w]),
                  fmt::format("{:.4f} ± {:.4f}", loss.mean, 2 * loss.deviation),
                  fmt::format("{:.2f} ± {:.2f}", 100 * error.mean, 200 * error.deviation),
                  steps ? fmt::format("{:.0f}", *steps) : "never"};
        for (std::size_t l = 0; l < r.of.mbit_s.size(); ++l)
            line.push_back(fmt::format("{:.2f}", 1e3 * step_s(r, w, l)));
        lines.push_back(line);
    }
    return {{"caption", fmt::format("After {} steps: mean and two standard deviations", r.of.steps)},
            {"heads", heads},
            {"lines", lines}};
}

json parameter_table(const results& r) {
    const design& d = r.of;
    json lines = json::array();
    const auto add = [&lines](const char* name, std::string value) { lines.push_back({name, std::move(value)}); };
    add("ranks", fmt::format("{}, each on a node of its own, in virtual time", d.ranks));
    add("links",
        fmt::format("latency {:.3g} us, {:.3g} us of the processor a message", 1e6 * d.latency_s, 1e6 * d.overhead_s));
    add("computing", fmt::format("{} ms a step", static_cast<double>(d.computing.count()) / 1e3));
    add("coding", "added to that: as measured on this host for one gradient, the median of 15");
    add("messages", fmt::format("simulated for {} steps over each link, with the gradients of seed 1", d.timed_steps));
    add("plain allreduce", "by halving_doubling");
    add("error feedback", "of top-k, random-k and power-sgd");
    add("pictures", r.pictures + ", spread evenly over the ranks");
    add("network", fmt::format("{} hidden units, rectified; 10 outputs; cross entropy", d.hidden));
    add("optimizer", fmt::format("SGD without momentum, rate {}", d.rate));
    add("batch", fmt::format("{} pictures a rank", d.batch));
    add("seeds", fmt::format("1 to {}: first weights, the order of pictures, and what compressors draw", d.seeds));
    return {{"caption", "Parameters"}, {"heads", {"parameter", "value"}}, {"lines", lines}, {"folded", true}};
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
           {"tables", json::array({table(r)})}},
          {{"title", "Time and learning apart"}, {"charts", {step_times(r), error_by_step(r)}}},
          {{"title", "Parameters"}, {"tables", json::array({parameter_table(r)})}}}}};
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
