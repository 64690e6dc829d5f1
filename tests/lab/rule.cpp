// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "../tools/command.hpp"
#include "../tools/folder.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <sstream>
#include <string>

using Catch::Contains;
using tools_test::command;
using tools_test::folder;
using tools_test::occurrences;
using tools_test::shell;

namespace {

const std::string documents = TUTTI_MACHINES;

std::string rule_on(const std::string& machines, const std::string& more) {
    return "rule --machine " + machines + " " + more;
}

/// The last number of each line but the first.
double least_of_last_column(const std::string& csv) {
    double least = 1e300;
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) least = std::min(least, std::stod(line.substr(line.rfind(',') + 1)));
    return least;
}

} // namespace

TEST_CASE("tutti rule says what the rule costs on each machine, by operation and width of nodes") {
    const folder here;
    const std::string files = documents + "/hdr_infiniband.json," + documents + "/tcp_ethernet.json";
    const auto r = command(rule_on(files, "--ranks 2,12,64 --bytes 8,1M --operation allreduce,broadcast --csv " +
                                              here.path("rule.csv") + " --svg " + here.path("rule.svg")));
    INFO(r.output);
    REQUIRE(r.status == 0);
    CHECK(occurrences(r.output, "\nallreduce ") == 4);
    CHECK(occurrences(r.output, "\nbroadcast ") == 4);
    CHECK(occurrences(r.output, " 8 ranks a node ") == 4);
    CHECK_THAT(r.output, Contains("# all 48 calls: mean "));
    const std::string rows = here.read("rule.csv");
    CHECK(occurrences(rows, "\n") == 49);
    CHECK(least_of_last_column(rows) >= 1);
    CHECK_THAT(rows, Contains("hdr_infiniband,8,allreduce,64,1048576,hierarchical:"));
    const auto drawn = shell("python3 -c 'import sys, xml.dom.minidom\nprint(xml.dom.minidom.parse(sys.argv[1])"
                             ".documentElement.tagName)' " +
                             here.path("rule.svg"));
    CHECK(drawn.output == "svg\n");
    CHECK(occurrences(here.read("rule.svg"), "allreduce, 8 ranks a node") == 1);
}

TEST_CASE("the rule is compared with the best of all candidates") {
    // By hand: a tree's two hops take 25.16 us; scatter and allgather, by a simulator of its own, 24.061.
    const auto r = command(rule_on(documents + "/hdr_infiniband.json", "--ranks 4 --ranks-per-node 8 --bytes 256K "
                                                                       "--operation broadcast --csv -"));
    INFO(r.output);
    CHECK_THAT(r.output, Contains(",binomial_tree,1,25.1614,scatter_allgather,1,24.061"));
}

TEST_CASE("the machine files of the documents can be read, and the rule is near the best on them") {
    for (const char* file : {"hdr_infiniband", "qdr_infiniband", "netgauge_infiniband", "tcp_ethernet"}) {
        const folder here;
        const auto r = command(rule_on(documents + "/" + file + ".json",
                                       "--ranks 24,100 --bytes 8..64M*64 --csv " + here.path("rule.csv")));
        INFO(r.output);
        REQUIRE(r.status == 0);
        const std::size_t at = r.output.find("calls: mean ");
        REQUIRE(at != std::string::npos);
        CHECK(std::stod(r.output.substr(at + 12)) < 1.15);
    }
}

TEST_CASE("tutti rule refuses what it cannot judge") {
    const std::string file = documents + "/tcp_ethernet.json";
    CHECK(command("rule").status == 2);
    CHECK(command(rule_on(file, "--operation shuffle")).status == 2);
    CHECK(command(rule_on(file, "--ranks 0")).status == 2);
    CHECK(command(rule_on(file, "--bytes many")).status == 2);
    CHECK(command(rule_on("no_such_file", "")).status == 1);
    CHECK(command(rule_on(file, "--ranks 2 --bytes 8 --csv /no/such/folder/x")).status == 1);
}
