// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../page.hpp"
#include "four.hpp"
#include "simulated.hpp"
#include "study.hpp"

#include <fmt/ranges.h>

namespace tutti::tools::study::pipeline {
namespace {

json bubble_section() {
    return {
        {"title", "Idle time"},
        {"paragraphs",
         {"A batch is cut into M microbatches. With S stages, a synchronous pipeline idles while it fills and while it "
          "drains. The papers give (S-1)/(M+S-1) as the share. Points here are timelines of the steps that the "
          "library runs, where a stage takes twice as long backwards as forwards.",
          fmt::format("The largest difference between a point and its formula is {:.1e}.",
                      largest_difference_of_bubble())}},
        {"charts", bubble_charts()}};
}

json held_section() {
    return {
        {"title", "What a stage holds"},
        {"paragraphs",
         {"The proof of a schedule counts the activations that are alive, the versions of the weights that are still "
          "needed, and how many updates lie between the weights of a gradient and those that it is applied to. "
          "Synchronous schedules have one version, and no staleness."}},
        {"charts", held_charts()}};
}

json time_chart(const measurement& m) {
    const auto named = [&m](const char* name, double measured_schedule::*what) {
        return series(name, list_of(m.schedules.size(), [&](std::size_t i) {
                          return json{{"y", 1e3 * (m.schedules[i].*what)}};
                      }));
    };
    return bars(words_of(m), "schedule", "ms for 8 microbatches",
                list_of(m.schedules.size(), [](std::size_t i) { return four[i].words; }),
                {named("measured", &measured_schedule::step_s), named("predicted", &measured_schedule::predicted_s)});
}

json time_table(const std::vector<measurement>& all) {
    json lines = json::array();
    for (const measurement& m : all)
        for (std::size_t i = 0; i < m.schedules.size(); ++i) {
            const measured_schedule& s = m.schedules[i];
            lines.push_back({words_of(m), four[i].words, fmt::format("{:.1f}", 1e3 * s.step_s),
                             fmt::format("{:.1f}", 1e3 * s.predicted_s),
                             fmt::format("{:+.1f} %", 100 * (s.step_s / s.predicted_s - 1)),
                             fmt::format("{:.1f} %", 100 * s.idle), fmt::format("{:.1f} %", 100 * s.predicted_idle)});
        }
    json made = table("Milliseconds for 8 microbatches; idle time is the mean of the ranks",
                      {"ranks", "schedule", "measured", "predicted", "difference", "idle", "idle, predicted"}, lines);
    made["names"] = 2;
    return made;
}

json time_section(const results& r) {
    const std::vector<measurement>& all = r.measured;
    const measurement& real = all.front();
    return {
        {"title", "Time of a step"},
        {"paragraphs",
         {fmt::format(
              "Ranks are processes that pass messages through shared memory. The network has {} full layers of {} "
              "columns, cut evenly. A microbatch has {} pictures, their middle 16 by 16 pixels. On the first 2 "
              "ranks everything is computed.",
              real.layers, real.width, real.rows),
          "The others do not compute. Each of their stages sleeps for as long as its part of the work was measured to "
          "take "
          "on the first 2 ranks. So more ranks run than there are cores. Their schedules, messages and waits are real, "
          "and "
          "their arithmetic is emulated.",
          fmt::format(
              "The prediction is the timeline of the same steps. It takes the mean time of a forward, a backward and "
              "an update of that very run, and the time of a message, which was measured apart: {:.0f} "
              "microseconds. A figure of PipeDream is a run of 4 batches without a pause, divided by 4, so it has "
              "32 updates where the others have 4.",
              1e6 * real.message_s),
          fmt::format(
              "When it began, the host of {} cores had a load of {:.1f}. Above 0.5, other programs have slowed down "
              "what is measured.",
              r.cores, r.load)}},
        {"charts", list_of(all.size(), [&](std::size_t i) { return time_chart(all[i]); })},
        {"tables", json::array({time_table(all)})}};
}

json accuracy_chart(const learning& l, double rate) {
    json curves = json::array();
    for (const curve& c : l.curves)
        if (c.rate == rate)
            curves.push_back(series(c.name, list_of(l.epochs, [&](std::size_t e) {
                                        return banded(static_cast<double>(e + 1), spread_of(c, e), 100);
                                    })));
    return chart(
        fmt::format("Test accuracy, learning rate {}: mean and 2 standard deviations of {} seeds", rate, l.seeds),
        "epoch", "accuracy, %", curves);
}

json accuracy_section(const results& r) {
    const learning& l = r.learnt;
    json charts = json::array(), lines = json::array();
    for (const double rate : rates_of(l)) charts.push_back(accuracy_chart(l, rate));
    for (const curve& c : l.curves)
        lines.push_back({c.name, fmt::format("{}", c.rate), words_of(spread_of(c, l.epochs - 1), 2, 100)});
    return {
        {"title", "Learning with old weights"},
        {"paragraphs",
         {fmt::format("A perceptron of {} columns learns {} pictures ({}), {} at a time, by momentum of {}; {} others "
                      "test it. An update follows each microbatch. PipeDream has {} stages: stage s uses weights that "
                      "are {}-s updates old.",
                      fmt::join(l.widths, ", "), l.pictures, r.data, l.batch, l.kept, l.tests, l.stages, l.stages - 1),
          "With stashing, a backward uses the weights of its forward. Without, it uses the latest ones. Where all "
          "weights are k updates old, staleness is as large as a bound of k allows, on all stages: PipeDream with "
          "vertical sync over k+1 stages. One process follows these rules; tests show that it has the bits of the "
          "pipelines. The library's pipelines refuse to run without stashing, so that rule has no other witness."}},
        {"charts", std::move(charts)},
        {"tables", json::array({table("After the last epoch: mean and 2 standard deviations over the seeds",
                                      {"weights", "rate", "accuracy, %"}, lines)})}};
}

} // namespace

json content_of(const results& r) {
    return {{"title", "Four pipelines: what they cost, and what old weights do to learning"},
            {"lead", "GPipe, 1F1B, interleaved 1F1B and PipeDream: idle time, memory, staleness, time and accuracy."},
            {"made", "Made by tutti study pipeline, from " + r.data + "."},
            {"sources",
             "Huang et al., GPipe, NeurIPS 2019. Narayanan et al., PipeDream, SOSP 2019. Narayanan et al., "
             "Memory-Efficient Pipeline-Parallel DNN Training, ICML 2021. Narayanan et al., Efficient Large-Scale "
             "Language Model Training on GPU Clusters Using Megatron-LM, SC 2021."},
            {"sections",
             {{{"title", "Beside the papers"}, {"paragraphs", findings_of(r)}},
              bubble_section(),
              held_section(),
              time_section(r),
              accuracy_section(r),
              {{"title", "Timelines"}, {"pictures", timelines()}}}}};
}

} // namespace tutti::tools::study::pipeline
