// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../page.hpp"
#include "study.hpp"

#include <cmath>
#include <limits>

#include <fmt/ranges.h>

namespace tutti::tools::study::distbelief {
namespace {

constexpr std::size_t points_of_curve = 24;

/// The mean accuracy over the seeds, at times of equal ratios, as long as all are tested.
json curve_points(const std::vector<const series*>& seeds) {
    double begin = 0, end = std::numeric_limits<double>::infinity();
    for (const series* one : seeds) {
        begin = std::max(begin, one->front().seconds);
        end = std::min(end, one->back().seconds);
    }
    json points = json::array();
    for (std::size_t i = 0; i < points_of_curve; ++i) {
        const double share = static_cast<double>(i) / (points_of_curve - 1),
                     time = begin * std::pow(end / begin, share);
        numbers at;
        for (const series* one : seeds)
            if (const auto accuracy = staleness::accuracy_at(*one, staleness::axis::seconds, time))
                at.push_back(*accuracy);
        if (at.size() < seeds.size()) continue; // the last place, where it is rounded up
        points.push_back(banded(time, spread_of(at), 100, std::numeric_limits<double>::lowest()));
    }
    return points;
}

json accuracy_chart(const results& r, bool stragglers) {
    json lines = json::array();
    const auto add = [&](method m, int n) {
        const std::string name = n == 1 ? std::string(name_of(m)) : fmt::format("{}, {} replicas", name_of(m), n);
        lines.push_back(study::series(name, curve_points(seeds_of(r, m, n, stragglers))));
    };
    add(method::sgd, 1);
    const int middle = r.of.replicas[r.of.replicas.size() / 2], most = r.of.replicas.back();
    add(method::fixed_rate, middle);
    add(method::adagrad, middle);
    if (most != middle) add(method::adagrad, most);
    add(method::sandblaster, most);
    return chart(fmt::format("Test accuracy against virtual time, {} stragglers: mean of the seeds, and a band of two "
                             "standard deviations",
                             stragglers ? "with" : "without"),
                 "virtual seconds", "test accuracy, %", lines, {"log_x"});
}

/// Seconds to the target; `places(ranks)` is where a point stands.
json time_chart(const results& r, bool stragglers, const char* what, const auto& places) {
    json lines = json::array();
    for (const method m : methods) {
        json points = json::array();
        for (const int n : m == method::sgd ? std::vector<int>{1} : r.of.replicas)
            if (const auto time = time_of(r, m, n, stragglers))
                points.push_back({{"x", places(run{m, n, stragglers, 1}.ranks(r.of))}, {"y", time->mean}});
        if (!points.empty()) lines.push_back(study::series(std::string(name_of(m)), points));
    }
    return chart(fmt::format("Time to {:.0f} % against {}, {} stragglers: mean of the seeds", 100 * r.of.target, what,
                             stragglers ? "with" : "without"),
                 what, "virtual seconds", lines, {"powers_of_two", "log_y"});
}

json time_charts(const results& r) {
    json charts = json::array();
    for (const bool stragglers : {false, true}) {
        charts.push_back(time_chart(r, stragglers, "cores", [](int ranks) { return ranks; }));
        charts.push_back(time_chart(r, stragglers, "machines",
                                    [&](int ranks) { return (ranks + r.of.ranks_a_node - 1) / r.of.ranks_a_node; }));
    }
    return charts;
}

json time_table(const results& r) {
    json heads = json::array({"replicas"}), lines = json::array();
    for (const method m : methods)
        for (const char* which : {"", ", stragglers"}) heads.push_back(fmt::format("{}{}", name_of(m), which));
    std::vector<int> counts{1};
    counts.insert(counts.end(), r.of.replicas.begin(), r.of.replicas.end());
    for (const int n : counts) {
        json line = json::array({fmt::format("{}", n)});
        for (const method m : methods)
            for (const bool stragglers : {false, true}) {
                const bool is_run = (m == method::sgd) == (n == 1);
                const auto time = is_run ? time_of(r, m, n, stragglers) : std::nullopt;
                line.push_back(time ? words_of(*time, 2) : is_run ? "not by all seeds" : "");
            }
        lines.push_back(line);
    }
    return table(fmt::format("Virtual seconds to {:.0f} %: mean and two standard deviations of {} seeds",
                             100 * r.of.target, r.of.seeds),
                 heads, lines);
}

json parameters_of(const results& r) {
    const design& d = r.of;
    return parameters(
        {{"pictures", fmt::format("{}: the first {} to train, {} to test", r.pictures, d.pictures, d.tests)},
         {"network", fmt::format("{} hidden units, rectified; 10 outputs; cross entropy", d.hidden)},
         {"cluster",
          fmt::format("{}, {} ranks a node; a rank is called a core, and a node a machine", d.cluster, d.ranks_a_node)},
         {"computing", fmt::format("{} ms a picture and rank, lognormal by the minibatch or portion, with a deviation "
                                   "of the logarithm of {}",
                                   1e3 * d.picture_s, d.spread)},
         {"stragglers", fmt::format("each minibatch or portion takes {} times as long with a chance of {}",
                                    d.slow_factor, d.slow_chance)},
         {"SGD", fmt::format("one worker and one server, minibatches of {}, rate {}", d.minibatch, d.fixed_rate)},
         {"Downpour", fmt::format("{} servers, minibatches of {} a replica, weights and gradients each step, {} epochs "
                                  "over all replicas",
                                  d.servers, d.minibatch, d.epochs)},
         {"its rates", fmt::format("{} fixed; {} by Adagrad", d.fixed_rate, d.adagrad_rate)},
         {"Sandblaster", fmt::format("L-BFGS of history 10 on {} shards; a batch is all pictures, in {} portions, two "
                                     "copies at most; {} passes",
                                     d.servers, d.portions, d.batch_epochs)},
         {"replicas", fmt::format("{}", fmt::join(d.replicas, ", "))},
         {"seeds", fmt::format("1 to {}: first weights, order of pictures, times", d.seeds)}});
}

} // namespace

json content_of(const results& r) {
    json accuracy = json::array({accuracy_chart(r, false), accuracy_chart(r, true)});
    return {
        {"title", "Downpour SGD and Sandblaster L-BFGS"},
        {"lead", fmt::format("Test accuracy of a network on {} against virtual time, with {} to {} replicas.",
                             r.pictures, r.of.replicas.front(), r.of.replicas.back())},
        {"made", fmt::format("tutti study distbelief: {} trainings in {:.0f} s, {:.0f} s of processors", r.runs.size(),
                             r.wall_s, r.cpu_s)},
        {"sources", "Dean et al., Large Scale Distributed Deep Networks, NIPS 2012, figures 4 and 5."},
        {"sections",
         {{{"title", "What follows"}, {"paragraphs", findings_of(r)}},
          {{"title", "Accuracy against time"}, {"charts", accuracy}},
          {{"title", "Time to a fixed accuracy"}, {"charts", time_charts(r)}, {"tables", json::array({time_table(r)})}},
          parameters_of(r)}}};
}

} // namespace tutti::tools::study::distbelief
