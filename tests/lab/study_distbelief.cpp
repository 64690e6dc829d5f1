// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/study/distbelief/study.hpp"

#include "../tools/command.hpp"
#include "../tools/folder.hpp"

#include "support/catch.hpp"

#include <fstream>
#include <functional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace tutti::tools::study::distbelief {
namespace {

using Catch::Contains;

/// Series that have 10 % at first and 90 % after `seconds(run)`; 0: 10 % for ever.
results made_up(const std::function<double(const run&)>& seconds, bool quick = false) {
    settings s{"distbelief", "", "", ""};
    s.quick = quick;
    results r{distbelief::design_of(s), "pictures", {}, {}, 0, 0};
    r.of.seeds = 2;
    r.runs = runs_of(r.of);
    for (const run& one : r.runs) {
        const double at = seconds(one);
        r.tests.push_back({{at > 0 ? at : 1, 1, 0, at > 0 ? 0.9 : 0.1}});
    }
    return r;
}

} // namespace

TEST_CASE("a design of the study has each method with each number of replicas") {
    const design d = design_of({"distbelief", "", "", ""});
    CHECK(runs_of(d).size() == d.seeds * 2 * (1 + 3 * d.replicas.size()));
    const run batch{method::sandblaster, 200, true, 3}, alone{method::sgd, 1, false, 1};
    CHECK(batch.ranks(d) == 204);
    CHECK(settings_of(d, batch).batch == d.pictures);
    CHECK(settings_of(d, batch).stragglers == "random(0.05,10x)");
    CHECK(settings_of(d, alone).virtual_ranks == 2);
    CHECK(settings_of(d, alone).stragglers.empty());
    CHECK(settings_of(d, {method::adagrad, 50, false, 1}).optimizer == "adagrad");
}

TEST_CASE("what a study says of the paper follows from its times") {
    const auto like_the_paper = made_up([](const run& r) {
        const double speed = r.how == method::sandblaster ? 0.05 : r.how == method::adagrad ? 2 : 1;
        return 100 / speed / (r.how == method::sandblaster ? r.replicas : 1);
    });
    const auto often = [](const results& r, const std::string& words) {
        return tools_test::occurrences(text_of(r), words);
    };
    // 100 s, 50 s, and 500 to 10 s: Sandblaster is the fastest of many, but slower than SGD by few.
    CHECK_THAT(findings_of(like_the_paper)[0], Contains("unlike there"));
    CHECK_THAT(findings_of(like_the_paper)[2],
               Contains("Downpour with Adagrad 1.0, Sandblaster 50.0") && Contains(": as there"));
    const auto never = made_up([](const run& r) { return r.how == method::fixed_rate ? 0 : 10.; });
    CHECK_THAT(findings_of(never)[0], Contains("never by all seeds") && Contains("unlike there"));
    CHECK(often(never, "unknown") > 0);
    CHECK(content_of(never)["sections"].size() == 4);
}

TEST_CASE("no curve of a chart is there twice, also where there are but two numbers of replicas") {
    for (const bool quick : {false, true}) {
        const auto page = content_of(made_up([](const run&) { return 10.; }, quick));
        for (const auto& section : page["sections"])
            for (const auto& chart : section.value("charts", nlohmann::ordered_json::array())) {
                std::set<std::string> names;
                for (const auto& one : chart["series"]) CHECK(names.insert(one["name"].get<std::string>()).second);
            }
    }
}

TEST_CASE("a quick study of DistBelief is the same with any number of jobs") {
    const tools_test::folder place;
    const auto made = [&](const std::string& jobs) {
        const std::string name = place.path(jobs);
        const auto r = tools_test::command("study distbelief --quick --data drawn --jobs " + jobs + " --out " + name +
                                           ".html --json " + name);
        INFO(r.output);
        if (r.output.find("without Chart.js") != std::string::npos) return nlohmann::json();
        REQUIRE(r.status == 0);
        CHECK_THAT(r.output, Contains("Sandblaster"));
        std::ifstream in(name);
        return nlohmann::json::parse(in);
    };
    const nlohmann::json one = made("1"), three = made("3");
    if (one.is_null()) return; // no pages
    CHECK(one["trainings"].size() == 2 * 2 * (1 + 3 * 2));
    CHECK(one["trainings"] == three["trainings"]);
}

} // namespace tutti::tools::study::distbelief
