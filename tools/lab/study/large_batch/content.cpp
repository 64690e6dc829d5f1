// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "content.hpp"

#include "../pictures_of.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tutti::tools::study {
namespace {

using json = nlohmann::ordered_json;

std::string words_of_pictures(const design& d) {
    return d.drawn > 0 ? fmt::format("{} drawn digits", d.drawn) : words_of_source(d.data);
}

/// In percent, between which two standard deviations lie; an error is no less than 0.
json point_of(std::size_t x, const spread& s) {
    return {{"x", x},
            {"y", 100 * s.mean},
            {"low", std::max(0., 100 * (s.mean - 2 * s.deviation))},
            {"high", 100 * (s.mean + 2 * s.deviation)}};
}

json chart_of(std::string title, const char* x, const char* y, bool powers_of_two, json series) {
    return {{"title", std::move(title)}, {"x", x}, {"y", y}, {"powers_of_two", powers_of_two}, {"series", series}};
}

json error_chart(const large_batch_results& r) {
    json series = json::array();
    for (const recipe how : recipes) {
        json points = json::array();
        const std::vector<spread> curve = curve_of(r, how);
        for (std::size_t i = 0; i < curve.size(); ++i) points.push_back(point_of(r.of.minibatches[i], curve[i]));
        series.push_back({{"name", name_of(how)}, {"points", points}});
    }
    json chart = chart_of("Test error after the last epoch: mean, and a band of two standard deviations", "minibatch",
                          "test error, %", true, series);
    chart["log_y"] = true;
    return chart;
}

json training_chart(const large_batch_results& r, recipe how) {
    json series = json::array();
    for (std::size_t i = 0; i<r.of.minibatches.size(); i += r.of.minibatches.size()> 5 ? 2 : 1) {
        json points = json::array();
        for (std::size_t e = 0; e < r.of.epochs; ++e)
            points.push_back({{"x", e + 1}, {"y", 100 * error_of(r, how, r.of.minibatches[i], e).mean}});
        series.push_back({{"name", fmt::format("minibatch {}", r.of.minibatches[i])}, {"points", points}});
    }
    return chart_of(fmt::format("Test error by epoch, {}: mean of the seeds", name_of(how)), "epoch", "test error, %",
                    false, series);
}

json efficiency_chart(const large_batch_results& r) {
    json series = json::array(), published = json::array();
    for (const scaling& s : r.scalings) {
        json points = json::array();
        for (const scaled_step& one : s.steps) points.push_back({{"x", one.gpus}, {"y", 100 * one.efficiency}});
        series.push_back({{"name", s.algorithm}, {"points", points}});
    }
    for (const scaled_step& one : r.scalings.front().steps) published.push_back({{"x", one.gpus}, {"y", 90}});
    series.push_back({{"name", "Goyal et al. 2017: about 90 %"}, {"points", published}});
    return chart_of("ResNet-50: images/s a GPU, by those on the GPUs of one node", "GPUs", "scaling efficiency, %",
                    true, series);
}

json parameter_table(const large_batch_results& r) {
    const design& d = r.of;
    json lines = json::array();
    const auto add = [&lines](const char* name, std::string value) { lines.push_back({name, std::move(value)}); };
    add("pictures", words_of_pictures(d));
    add("network", fmt::format("{} hidden units, rectified; 10 outputs; cross entropy", d.hidden));
    add("optimizer", "SGD with momentum 0.9, w = w - rate v; no weight decay");
    add("LARS", "coefficient 0.001, momentum 0.9");
    add("schedule", fmt::format("half a cosine over {} epochs", d.epochs));
    add("base rate", fmt::format("{} at a minibatch of {}", d.base_rate, d.minibatches.front()));
    add("rate of LARS", fmt::format("{} at all minibatches", d.lars_rate));
    add("warm-up", fmt::format("{} epochs, linear from the base rate; of LARS from a tenth", d.warm_up_epochs));
    add("seeds", fmt::format("1 to {}: first weights and the order of pictures", d.seeds));
    add("at once", fmt::format("{} pictures at most; gradients of the slices are added", d.microbatch));
    add("broken", "worse than its first place by two standard deviations of that and by 5 %, there and beyond");
    add("matrix products",
#ifdef TUTTI_BLAS
        "OpenBLAS"
#else
        "plain loops"
#endif
    );
    add("cluster", fmt::format("{}: {}", r.on.name, r.on.made));
    add("gradients", "25,557,032 floats (97.5 MiB), in buckets of 1 and 25 MiB");
    add("step on one node", fmt::format("{:.1f} ms, of which {:.0f} ms backward: Goyal et al. 2017",
                                        1e3 * r.step.step_s, 1e3 * r.step.backward_s));
    return {{"caption", "Parameters"}, {"heads", {"parameter", "value"}}, {"lines", lines}, {"folded", true}};
}

} // namespace

json content_of(const large_batch_results& r) {
    std::vector<std::string> found{comparison(r)};
    for (const std::string& one : break_sentences(r)) found.push_back(one);
    json training = json::array();
    for (const recipe how : recipes) training.push_back(training_chart(r, how));
    return {{"title", "How large can a minibatch be?"},
            {"lead", fmt::format("Test error of a network on {}, with minibatches of {} to {}.",
                                 words_of_pictures(r.of), r.of.minibatches.front(), r.of.minibatches.back())},
            {"made", fmt::format("tutti study large-batch: {} trainings in {:.0f} s, {:.0f} s of processors",
                                 r.runs.size(), r.wall_s, r.cpu_s)},
            {"sources",
             "Goyal et al., Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017. You, Gitman and "
             "Ginsburg, Large Batch Training of Convolutional Networks, 2017."},
            {"sections",
             {{{"title", "Error against minibatch"}, {"paragraphs", found}, {"charts", json::array({error_chart(r)})}},
              {{"title", "Scaling efficiency"},
               {"paragraphs",
                json::array({efficiency_sentence(r) + " Steps are simulated: gradients travel in buckets while the "
                                                      "backward pass computes. No rank is ever late in them."})},
               {"charts", json::array({efficiency_chart(r)})}},
              {{"title", "Training curves"}, {"charts", training}},
              {{"title", "Parameters"}, {"tables", json::array({parameter_table(r)})}}}}};
}

json facts_of(const large_batch_results& r) {
    json trainings = json::array(), steps = json::array();
    for (std::size_t i = 0; i < r.runs.size(); ++i)
        trainings.push_back({{"rule", name_of(r.runs[i].how)},
                             {"minibatch", r.runs[i].minibatch},
                             {"seed", r.runs[i].seed},
                             {"test_error", r.errors[i]}});
    for (const scaling& s : r.scalings)
        for (const scaled_step& one : s.steps)
            steps.push_back({{"algorithm", s.algorithm},
                             {"gpus", one.gpus},
                             {"step_s", one.step_s},
                             {"efficiency", one.efficiency}});
    return {{"tutti_study", "large-batch"}, {"pictures", words_of_pictures(r.of)},
            {"wall_s", r.wall_s},           {"cpu_s", r.cpu_s},
            {"trainings", trainings},       {"scaling", steps}};
}

} // namespace tutti::tools::study
