// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/study/staleness/findings.hpp"

#include "../tools/command.hpp"
#include "../tools/folder.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

namespace {

namespace stale = tutti::tools::study::staleness;
using stale::axis;
using tutti::tools::out_of_step_result;
using tutti::tools::tested_store;

const std::vector<tested_store> rising{{2, 100, 1, 0.5}, {4, 300, 1, 0.7}, {8, 400, 1, 0.6}, {9, 500, 1, 0.9}};

/// Two seeds of BSP, of one bound and of none, in one model of stragglers. `speed` is by discipline, and so is what
/// their accuracy is multiplied by, but for the last test.
stale::results three_disciplines(const std::vector<double>& speed, const std::vector<double>& worth) {
    stale::results r;
    r.of.disciplines = stale::disciplines_of({4});
    r.of.models = {{"late", "constant(1s)", ""}};
    r.of.seeds = 2;
    r.runs = stale::runs_of(r.of);
    for (const stale::run& one : r.runs) {
        out_of_step_result found{rising, 9 / speed[one.discipline], 500, {1, 2}};
        for (tested_store& t : found.tests) {
            t.seconds /= speed[one.discipline];
            t.accuracy *= (t.steps < 500 ? worth[one.discipline] : 1) + 1e-4 * static_cast<double>(one.seed);
        }
        r.found.push_back(found);
    }
    return r;
}

} // namespace

TEST_CASE("accuracy is read off the line between two tests") {
    CHECK(*stale::accuracy_at(rising, axis::steps, 200) == Approx(0.6));
    CHECK(*stale::accuracy_at(rising, axis::seconds, 6) == Approx(0.65));
    CHECK(*stale::accuracy_at(rising, axis::seconds, 9) == Approx(0.9));
    CHECK(!stale::accuracy_at(rising, axis::seconds, 1));
    CHECK(!stale::accuracy_at(rising, axis::seconds, 10));
    CHECK(!stale::accuracy_at({}, axis::seconds, 1));
    CHECK(*stale::place_of_accuracy(rising, axis::seconds, 0.6) == Approx(3)); // where it is first reached
    CHECK(*stale::place_of_accuracy(rising, axis::steps, 0.75) == Approx(450));
    CHECK(*stale::place_of_accuracy(rising, axis::steps, 0.4) == Approx(100));
    CHECK(!stale::place_of_accuracy(rising, axis::steps, 0.95));
}

TEST_CASE("a result survives the way from its process") {
    const out_of_step_result sent{rising, 12.5, 500, {7, 0, 3}};
    const out_of_step_result got = stale::result_of(stale::numbers_of(sent));
    CHECK(got.seconds == sent.seconds);
    CHECK(got.steps == sent.steps);
    CHECK(got.staleness == sent.staleness);
    REQUIRE(got.tests.size() == rising.size());
    CHECK(got.tests[2].seconds == 8);
    CHECK(got.tests[2].steps == 400);
    CHECK(got.tests[2].accuracy == 0.6);
}

TEST_CASE("what agrees with the paper follows from the figures") {
    using Catch::Contains;
    const std::string one = "in 1 of 1 models of stragglers", none = "in 0 of 1 models of stragglers";
    const auto as_there = stale::comparison(three_disciplines({1, 2, 1.9}, {1, 0.95, 0.9}));
    CHECK_THAT(as_there, Contains("more steps a second " + one) && Contains("worse than BSP " + one) &&
                             Contains("sooner than BSP " + one) && Contains("reach that " + one));
    const auto unlike = stale::comparison(three_disciplines({1, 0.9, 2}, {1, 1, 1}));
    CHECK_THAT(unlike, Contains("more steps a second " + none) && Contains("worse than BSP " + none) &&
                           Contains("sooner than BSP " + none) && Contains("reach that " + none));
    const auto r = three_disciplines({1, 2, 2.1}, {1, 0.95, 0.5});
    CHECK(stale::goal_of(r) == Approx(0.89));
    CHECK(stale::seconds_to(r, 0, 2, 0.9).has_value());
    CHECK(!stale::seconds_to(r, 0, 2, 0.95));
    CHECK(stale::staleness_of(r, 0, 1)[1] == Approx(2. / 3));
    CHECK(stale::steps_a_second(r, 0, 1).mean == Approx(2 * 500 / 9.));
}

TEST_CASE("a quick study of staleness writes its page, and is the same with any number of jobs") {
    const tools_test::folder room;
    const auto made = [&](const std::string& jobs) {
        const std::string line = "study staleness --quick --data drawn --epochs 1 --jobs " + jobs;
        const auto r = tools_test::command(line + " --out " + room.path(jobs + ".html") + " --json " + room.path(jobs));
        INFO(r.output);
        REQUIRE(r.status == 0);
        CHECK(r.output.find("Ho et al. 2013") != std::string::npos);
        return nlohmann::json::parse(room.read(jobs));
    };
    const auto one = made("1"), three = made("3");
    CHECK(one["trainings"].size() == 3 * 4 * 2);
    CHECK(one["trainings"] == three["trainings"]);
    CHECK(room.read("1.html").find("Staleness as read") != std::string::npos);
    for (const auto& t : one["trainings"]) {
        CHECK(t["seconds"].get<double>() > 0);
        CHECK(t["tests"].size() >= 2);
        if (t["workers"] == "SSP 1") CHECK(t["reads_by_staleness"].size() <= 2);
    }
}
