// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../pictures_of.hpp"
#include "four.hpp"
#include "study.hpp"

#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::tools::study {
namespace {

using facts_json = nlohmann::ordered_json;

facts_json facts_of(const pipeline::measurement& m) {
    facts_json schedules = facts_json::array();
    for (const pipeline::measured_schedule& s : m.schedules)
        schedules.push_back({{"schedule", s.name},
                             {"chunks", s.chunks},
                             {"step_s", s.step_s},
                             {"predicted_s", s.predicted_s},
                             {"idle", s.idle},
                             {"predicted_idle", s.predicted_idle},
                             {"forward_s", s.work.forward_s},
                             {"backward_s", s.work.backward_s},
                             {"update_s", s.work.update_s}});
    return {{"stages", m.stages}, {"sleeps", m.sleeps},       {"microbatches", m.microbatches},
            {"rows", m.rows},     {"message_s", m.message_s}, {"schedules", std::move(schedules)}};
}

facts_json facts_of(const pipeline::results& r) {
    facts_json measured = facts_json::array(), curves = facts_json::array();
    for (const pipeline::measurement& m : r.measured) measured.push_back(facts_of(m));
    for (const pipeline::curve& c : r.learnt.curves)
        curves.push_back({{"weights", c.name}, {"rate", c.rate}, {"accuracy", c.accuracy}});
    return {{"pictures", r.data},
            {"load", r.load},
            {"cores", r.cores},
            {"measured", std::move(measured)},
            {"accuracy", std::move(curves)}};
}

} // namespace

outcome pipelines(const settings& s, progress_line& line) {
    pipeline::results r{words_of_source(source_of(s)), 0, std::thread::hardware_concurrency(), {}, {}};
    static_cast<void>(getloadavg(&r.load, 1)); // 0 where the system does not say
    r.measured = pipeline::measure(
        s, [&line](int stages) { line.show(fmt::format("measuring pipelines of {} ranks", stages)); });
    line.clear();
    progress_line of_trainings; // it counts from here
    r.learnt = pipeline::learn(s, of_trainings);
    of_trainings.clear();
    return {fmt::format("{}", fmt::join(pipeline::findings_of(r), "\n")), pipeline::content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study
