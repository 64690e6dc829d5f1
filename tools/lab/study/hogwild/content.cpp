// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../page.hpp"
#include "findings.hpp"

namespace tutti::tools::study::hogwild {
namespace {

json speed_chart(const results& r, const solved& one) {
    const std::string title = fmt::format("Speed-up over one thread without locks, {} problem, {} cores: mean, and a "
                                          "band of two standard deviations",
                                          one.of.name, r.cores);
    return chart(title, "threads", "times as fast",
                 list_of(ways.size(),
                         [&](std::size_t w) {
                             return series(std::string(name_of(ways[w])),
                                           list_of(r.of.threads.size(), [&](std::size_t t) {
                                               return banded(r.of.threads[t], speed_up(one, w, t));
                                           }));
                         }),
                 {"powers_of_two"});
}

json loss_chart(const results& r, const solved& one) {
    const auto curve = [&](std::string name, std::size_t w, std::size_t t) {
        const auto& seeds = one.descents[w][t];
        return series(std::move(name), list_of(r.of.passes, [&](std::size_t pass) {
                          double mean = 0;
                          for (const descent& d : seeds) mean += d.losses[pass] / static_cast<double>(seeds.size());
                          return json{{"x", pass + 1}, {"y", mean}};
                      }));
    };
    json all = json::array({curve("one thread", 0, 0)}); // it is the same, however threads share
    for (std::size_t w = 0; w < ways.size(); ++w)
        all.push_back(
            curve(fmt::format("{} threads, {}", r.of.threads.back(), name_of(ways[w])), w, r.of.threads.size() - 1));
    return chart(fmt::format("Loss by pass, {} problem: mean of the seeds", one.of.name), "passes over the samples",
                 "training loss", all, {"log_y"});
}

json figures_of(const results& r, const solved& one) {
    json lines = json::array();
    for (std::size_t w = 0; w < ways.size(); ++w)
        for (std::size_t t = 0; t < r.of.threads.size(); ++t)
            lines.push_back({name_of(ways[w]), fmt::format("{}", r.of.threads[t]),
                             fmt::format("{:.0f}", samples_a_second(one, r.of.passes, w, t).mean),
                             words_of(speed_up(one, w, t), 2), words_of(last_loss(one, w, t), 4),
                             words_of(last_error(one, w, t), 2, 100)});
    return table(fmt::format("The {} problem: mean and two standard deviations", one.of.name),
                 {"threads share", "threads", "samples a second", "speed-up", "training loss", "test error, %"}, lines);
}

json parameters_of(const results& r) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const solved& one : r.problems) {
        all.emplace_back(one.of.name + " problem", one.of.words);
        all.emplace_back("samples", fmt::format("{} to train with, {} to test with", one.of.training(),
                                                one.of.samples() - one.of.training()));
        all.emplace_back("features",
                         fmt::format("{}; {:.3g} of them in a sample; the most common is in {:.1f} % of samples",
                                     one.of.features, one.of.features_a_sample(), 100 * one.of.most_common()));
        all.emplace_back("first rate", fmt::format("{:g}", one.rate));
    }
    all.emplace_back("loss", "logistic, without regularisation");
    all.emplace_back("passes",
                     fmt::format("{}, after each of which the rate is {} of what it was", r.of.passes, r.of.kept));
    all.emplace_back("seeds", fmt::format("1 to {}: the order of samples", r.of.seeds));
    all.emplace_back("cores", fmt::format("{}", r.cores));
    return parameters(all);
}

} // namespace

json content_of(const results& r) {
    json sections =
        json::array({{{"title", "What was found"}, {"paragraphs", findings_of(r)}, {"charts", json::array()}}});
    for (const solved& one : r.problems)
        sections.push_back({{"title", fmt::format("The {} problem: {}", one.of.name, one.of.words)},
                            {"charts", {speed_chart(r, one), loss_chart(r, one)}},
                            {"tables", json::array({figures_of(r, one)})}});
    sections.push_back(parameters_of(r));
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
