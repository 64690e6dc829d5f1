// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/study/large_batch/efficiency.hpp"
#include "../../tools/lab/study/large_batch/recipe.hpp"
#include "../../tools/lab/study/pictures_of.hpp"
#include "../../tools/lab/study/processes.hpp"
#include "../../tools/lab/study/spread.hpp"
#include "../../tools/lab/train/learning_rates.hpp"

#include "../tools/command.hpp"
#include "../tools/folder.hpp"

#include <collectives/algorithm/all.hpp>

#include "support/catch.hpp"

#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace tutti::tools::study {
namespace {

using Catch::Contains;

nlohmann::json json_in(const std::string& path) {
    std::ifstream in(path);
    return nlohmann::json::parse(in);
}

} // namespace

TEST_CASE("a curve breaks where all that follows is worse by more than its spread") {
    const std::vector<double> samples{1, 2, 3};
    CHECK(spread_of(samples).mean == Approx(2));
    CHECK(spread_of(samples).deviation == Approx(1));
    const spread low{0.10, 0.001}, once{0.20, 0.001}, wide{0.20, 0.08}, near{0.104, 0.0001};
    CHECK(where_it_breaks({low, low, once, once}, low) == 2U);
    CHECK(where_it_breaks({low, once, low}, low) == std::nullopt);             // it comes back
    CHECK(where_it_breaks({low, wide}, low) == 1U);                            // it fails now and then
    CHECK(where_it_breaks({wide, spread{0.35, 0.001}}, wide) == std::nullopt); // within what the first place varies by
    CHECK(where_it_breaks({low, near}, low) == std::nullopt);                  // by less than 5 %
    CHECK(where_it_breaks({low, near}, low, 0.01) == 1U);
}

TEST_CASE("a page tells a folder of pictures by its name, not by its path") {
    CHECK(words_of_source(fashion_mnist) == "Fashion-MNIST");
    CHECK(words_of_source("drawn") == "drawn digits");
    for (const char* folder : {"/home/someone/mnist", "/home/someone/mnist/", "mnist/.", "mnist"})
        CHECK(words_of_source(folder) == "the pictures in mnist");
}

TEST_CASE("tasks in processes give their numbers by task, however many run at once") {
    const auto work = [](std::size_t task) { return numbers(task, 1. * getpid()); };
    for (const std::size_t at_once : {0, 1, 3, 20}) {
        std::size_t heard = 0;
        const auto found = in_processes(7, at_once, work, [&](std::size_t done) { CHECK(done == ++heard); });
        REQUIRE(found.size() == 7);
        CHECK(heard == 7);
        for (std::size_t i = 0; i < 7; ++i) CHECK(found[i].size() == i);
        CHECK(found[5].front() != found[6].front());
        CHECK(found[6].front() != getpid());
    }
    rlimit mine{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &mine) == 0);
    const rlimit few{40, mine.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0); // the hard limit allows the descriptors of all
    CHECK(in_processes(50, 50, work, [](std::size_t) {}).size() == 50);
    setrlimit(RLIMIT_NOFILE, &mine);
    const std::vector<numbers> large = in_processes(
        1, 1, [](std::size_t) { return numbers(100'000, 0.5); }, [](std::size_t) {});
    CHECK(large.front() == numbers(100'000, 0.5)); // more than a pipe holds
}

TEST_CASE("a task that fails, or dies, is told of") {
    const auto told = [](std::size_t) {};
    const auto throws = [](std::size_t task) -> numbers {
        if (task == 2) throw std::runtime_error("no third one");
        return {};
    };
    CHECK_THROWS_WITH(in_processes(4, 2, throws, told), "no third one");
    const auto dies = [](std::size_t) -> numbers { _exit(3); };
    CHECK_THROWS_WITH(in_processes(1, 1, dies, told), Contains("task 1 ended before it was done"));
}

TEST_CASE("the learning rate follows the minibatch as the recipe says") {
    const design d = design_of({"large-batch", "", "", drawn_data});
    REQUIRE(d.minibatches.size() == 10);
    const auto rate = [&](recipe how, std::size_t step) {
        return learning_rates(settings_of(d, {how, 4096, 1}), 8)(step);
    };
    CHECK(rate(recipe::plain, 0) == Approx(d.base_rate));
    CHECK(rate(recipe::scaled, 0) == Approx(d.base_rate * 4096 / 32));
    CHECK(rate(recipe::warmed, 0) == Approx(d.base_rate));
    CHECK(rate(recipe::warmed, 16) == Approx(rate(recipe::scaled, 16))); // two epochs of 8 steps
    CHECK(settings_of(d, {recipe::lars, 4096, 1}).optimizer == "lars");
    CHECK(settings_of(d, {recipe::plain, 4096, 1}).microbatches == 8);
}

TEST_CASE("what the backward pass hides of allreduces costs no efficiency") {
    planner::cluster on = planner::cluster_of("big-basin");
    on.nodes = 4;
    const planner::network net = planner::resnet50();
    const algorithm::any how = algorithm::hierarchical<algorithm::ring, algorithm::halving_doubling>{};
    const scaling usual = scaling_of(how, net, on, {0.2, 0.1});
    REQUIRE(usual.steps.size() == 3);
    CHECK(usual.steps.back().gpus == 32);
    CHECK(usual.steps.front().efficiency == 1);
    CHECK(usual.steps.back().efficiency < 1);
    CHECK(usual.steps.back().step_s > 0.2);
    CHECK(usual.steps.back().step_s < 0.3); // much is hidden: 102 MB twice by 6 GB/s take 34 ms
    const scaling bare = scaling_of(how, net, on, {0.2, 0});
    CHECK(bare.steps.back().efficiency < usual.steps.back().efficiency);
}

TEST_CASE("a quick study is the same with any number of jobs") {
    const tools_test::folder place;
    const auto made = [&](const std::string& jobs) {
        const std::string name = place.path(jobs);
        const auto r =
            tools_test::command("study large-batch --quick --jobs " + jobs + " --out " + name + ".html --json " + name);
        INFO(r.output);
        if (r.output.find("without Chart.js") != std::string::npos) return nlohmann::json();
        REQUIRE(r.status == 0);
        CHECK_THAT(r.output, Contains("minibatch") && Contains("Goyal et al. 2017"));
        return json_in(name);
    };
    const nlohmann::json one = made("1"), three = made("3");
    if (one.is_null()) return; // no pages
    CHECK(one["trainings"].size() == 3 * 4 * 2);
    CHECK(one["trainings"] == three["trainings"]);
    for (const auto& t : one["trainings"])
        for (const double e : t["test_error"]) CHECK((0 <= e && e <= 1));
}

} // namespace tutti::tools::study
