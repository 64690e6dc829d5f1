// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/study/pipeline/study.hpp"

#include "../../tools/lab/study/pipeline/simulated.hpp"
#include "../tools/command.hpp"
#include "../tools/folder.hpp"

#include "support/catch.hpp"

#include <cmath>

namespace {

namespace four_pipelines = tutti::tools::study::pipeline;
using study_json = nlohmann::ordered_json;
using tools_test::command;

} // namespace

TEST_CASE("idle time that follows from the steps is that of the papers") {
    CHECK(four_pipelines::largest_difference_of_bubble() < 1e-12);
    CHECK(std::abs(four_pipelines::bubble_of("interleaved", {4, 8, 2}) - 1.5 / 9.5) < 1e-12);
    CHECK(std::abs(four_pipelines::formula_of_bubble({4, 8, 1}) - 3. / 11) < 1e-12);
}

TEST_CASE("the spread of a curve is the mean and the standard deviation of its seeds") {
    const four_pipelines::curve c{"", 0.1, {{0.5, 0.8}, {0.5, 0.9}, {0.5, 0.7}}};
    CHECK(four_pipelines::spread_of(c, 0).deviation == 0);
    CHECK(std::abs(four_pipelines::spread_of(c, 1).mean - 0.8) < 1e-12);
    CHECK(std::abs(four_pipelines::spread_of(c, 1).deviation - 0.1) < 1e-12);
}

TEST_CASE("tutti study pipeline measures, trains, and writes a page and what it found") {
    const tools_test::folder room;
    const std::string page = room.path("page.html"), facts = room.path("facts.json");
    const auto r =
        command("study pipeline --quick --seeds 2 --epochs 1 --data drawn --out " + page + " --json " + facts);
    INFO(r.output);
    REQUIRE(r.status == 0);
    const study_json found = study_json::parse(room.read("facts.json"));
    REQUIRE(found["measured"].size() == 4);
    for (const auto& m : found["measured"])
        for (const auto& s : m["schedules"]) {
            CHECK(s["step_s"].get<double>() > 0);
            CHECK(s["predicted_s"].get<double>() > 0);
            CHECK(s["idle"].get<double>() < 1);
        }
    CHECK(found["accuracy"].size() == 14);
    for (const auto& c : found["accuracy"]) CHECK(c["accuracy"].size() == 2);
    const std::string text = room.read("page.html");
    CHECK(text.find("Four pipelines") != std::string::npos);
    CHECK(text.find("8 ranks that sleep") != std::string::npos);
    CHECK(r.output.find("Huang et al. 2019") != std::string::npos);
}

TEST_CASE("tutti study refuses what is no study") {
    CHECK(command("study").status == 2);
    CHECK(command("study pipelines").status == 2);
    CHECK(command("study pipeline --seeds 1").status == 2);
}
