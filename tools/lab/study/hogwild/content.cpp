// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "content.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tutti::tools::study::hogwild {
namespace {

using json = nlohmann::ordered_json;

json speed_chart(const results& r, const solved& one) {
    json series = json::array();
    for (std::size_t w = 0; w < ways.size(); ++w) {
        json points = json::array();
        for (std::size_t t = 0; t < r.of.threads.size(); ++t) {
            const spread s = speed_up(one, w, t);
            points.push_back({{"x", r.of.threads[t]},
                              {"y", s.mean},
                              {"low", std::max(0., s.mean - 2 * s.deviation)},
                              {"high", s.mean + 2 * s.deviation}});
        }
        series.push_back({{"name", name_of(ways[w])}, {"points", points}});
    }
    return {
        {"title", fmt::format("Speed-up over one thread without locks, {} problem, {} cores: mean, and a band of two "
                              "standard deviations",
                              one.of.name, r.cores)},
        {"x", "threads"},
        {"y", "times as fast"},
        {"powers_of_two", true},
        {"series", series}};
}

json loss_chart(const results& r, const solved& one) {
    json series = json::array();
    for (std::size_t w = 0; w < ways.size(); ++w)
        for (const std::size_t t : {std::size_t{0}, r.of.threads.size() - 1}) {
            if (t == 0 && w > 0) continue; // one thread is the same
            json points = json::array();
            for (std::size_t pass = 0; pass < r.of.passes; ++pass) {
                double mean = 0;
                for (const descent& d : one.descents[w][t])
                    mean += d.losses[pass] / static_cast<double>(one.descents[w][t].size());
                points.push_back({{"x", pass + 1}, {"y", mean}});
            }
            const std::string name =
                t == 0 ? "one thread" : fmt::format("{} threads, {}", r.of.threads[t], name_of(ways[w]));
            series.push_back({{"name", name}, {"points", points}});
        }
    return {{"title", fmt::format("Loss by pass, {} problem: mean of the seeds", one.of.name)},
            {"x", "passes over the samples"},
            {"y", "training loss"},
            {"log_y", true},
            {"series", series}};
}

json table(const results& r, const solved& one) {
    json lines = json::array();
    for (std::size_t w = 0; w < ways.size(); ++w)
        for (std::size_t t = 0; t < r.of.threads.size(); ++t) {
            const spread up = speed_up(one, w, t), loss = last_loss(one, w, t), error = last_error(one, w, t);
            lines.push_back({name_of(ways[w]), fmt::format("{}", r.of.threads[t]),
                             fmt::format("{:.0f}", samples_a_second(one, r.of.passes, w, t).mean),
                             fmt::format("{:.2f} ± {:.2f}", up.mean, 2 * up.deviation),
                             fmt::format("{:.4f} ± {:.4f}", loss.mean, 2 * loss.deviation),
                             fmt::format("{:.2f} ± {:.2f}", 100 * error.mean, 200 * error.deviation)});
        }
    return {{"caption", fmt::format("The {} problem: mean and two standard deviations", one.of.name)},
            {"heads", {"threads share", "threads", "samples a second", "speed-up", "training loss", "test error, %"}},
            {"lines", lines}};
}

json parameter_table(const results& r) {
    json lines = json::array();
    const auto add = [&lines](std::string name, std::string value) {
        lines.push_back({std::move(name), std::move(value)});
    };
    for (const solved& one : r.problems) {
        add(one.of.name + " problem", one.of.words);
        add("samples",
            fmt::format("{} to train with, {} to test with", one.of.training(), one.of.samples() - one.of.training()));
        add("features", fmt::format("{}; {:.3g} of them in a sample; the most common is in {:.1f} % of samples",
                                    one.of.features, one.of.features_a_sample(), 100 * one.of.most_common()));
        add("first rate", fmt::format("{:g}", one.rate));
    }
    add("loss", "logistic, without regularisation");
    add("passes", fmt::format("{}, after each of which the rate is {} of what it was", r.of.passes, r.of.kept));
    add("seeds", fmt::format("1 to {}: the order of samples", r.of.seeds));
    add("cores", fmt::format("{}", r.cores));
    return {{"caption", "Parameters"}, {"heads", {"parameter", "value"}}, {"lines", lines}, {"folded", true}};
}

} // namespace

json content_of(const results& r) {
    json sections =
        json::array({{{"title", "What was found"}, {"paragraphs", findings_of(r)}, {"charts", json::array()}}});
    for (const solved& one : r.problems)
        sections.push_back({{"title", fmt::format("The {} problem: {}", one.of.name, one.of.words)},
                            {"charts", {speed_chart(r, one), loss_chart(r, one)}},
                            {"tables", json::array({table(r, one)})}});
    sections.push_back({{"title", "Parameters"}, {"tables", json::array({parameter_table(r)})}});
    return {
        {"title", "Do threads that share weights need locks?"},
        {"lead", "Logistic regression by threads on one host: without locks, with a lock, and in turn."},
        {"made", fmt::format("tutti study hogwild: {} descents in {:.0f} s on {} cores",
                             r.problems.size() * ways.size() * r.of.threads.size() * r.of.seeds, r.wall_s, r.cores)},
        {"sources", "Niu, Recht, Re and Wright, Hogwild!, 2011. Langford, Smola and Zinkevich, Slow Learners are "
                    "Fast, 2009."},
        {"sections", sections}};
}

json facts_of(const results& r) {
    json descents = json::array();
    for (const solved& one : r.problems)
        for (std::size_t w = 0; w < ways.size(); ++w)
            for (std::size_t t = 0; t < r.of.threads.size(); ++t)
                for (std::size_t seed = 0; seed < one.descents[w][t].size(); ++seed) {
                    const descent& d = one.descents[w][t][seed];
                    descents.push_back({{"problem", one.of.name},
                                        {"share", name_of(ways[w])},
                                        {"threads", r.of.threads[t]},
                                        {"seed", seed + 1},
                                        {"seconds", d.seconds},
                                        {"losses", d.losses},
                                        {"test_error", d.error}});
                }
    return {
        {"tutti_study", "hogwild"}, {"cores", r.cores}, {"load", r.load}, {"wall_s", r.wall_s}, {"descents", descents}};
}

} // namespace tutti::tools::study::hogwild
