// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../page.hpp"
#include "../pictures_of.hpp"
#include "findings.hpp"

namespace tutti::tools::study {
namespace {

std::string words_of_pictures(const design& d) {
    return d.drawn > 0 ? fmt::format("{} drawn digits", d.drawn) : words_of_source(d.data);
}

json error_chart(const large_batch_results& r) {
    return chart("Test error after the last epoch: mean, and a band of two standard deviations", "minibatch",
                 "test error, %",
                 list_of(recipes.size(),
                         [&](std::size_t n) {
                             const std::vector<spread> curve = curve_of(r, recipes[n]);
                             return series(std::string(name_of(recipes[n])), list_of(curve.size(), [&](std::size_t i) {
                                               return banded(static_cast<double>(r.of.minibatches[i]), curve[i], 100);
                                           }));
                         }),
                 {"powers_of_two", "log_y"});
}

json training_chart(const large_batch_results& r, recipe how) {
    const auto& sizes = r.of.minibatches;
    const std::size_t each = sizes.size() > 5 ? 2 : 1;
    return chart(fmt::format("Test error by epoch, {}: mean of the seeds", name_of(how)), "epoch", "test error, %",
                 list_of((sizes.size() + each - 1) / each, [&](std::size_t n) {
                     const std::size_t size = sizes[n * each];
                     return series(fmt::format("minibatch {}", size), list_of(r.of.epochs, [&](std::size_t e) {
                                       return json{{"x", e + 1}, {"y", 100 * error_of(r, how, size, e).mean}};
                                   }));
                 }));
}

json efficiency_chart(const large_batch_results& r) {
    const auto curve = [](std::string name, const scaling& s, const auto& percent) {
        return series(std::move(name), list_of(s.steps.size(), [&](std::size_t i) {
                          return json{{"x", s.steps[i].gpus}, {"y", percent(s.steps[i])}};
                      }));
    };
    json all = list_of(r.scalings.size(), [&](std::size_t i) {
        return curve(r.scalings[i].algorithm, r.scalings[i],
                     [](const scaled_step& one) { return 100 * one.efficiency; });
    });
    all.push_back(curve("Goyal et al. 2017: about 90 %", r.scalings.front(), [](const scaled_step&) { return 90; }));
    return chart("ResNet-50: images/s a GPU, by those on the GPUs of one node", "GPUs", "scaling efficiency, %", all,
                 {"powers_of_two"});
}

json parameters_of(const large_batch_results& r) {
    const design& d = r.of;
#ifdef TUTTI_BLAS
    const char* const products = "OpenBLAS";
#else
    const char* const products = "plain loops";
#endif
    return parameters(
        {{"pictures", words_of_pictures(d)},
         {"network", fmt::format("{} hidden units, rectified; 10 outputs; cross entropy", d.hidden)},
         {"optimizer", "SGD with momentum 0.9, w = w - rate v; no weight decay"},
         {"LARS", "coefficient 0.001, momentum 0.9"},
         {"schedule", fmt::format("half a cosine over {} epochs", d.epochs)},
         {"base rate", fmt::format("{} at a minibatch of {}", d.base_rate, d.minibatches.front())},
         {"rate of LARS", fmt::format("{} at all minibatches", d.lars_rate)},
         {"warm-up", fmt::format("{} epochs, linear from the base rate; of LARS from a tenth", d.warm_up_epochs)},
         {"seeds", fmt::format("1 to {}: first weights and the order of pictures", d.seeds)},
         {"at once", fmt::format("{} pictures at most; gradients of the slices are added", d.microbatch)},
         {"broken", "worse than its first place by two standard deviations of that and by 5 %, there and beyond"},
         {"matrix products", products},
         {"cluster", fmt::format("{}: {}", r.on.name, r.on.made)},
         {"gradients", "25,557,032 floats (97.5 MiB), in buckets of 1 and 25 MiB"},
         {"step on one node", fmt::format("{:.1f} ms, of which {:.0f} ms backward: Goyal et al. 2017",
                                          1e3 * r.step.step_s, 1e3 * r.step.backward_s)}});
}

} // namespace

json content_of(const large_batch_results& r) {
    return {{"title", "How large can a minibatch be?"},
            {"lead", fmt::format("Test error of a network on {}, with minibatches of {} to {}.",
                                 words_of_pictures(r.of), r.of.minibatches.front(), r.of.minibatches.back())},
            {"made", fmt::format("tutti study large-batch: {} trainings in {:.0f} s, {:.0f} s of processors",
                                 r.runs.size(), r.wall_s, r.cpu_s)},
            {"sources",
             "Goyal et al., Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017. You, Gitman and "
             "Ginsburg, Large Batch Training of Convolutional Networks, 2017."},
            {"sections",
             {{{"title", "Error against minibatch"},
               {"paragraphs", findings_of(r)},
               {"charts", json::array({error_chart(r)})}},
              {{"title", "Scaling efficiency"},
               {"paragraphs",
                json::array({efficiency_sentence(r) + " Steps are simulated: gradients travel in buckets while the "
                                                      "backward pass computes. No rank is ever late in them."})},
               {"charts", json::array({efficiency_chart(r)})}},
              {{"title", "Training curves"},
               {"charts", list_of(recipes.size(), [&](std::size_t i) { return training_chart(r, recipes[i]); })}},
              parameters_of(r)}}};
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
