// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/study/adacomm/findings.hpp"
#include "../../tools/lab/study/compression/findings.hpp"
#include "../../tools/lab/study/hogwild/findings.hpp"
#include "../../tools/lab/train/corpus.hpp"

#include "../tools/command.hpp"
#include "../tools/folder.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

namespace tutti::tools::study {
namespace {

/// What a quick study measured; null where there are no pages.
nlohmann::json measured_by(const std::string& study, const std::string& options) {
    const tools_test::folder place;
    const std::string name = place.path("facts");
    const auto r = tools_test::command("study " + study + " --quick --data drawn " + options + " --out " + name +
                                       ".html --json " + name);
    INFO(r.output);
    if (r.output.find("without Chart.js") != std::string::npos) return {};
    REQUIRE(r.status == 0);
    std::ifstream in(name);
    return nlohmann::json::parse(in);
}

/// Two seeds whose losses fall by `slope` a second from 2, and are a little apart.
std::vector<std::vector<adacomm::look>> falling(double slope) {
    std::vector<std::vector<adacomm::look>> all(2);
    for (const double t : {0., 4., 10.}) {
        all[0].push_back({t, 10 * t, 2 - slope * t - 0.01, 0.5, 1});
        all[1].push_back({t, 10 * t, 2 - slope * t + 0.01, 0.5, 1});
    }
    return all;
}

} // namespace

TEST_CASE("a run's loss is known between looks, and when it is as low as another") {
    adacomm::results r;
    r.of.budget_s = 10;
    r.of.looks = 10;
    r.of.fixed = {1, 4};
    r.ways = adacomm::strategies_of(r.of);
    r.runs = {falling(0.05), falling(0.1), falling(0.2), falling(0.05), falling(0.05)};
    CHECK(adacomm::value_at(r.runs[0][0], 7, &adacomm::look::loss) == Approx(1.64));
    CHECK(adacomm::spread_at(r, 0, 7, &adacomm::look::loss).mean == Approx(1.65));
    CHECK(adacomm::step_s(r, 0) == Approx(0.1));
    CHECK(adacomm::best_fixed(r, 10) == 1);
    CHECK(adacomm::time_to(r, 2, 1.5 + 1e-9).value() == Approx(3)); // 2.5 s, on a grid of seconds
    CHECK(!adacomm::time_to(r, 0, 1.4));
    CHECK_THAT(adacomm::text_of(r), Catch::Contains("AdaComm has that after 3 s, 3.3 times as soon"));
}

TEST_CASE("steps to a loss are between two looks, and a step has three parts") {
    using namespace compression;
    results r;
    r.of.mbit_s = {100, 1000};
    r.of.slow_mbit_s = 100;
    const training_found one{{{10, 2, 0.5}, {20, 1, 0.4}, {30, 0.9, 0.4}, {40, 0.8, 0.4}}, 100};
    training_found worse = one;
    for (compression::look& l : worse.looks) l.loss += 1;
    r.runs.assign(ways.size(), {one, one});
    r.runs[1] = {worse, worse};
    r.coding_s.assign(ways.size(), 0.001);
    r.network_s.assign(ways.size(), {0.002, 0.001});
    CHECK(target_of(r) == Approx(0.9));
    CHECK(steps_to(r, 0, 1.5).value() == Approx(15));
    CHECK(steps_to(r, 0, 3).value() == Approx(10));
    CHECK(!steps_to(r, 1, 0.9));
    CHECK(step_s(r, 0, 1) == Approx(0.005 + 0.001 + 0.001));
    CHECK_THAT(text_of(r),
               Catch::Contains("Nothing comes there sooner.") && Catch::Contains("Never there: top-k:0.01."));
}

TEST_CASE("what all descents are compared with is as warm as they are") {
    hogwild::design d;
    d.seeds = 3;
    const std::vector<hogwild::turn> all = hogwild::turns_of(d, 2);
    CHECK(all.size() == 3 * 2 * (1 + 3 * 3)); // one more than ways times numbers of threads
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(all[i].counts == (i % 10 != 0));
        if (all[i].threads == 0 && all[i].way == 0 && all[i].counts) CHECK(all[i - 1].problem == all[i].problem);
    }
}

TEST_CASE("samples of logistic regression are cut into those to train with and to test with") {
    hogwild::problem p{"sparse", "some", 3};
    for (std::uint32_t s = 0; s < 20; ++s) p.add({s % 2, 2}, {1, 0.5F}, s % 2 == 0);
    p.split();
    CHECK(p.training() == 18);
    CHECK(p.features_a_sample() == 2);
    CHECK(p.most_common() == 1);
    training::shared_weights w(3);
    CHECK(p.loss(w) == Approx(std::log(2)));
    CHECK(p.error(w) == 1); // nothing is on its side
    w.add(0, 10), w.add(1, -10), w.add(2, -2);
    CHECK(p.loss(w) < 0.01);
    CHECK(p.error(w) == 0);
    training::sparse_step to;
    p.gradient(0, training::shared_weights(3), to);
    CHECK(to.indices == std::vector<std::uint32_t>{0, 2});
    CHECK(to.gradients == std::vector<float>{-0.5F, -0.25F});
}

TEST_CASE("quick studies of communicating less are whole, and virtual ones the same with any number of jobs") {
    const nlohmann::json one = measured_by("adacomm", "--jobs 1");
    if (one.is_null()) return; // no pages
    CHECK(one["trainings"].size() == 7 * 2);
    CHECK(one["trainings"] == measured_by("adacomm", "--jobs 3")["trainings"]);
    for (const auto& t : one["trainings"]) CHECK(t["looks"].back()["seconds"] >= 6);
    const nlohmann::json less = measured_by("compression", "");
    CHECK(less["trainings"].size() == compression::ways.size() * 2);
    CHECK(less["steps"].size() == compression::ways.size() * 5);
    if (!has_king_james()) {
        WARN("hogwild's sparse problem needs bible-kjv-text: not looked at");
        return;
    }
    const nlohmann::json threads = measured_by("hogwild", "");
    CHECK(threads["descents"].size() == 2 * 3 * 3 * 2);
    for (const auto& d : threads["descents"]) CHECK(d["losses"].back() < 0.7); // less than before the first step
}

} // namespace tutti::tools::study
