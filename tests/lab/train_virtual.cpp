// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../tools/command.hpp"
#include "../tools/folder.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

using Catch::Contains;
using nlohmann::json;
using tools_test::command;

namespace {

// An epoch of two steps on two ranks. Halves of the network have about as many weights.
json virtual_epoch(const std::string& more) {
    const auto r = command("train --virtual 2 --data drawn --pictures 64 --hidden 128,768 --batch 32 --epochs 1 "
                           "--compute 'constant(100ms)' --algorithm ring --json - 2>/dev/null " +
                           more);
    INFO(r.output);
    REQUIRE(r.status == 0);
    return json::parse(r.output).at(0);
}

} // namespace

TEST_CASE("seconds of a virtual training are virtual, and a rank computes for as long as it is told") {
    const json epoch = virtual_epoch("");
    CHECK(epoch.at("seconds").get<double>() > 0.2);
    CHECK(epoch.at("seconds").get<double>() < 0.21);
    CHECK(epoch.at("virtual_seconds").get<double>() >= epoch.at("seconds").get<double>());
    CHECK(epoch.at("virtual_seconds").get<double>() < 0.21);
    CHECK(epoch.at("exposed_seconds").get<double>() < 0.01);
    CHECK(virtual_epoch("") == epoch);
}

TEST_CASE("a virtual pipeline has its bubble, and tensor parts none") {
    // Of M microbatches on 2 stages a step takes (M + 1) / M, and more where they are not equal.
    const double four = virtual_epoch("--mode pipeline --microbatches 4").at("seconds");
    CHECK(four >= 2 * 0.1 * 5 / 4);
    CHECK(four < 2 * 0.1 * 5 / 4 * 1.05);
    CHECK(virtual_epoch("--mode pipeline --microbatches 16").at("seconds") < 2 * 0.1 * 17 / 16 * 1.05);
    CHECK(virtual_epoch("--mode tensor").at("seconds") < 0.21);
}

TEST_CASE("the trace of a virtual pipeline has steps, layers and waits as long as its clock says") {
    const tools_test::folder folder;
    static_cast<void>(virtual_epoch("--mode pipeline --microbatches 4 --trace " + folder.path("trace.json")));
    double steps = 0, waits = 0, layers = 0; // microseconds of all ranks
    const json trace = json::parse(folder.read("trace.json"));
    for (const json& e : trace.at("traceEvents")) {
        if (e.at("ph") != "X") continue;
        const std::string name = e.at("name");
        const double lasts = e.at("dur");
        if (name.starts_with("step ")) steps += lasts;
        if (name == "wait for neighbours") waits += lasts;
        if (name.starts_with("forward ") || name.starts_with("backward ")) layers += lasts;
    }
    CHECK(layers == Approx(2 * 2 * 100e3).epsilon(1e-3)); // 2 ranks, 2 steps
    CHECK(waits > 0.2 * layers);
    CHECK(steps == Approx(layers + waits).epsilon(0.02));
}
