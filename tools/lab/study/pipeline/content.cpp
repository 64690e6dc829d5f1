// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "four.hpp"
#include "simulated.hpp"
#include "study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace tutti::tools::study::pipeline {
namespace {

using page_json = nlohmann::ordered_json;

page_json bubble_section() {
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

page_json held_section() {
    return {
        {"title", "What a stage holds"},
        {"paragraphs",
         {"The proof of a schedule counts the activations that are alive, the versions of the weights that are still "
          "needed, and how many updates lie between the weights of a gradient and those that it is applied to. "
          "Synchronous schedules have one version, and no staleness."}},
        {"charts", held_charts()}};
}

page_json time_chart(const measurement& m) {
    page_json measured = page_json::array(), predicted = page_json::array(), labels = page_json::array();
    for (std::size_t i = 0; i < m.schedules.size(); ++i) {
        labels.push_back(four[i].words);
        measured.push_back(page_json{{"y", 1e3 * m.schedules[i].step_s}});
        predicted.push_back(page_json{{"y", 1e3 * m.schedules[i].predicted_s}});
    }
    page_json series = page_json::array();
    series.push_back({{"name", "measured"}, {"points", std::move(measured)}});
    series.push_back({{"name", "predicted"}, {"points", std::move(predicted)}});
    return {{"kind", "bars"},
            {"title", words_of(m)},
            {"x", "schedule"},
            {"y", "ms for 8 microbatches"},
            {"labels", std::move(labels)},
            {"series", std::move(series)}};
}

page_json time_table(const std::vector<measurement>& all) {
    page_json lines = page_json::array();
    for (const measurement& m : all)
        for (std::size_t i = 0; i < m.schedules.size(); ++i) {
            const measured_schedule& s = m.schedules[i];
            lines.push_back({words_of(m), four[i].words, fmt::format("{:.1f}", 1e3 * s.step_s),
                             fmt::format("{:.1f}", 1e3 * s.predicted_s),
                             fmt::format("{:+.1f} %", 100 * (s.step_s / s.predicted_s - 1)),
                             fmt::format("{:.1f} %", 100 * s.idle), fmt::format("{:.1f} %", 100 * s.predicted_idle)});
        }
    return {{"caption", "Milliseconds for 8 microbatches; idle time is the mean of the ranks"},
            {"names", 2},
            {"heads", {"ranks", "schedule", "measured", "predicted", "difference", "idle", "idle, predicted"}},
            {"lines", std::move(lines)}};
}

page_json time_section(const results& r) {
    const std::vector<measurement>& all = r.measured;
    const measurement& real = all.front();
    page_json charts = page_json::array(), tables = page_json::array();
    for (const measurement& m : all) charts.push_back(time_chart(m));
    tables.push_back(time_table(all));
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
        {"charts", std::move(charts)},
        {"tables", std::move(tables)}};
}

page_json accuracy_chart(const learning& l, double rate) {
    page_json series = page_json::array();
    for (const curve& c : l.curves) {
        if (c.rate != rate) continue;
        page_json points = page_json::array();
        for (std::size_t e = 0; e < l.epochs; ++e) {
            const spread s = spread_of(c, e);
            points.push_back({{"x", e + 1},
                              {"y", 100 * s.mean},
                              {"low", 100 * (s.mean - 2 * s.deviation)},
                              {"high", 100 * (s.mean + 2 * s.deviation)}});
        }
        series.push_back({{"name", c.name}, {"points", std::move(points)}});
    }
    return {{"kind", "lines"},
            {"title",
             fmt::format("Test accuracy, learning rate {}: mean and 2 standard deviations of {} seeds", rate, l.seeds)},
            {"x", "epoch"},
            {"y", "accuracy, %"},
            {"series", std::move(series)}};
}

page_json accuracy_section(const results& r) {
    const learning& l = r.learnt;
    page_json charts = page_json::array(), lines = page_json::array();
    for (const double rate : rates_of(l)) charts.push_back(accuracy_chart(l, rate));
    for (const curve& c : l.curves) {
        const spread s = spread_of(c, l.epochs - 1);
        lines.push_back(
            {c.name, fmt::format("{}", c.rate), fmt::format("{:.2f} ± {:.2f}", 100 * s.mean, 200 * s.deviation)});
    }
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
        {"tables",
         page_json::array({{{"caption", "After the last epoch: mean and 2 standard deviations over the seeds"},
                            {"heads", {"weights", "rate", "accuracy, %"}},
                            {"lines", std::move(lines)}}})}};
}

page_json findings_section(const results& r) {
    return {{"title", "Beside the papers"}, {"paragraphs", findings_of(r)}};
}

} // namespace

page_json content_of(const results& r) {
    page_json sections =
        page_json::array({findings_section(r), bubble_section(), held_section(), time_section(r), accuracy_section(r)});
    sections.push_back({{"title", "Timelines"}, {"pictures", timelines()}});
    return {{"title", "Four pipelines: what they cost, and what old weights do to learning"},
            {"lead", "GPipe, 1F1B, interleaved 1F1B and PipeDream: idle time, memory, staleness, time and accuracy."},
            {"made", "Made by tutti study pipeline, from " + r.data + "."},
            {"sources",
             "Huang et al., GPipe, NeurIPS 2019. Narayanan et al., PipeDream, SOSP 2019. Narayanan et al., "
             "Memory-Efficient Pipeline-Parallel DNN Training, ICML 2021. Narayanan et al., Efficient Large-Scale "
             "Language Model Training on GPU Clusters Using Megatron-LM, SC 2021."},
            {"sections", std::move(sections)}};
}

} // namespace tutti::tools::study::pipeline
