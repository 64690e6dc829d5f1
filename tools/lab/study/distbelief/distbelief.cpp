// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../train/out_of_step.hpp"
#include "../../train/sandblaster/portion_maths.hpp"
#include "../processes.hpp"
#include "study.hpp"

namespace tutti::tools::study {
namespace {

/// The first pictures of a set.
dataset first_of(dataset all, std::size_t count) {
    all.labels.resize(std::min(all.size(), count));
    all.images.resize(all.size() * all.pixels);
    return all;
}

picture_sets sets_of(const settings& s, distbelief::design& d) {
    picture_sets sets{first_of(pictures_of(s, true), d.pictures), first_of(pictures_of(s, false), d.tests)};
    d.pictures = sets.training.size();
    d.tests = sets.testing.size();
    return sets;
}

/// Accuracy on the test pictures: seconds of virtual time and shares, one after the other.
numbers accuracies(const distbelief::design& d, const distbelief::run& r, const picture_sets& pictures) {
    const train_settings s = settings_of(d, r);
    numbers found;
    const auto note = [&found](const auto& tests) {
        for (const auto& t : tests) found.insert(found.end(), {t.seconds, t.accuracy});
    };
    if (r.how == distbelief::method::sandblaster) {
        portion_maths maths(s, {.tested = {}, .pictures = &pictures});
        note(sandblaster_in_virtual_time(s, maths));
    } else {
        const std::size_t steps = d.epochs * d.pictures / (d.minibatch * static_cast<std::size_t>(r.replicas));
        note(train_out_of_step(s, std::max<std::size_t>(1, steps / 40), &pictures).tests); // about 40 tests
    }
    return found;
}

distbelief::series series_of(const numbers& found) {
    distbelief::series tests;
    for (std::size_t i = 0; i + 1 < found.size(); i += 2) tests.push_back({found[i], 0, 0, found[i + 1]});
    return tests;
}

nlohmann::ordered_json facts_of(const distbelief::results& r) {
    nlohmann::ordered_json trainings = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < r.runs.size(); ++i) {
        numbers seconds, accuracy;
        for (const tested_store& t : r.tests[i]) {
            seconds.push_back(t.seconds);
            accuracy.push_back(t.accuracy);
        }
        trainings.push_back({{"method", name_of(r.runs[i].how)},
                             {"replicas", r.runs[i].replicas},
                             {"ranks", r.runs[i].ranks(r.of)},
                             {"stragglers", r.runs[i].stragglers},
                             {"seed", r.runs[i].seed},
                             {"seconds", seconds},
                             {"accuracy", accuracy}});
    }
    return {{"tutti_study", "distbelief"}, {"pictures", r.pictures}, {"target", r.of.target},
            {"wall_s", r.wall_s},          {"cpu_s", r.cpu_s},       {"trainings", trainings}};
}

} // namespace

outcome distbelief_methods(const settings& s, progress_line& line) {
    const stopwatch time;
    distbelief::results r{distbelief::design_of(s), words_of_source(source_of(s)), {}, {}};
    const picture_sets pictures = sets_of(s, r.of);
    r.runs = distbelief::runs_of(r.of);
    for (const numbers& one :
         trainings(s, line, r.runs.size(), [&](std::size_t i) { return accuracies(r.of, r.runs[i], pictures); }))
        r.tests.push_back(series_of(one));
    r.cpu_s = cpu_s_of_children();
    r.wall_s = time.seconds();
    return {text_of(r), content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study
