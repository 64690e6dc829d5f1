// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <collectives/model/machine_file.hpp>

#include "command.hpp"
#include "folder.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using Catch::Contains;
using tools_test::command;
using tools_test::folder;

namespace {

constexpr auto quick = "fit --ranks 2 --rounds 1 --seconds 0.001 --max-bytes 32K";

} // namespace

TEST_CASE("a fit writes a machine that reads back, and what it measured and predicted") {
    const folder here;
    const auto told =
        command(std::string(quick) + " -o " + here.path("machine.json") + " --json " + here.path("rows.json") +
                " --markdown " + here.path("report.md") + " 2>" + here.path("progress"));
    INFO(told.output);
    REQUIRE(told.status == 0);
    CHECK(here.read("report.md") == told.output);
    CHECK_THAT(here.read("progress"), Contains("1 of 4: ") && Contains("allreduce over tcp, 2 ranks, round 1\n") &&
                                          Contains("fitting the parameters of tcp\n")); // no terminal: lines
    CHECK_THAT(told.output, Contains("## shared_memory") && Contains("## tcp") &&
                                Contains("2 ranks, allreduce, not fitted") && Contains("overhead_s_per_byte") &&
                                Contains("other work used"));

    const auto file = tutti::model::read_machine_file(here.path("machine.json"));
    CHECK(file.transports.size() == 2);
    for (const auto& [name, m] : file.transports) {
        INFO(name);
        CHECK(m.near == m.far);
        CHECK(m.near.ranges[0].cost.overhead_s + m.near.ranges[0].cost.latency_s > 0);
        CHECK(m.fan_in.epsilon_s_per_byte == 0); // two ranks do not tell
        REQUIRE(m.residual.ranks().size() == 1);
        CHECK(m.residual.bytes().size() == 5); // 8, 64, 512, 4K, 32K
        for (std::size_t s = 0; s < 5; ++s)
            CHECK(m.residual.at(tutti::schedule::operation::broadcast, tutti::algorithm::binomial_tree{}, 0, s) > 0);
    }

    std::size_t fitted = 0;
    for (const auto& row : nlohmann::json::parse(here.read("rows.json"))) {
        INFO(row.dump());
        CHECK(row.at("measured_us").get<double>() > 0);
        CHECK(row.at("predicted_us").get<double>() > 0);
        if (row.at("fitted").get<bool>()) ++fitted;
        const auto bytes = row.at("bytes").get<std::size_t>();
        const bool kept = bytes == 8 || bytes == 64 || bytes == 512 || bytes == 4096 || bytes == 32768;
        if (!kept || row.at("algorithm").get<std::string>().starts_with("hierarchical:")) continue;
        const double corrected = row.at("corrected_us"), measured = row.at("measured_us");
        if (measured / row.at("predicted_us").get<double>() > tutti::model::residuals::most) continue; // a busy machine
        CHECK(std::abs(corrected / measured - 1) < 0.1); // the residual has three digits
    }
    CHECK(fitted == 2 * 5 * 5); // transports, algorithms, sizes

    // The medians of errors, one of an even number of calls among them.
    std::istringstream lines(told.output);
    std::string transport;
    std::size_t tables = 0, of_even = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("## ")) transport = line.substr(3);
        const bool is_fitted = line.starts_with("| 2 ranks, allreduce, fitted ");
        if (!is_fitted && !line.starts_with("| 2 ranks, allreduce, not fitted ")) continue;
        std::vector<double> errors;
        for (const auto& row : nlohmann::json::parse(here.read("rows.json")))
            if (row.at("transport") == transport && row.at("operation") == "allreduce" && row.at("fitted") == is_fitted)
                errors.push_back(
                    100 * std::abs(row.at("predicted_us").get<double>() / row.at("measured_us").get<double>() - 1));
        std::sort(errors.begin(), errors.end());
        const std::size_t n = errors.size();
        REQUIRE(n > 1);
        INFO(line);
        std::size_t calls = 0;
        double median = 0;
        CHECK(std::sscanf(line.c_str() + line.find("fitted"), "fitted | %zu | %lf", &calls, &median) == 2);
        CHECK(calls == n);
        CHECK(median == Approx((errors[(n - 1) / 2] + errors[n / 2]) / 2).margin(0.06));
        ++tables;
        of_even += n % 2 == 0;
    }
    CHECK(tables == 4);
    CHECK(of_even > 0);
}

TEST_CASE("a fit measures every algorithm of every operation, at the sizes that it keeps and at those between") {
    const folder here;
    REQUIRE(command(std::string(quick) + " --transport shared_memory --json " + here.path("rows.json")).status == 0);
    const auto rows = nlohmann::json::parse(here.read("rows.json"));
    std::size_t algorithms = 0;
    for (const auto what : tutti::schedule::operations) algorithms += tutti::algorithm::names(what).size();
    CHECK(rows.size() == algorithms * (5 + 4)); // 32 to 16K as well
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
    for (const char* arguments :
         {"--transport pigeon", "--ranks 0", "--ranks 1", "--ranks 2..", "--rounds 0", "--max-bytes many",
          "--ranks 2..10", "--max-bytes 1T", "--max-bytes 4", "-o - --json -"}) {
        INFO(arguments);
        CHECK(command(std::string("fit ") + arguments).status == 2);
    }
    const auto nowhere = command(std::string(quick) + " --transport shared_memory --markdown /nowhere/at/all.md");
    CHECK(nowhere.status == 1);
    CHECK_THAT(nowhere.output, Contains("cannot write /nowhere/at/all.md"));
}

TEST_CASE("a fit that is ended before its end leaves the machine that there was, or none") {
    const folder here;
    const std::string before = here.write("machine.json", "an earlier one");
    CHECK(tools_test::shell("timeout -s INT 1 $TUTTI_COMMAND fit --seconds 1 -o " + before).status == 124);
    CHECK(here.read("machine.json") == "an earlier one");
    CHECK(tools_test::shell("timeout -s INT 1 $TUTTI_COMMAND fit --seconds 1 -o " + here.path("new.json")).status ==
          124);
    CHECK(!std::filesystem::exists(here.path("new.json")));
}

TEST_CASE("an empty machine file is told to be empty") {
    const folder here;
    const auto told = command("model --ranks 2 --machine " + here.write("machine.json", ""));
    CHECK(told.status != 0);
    CHECK_THAT(told.output, Contains("machine.json is empty: was what wrote it"));
}

TEST_CASE("a fit whose result could not be written does not begin") {
    const auto told = command("fit -o /nonexistent/machine.json");
    CHECK(told.status == 1);
    CHECK(told.seconds < 5);
    CHECK_THAT(told.output, Contains("cannot write /nonexistent/machine.json"));
}
