// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <collectives/model/machine_file.hpp>

#include "command.hpp"
#include "folder.hpp"

#include "support/catch.hpp"

#include <string>

#include <nlohmann/json.hpp>

using Catch::Contains;
using tools_test::command;
using tools_test::folder;

namespace {

constexpr auto quick = "fit --ranks 2 --rounds 1 --seconds 0.001 --max-bytes 32K";

} // namespace

TEST_CASE("a fit writes a machine that reads back, and what it measured and predicted") {
    const folder here;
    const auto told = command(std::string(quick) + " -o " + here.path("machine.json") + " --json " +
                              here.path("rows.json") + " --markdown " + here.path("report.md"));
    INFO(told.output);
    REQUIRE(told.status == 0);
    CHECK(here.read("report.md") == told.output);
    CHECK_THAT(told.output, Contains("## shared_memory") && Contains("## tcp") && Contains("2 ranks, not fitted") &&
                                Contains("overhead_s_per_byte") && Contains("other work used"));

    const auto file = tutti::model::read_machine_file(here.path("machine.json"));
    CHECK(file.transports.size() == 2);
    for (const auto& [name, m] : file.transports) {
        INFO(name);
        CHECK(m.near == m.far);
        CHECK(m.near.segments[0].cost.overhead_s + m.near.segments[0].cost.latency_s > 0);
    }

    const auto rows = nlohmann::json::parse(here.read("rows.json"));
    std::size_t fitted = 0;
    for (const auto& row : rows) {
        INFO(row.dump());
        CHECK(row.at("measured_us").get<double>() > 0);
        CHECK(row.at("predicted_us").get<double>() > 0);
        if (row.at("fitted").get<bool>()) ++fitted;
    }
    CHECK(fitted == 2 * 5 * 5);                       // transports, algorithms, and 8, 64, 512, 4K, 32K
    CHECK(rows.size() == 2 * (10 * (5 + 4) + 2 * 5)); // all algorithms, 32 to 16K as well; broadcast and reduce
}

TEST_CASE("what a fit writes is taken by tutti model") {
    const folder here;
    REQUIRE(command(std::string(quick) + " --transport shared_memory -o " + here.path("machine.json")).status == 0);
    const auto priced =
        command("model --simulate --ranks 2 --bytes 1K --ranks-per-node 2 --machine " + here.path("machine.json"));
    INFO(priced.output);
    CHECK(priced.status == 0);
}

TEST_CASE("a fit that makes no sense is refused with 2, and a file that cannot be written with 1") {
    for (const char* arguments : {"--transport pigeon", "--ranks 0", "--ranks 2..", "--rounds 0", "--max-bytes many"}) {
        INFO(arguments);
        CHECK(command(std::string("fit ") + arguments).status == 2);
    }
    const auto nowhere = command(std::string(quick) + " --transport shared_memory --markdown /nowhere/at/all.md");
    CHECK(nowhere.status == 1);
    CHECK_THAT(nowhere.output, Contains("cannot write /nowhere/at/all.md"));
}

TEST_CASE("a fit whose result could not be written does not begin") {
    const auto told = command("fit -o /nonexistent/machine.json");
    CHECK(told.status == 1);
    CHECK(told.seconds < 5);
    CHECK_THAT(told.output, Contains("cannot write /nonexistent/machine.json"));
}
