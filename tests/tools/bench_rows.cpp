// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"
#include "folder.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

using Catch::Contains;
using tools_test::command;
using tools_test::folder;
using tools_test::occurrences;

namespace {

nlohmann::json rows_measured(const std::string& arguments) {
    const std::string amount = arguments.find("--iters") == std::string::npos ? " -n 3" : "";
    const auto r = command("bench " + arguments + amount + " --json - 2>/dev/null");
    INFO(arguments << "\n" << r.output);
    REQUIRE(r.status == 0);
    return nlohmann::json::parse(r.output);
}

std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    return cells;
}

} // namespace

TEST_CASE("a bench writes a page of all its rounds, and where it cannot, says so before it measures") {
    const folder here;
    const std::string page = here.path("bench.html"),
                      bench = "bench --transport shared_memory --ranks 2 --bytes 8,64 -n 3";
    const auto r = command(bench + " --rounds 2 --place out --html " + page);
    INFO(r.output);
    if (occurrences(r.output, "built without Chart.js") > 0) return;
    REQUIRE(r.status == 0);
    const std::string text = here.read("bench.html");
    // Two sizes in two rounds are a curve of two points, and two lines of the table.
    CHECK(occurrences(text, "\"allreduce\",\"auto:") == 2);
    CHECK_THAT(text, Contains("allreduce on 2 ranks over shared_memory") && Contains("in each of 2 rounds"));
    CHECK(command("bench --transport memory --ranks 2 --bytes 8,64 -n 3 --operation pingpong --html " + page).status ==
          0);
    CHECK(occurrences(here.read("bench.html"), "\"pingpong\",\"tutti\"") == 2); // messages have no algorithm
    CHECK(occurrences(here.read("bench.html"), "\"name\":\"tutti\"") == 2);     // curves of times and of bandwidths
    const auto none = command(bench + " --html " + here.path("none/bench.html"));
    CHECK(none.status == 1);
    CHECK_THAT(none.output, Contains("cannot write") && !Contains("# tutti bench"));
}

TEST_CASE("an interrupted bench leaves a page of the rows that are done") {
    const folder here;
    const auto r = tools_test::shell("env -u TUTTI_RANK timeout -s INT -k 5 3 $TUTTI_COMMAND bench --transport memory "
                                     "--ranks 2 --place in -b 8 -e 1G -f 16 --seconds 1 --html " +
                                     here.path("bench.html"));
    INFO(r.output);
    if (r.output.find("built without Chart.js") != std::string::npos) return;
    CHECK(r.status == 124); // of timeout
    CHECK_THAT(here.read("bench.html"), Contains("</html>"));
}

TEST_CASE("all kinds of messages are right with any number of pairs, over threads and over processes") {
    for (const char* transport : {"memory", "shared_memory", "tcp"})
        for (const char* ranks : {"2", "5"}) {
            const auto r = command(std::string("bench --operation messages --bytes 0,8,64K -n 2 --transport ") +
                                   transport + " --ranks " + ranks);
            INFO(r.output);
            CHECK(r.status == 0);
            CHECK_THAT(r.output, Contains("# average busbw of pingpong: ") && Contains("# wrong elements: 0\n"));
        }
    const auto some =
        rows_measured("--transport memory --ranks 6 --operation osu_mbw_mr,pingpong,sendrecv --pairs 1,3 --bytes 8");
    CHECK(some.size() == 5); // a ring of all ranks has no pairs
    CHECK(some[0].at("pairs") == 1);
    CHECK(some[1].at("pairs") == 3);
    CHECK(some[4].at("pairs").is_null());
    for (const auto& row : some) {
        const double base = row.at("time_us");
        const std::string what = row.at("operation");
        const int messages = what == "message_rate" ? 64 * row.at("pairs").get<int>() : 1;
        CHECK(row.at("messages_per_s").get<double>() == Approx(messages / base * 1e6).epsilon(1e-3));
    }
    CHECK(command("bench --transport memory --ranks 4 --operation stream --pairs 3").status == 2);
}

TEST_CASE("a barrier has a row, by the library's choice, in which no rank leaves too soon") {
    for (const char* transport : {"memory", "tcp"}) {
        const auto r = command(std::string("bench --operation barrier --ranks 3 -n 3 -c 6 --transport ") + transport);
        INFO(r.output);
        CHECK(r.status == 0);
        CHECK_THAT(r.output, Contains(" auto:") && !Contains("busbw of") && Contains("# wrong elements: 0\n"));
    }
    const auto rows = rows_measured("--transport memory --ranks 2 --operation barrier,allreduce -b 8 -e 8 --place in");
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("operation") == "barrier");
    CHECK(rows[0].at("bytes") == 0);
    CHECK(rows[0].at("wrong") == 0);
}

TEST_CASE("every root has its turn, or those that are named, where an operation has a root") {
    const auto roots = [](const std::string& wanted) {
        std::vector<int> found;
        for (const auto& row : rows_measured(
                 "--transport memory --ranks 3 --operation bcast,all_reduce -b 8 -e 8 --place in -r " + wanted))
            found.push_back(row.at("root").is_null() ? -1 : row.at("root").get<int>());
        return found;
    };
    CHECK(roots("all") == std::vector{0, 1, 2, -1});
    CHECK(roots("2,0") == std::vector{2, 0, -1});
    const auto r =
        command("bench --transport memory --ranks 3 --operation reduce,gather,scatter,broadcast -r all --algorithm "
                "all -b 4K -e 4K -n 1");
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("# wrong elements: 0\n") && Contains(" root "));
}

TEST_CASE("options and names of nccl-tests, OSU and MPI launchers will do") {
    const auto rows =
        rows_measured("--transport memory -np 2 --operation all_reduce --minbytes 8 --maxbytes 32 --stepfactor 4 "
                      "--iters 2 --warmup_iters 1 --datatype half --op max --place in");
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("operation") == "allreduce");
    CHECK(rows[0].at("type") == "float16");
    CHECK(rows[0].at("op") == "maximum");
    CHECK(rows[0].at("ranks") == 2);
    CHECK(rows[1].at("bytes") == 32);
    CHECK(rows_measured("--transport memory --ranks 2 -m 4:16 -d MPI_FLOAT -o MPI_SUM --place in").size() == 3);
}

TEST_CASE("the table names what was chosen, and has an average of all ranks") {
    const auto r = command("bench --transport memory --ranks 2 -b 8 -e 8 -n 3 --algorithm auto,ring --place in");
    CHECK_THAT(r.output, Contains(" auto:") && Contains(" avg ") && !Contains(" root "));
    const auto rows = rows_measured("--transport memory --ranks 2 -b 8 -e 8 --place in");
    CHECK(rows[0].at("avg_us").get<double>() > 0);
    CHECK(rows[0].at("avg_us").get<double>() <= rows[0].at("rank_max_us").get<double>());
}

TEST_CASE("rounds measure all rows in turn") {
    const auto rows = rows_measured("--transport memory --ranks 2 --bytes 8,64 --place in --rounds 3");
    REQUIRE(rows.size() == 6);
    for (std::size_t k = 0; k < 6; ++k) {
        CHECK(rows[k].at("round") == k / 2);
        CHECK(rows[k].at("bytes") == (k % 2 == 0 ? 8 : 64));
    }
}

TEST_CASE("CSV has a line of names, then a line a row with as many cells, in a file and on standard output") {
    const folder here;
    const std::string arguments =
        "bench --transport memory --ranks 2 --operation allreduce,pingpong -b 8 -e 64 -n 2 --csv ";
    const auto told = command(arguments + "-");
    CHECK(told.status == 0);
    CHECK(told.output.starts_with("operation,algorithm,bytes,"));
    const auto kept = command(arguments + here.path("rows.csv") + " --json " + here.path("rows.json"));
    CHECK_THAT(kept.output, Contains("# average busbw"));
    std::istringstream lines(here.read("rows.csv"));
    std::string line;
    std::getline(lines, line);
    const auto names = words_of(line);
    const auto rows = nlohmann::ordered_json::parse(here.read("rows.json"));
    for (const auto& row : rows) {
        REQUIRE(std::getline(lines, line));
        CHECK(row.size() == names.size());
        CHECK(words_of(line)[0] == row.at("operation"));
        CHECK(std::to_string(row.at("bytes").get<int>()) == words_of(line)[2]);
    }
    CHECK(!std::getline(lines, line));
    CHECK(occurrences(told.output, "\n") == rows.size() + 1);
}

TEST_CASE("what an earlier run wrote stays until the first row takes its place, whole") {
    const folder here;
    const std::string file = here.write("rows.json", std::string(100'000, '#')),
                      bench = "bench --transport memory --ranks 2 --place in -b 8 -e 8 --json " + file;
    const auto r =
        tools_test::shell("env -u TUTTI_RANK timeout -s INT -k 5 1 $TUTTI_COMMAND " + bench + " -n 100000000");
    INFO(r.output);
    CHECK(r.status != 0);
    CHECK(here.read("rows.json") == std::string(100'000, '#'));
    CHECK(command(bench + " -n 3").status == 0);
    CHECK(nlohmann::json::parse(here.read("rows.json")).size() == 1);
    static_cast<void>(
        tools_test::shell("env -u TUTTI_RANK timeout -s INT -k 5 1 $TUTTI_COMMAND " + bench + ".new -n 100000000"));
    CHECK(here.read("rows.json.new") == "[]\n"); // where there was nothing to keep
}

TEST_CASE("operations of which the options leave no row are told") {
    const auto r =
        command("bench --transport memory --ranks 2 --operation allreduce,broadcast,pingpong --place in -b 8 "
                "-e 8 -n 3");
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("# no rows, by these options: pingpong\n") && Contains("# broadcast\n"));
    const auto out =
        command("bench --transport memory --ranks 2 --operation allreduce,broadcast --place out -b 8 -e 8 -n 3");
    CHECK_THAT(out.output, Contains("# no rows, by these options: broadcast\n"));
}

TEST_CASE("a rate of messages has four digits, however few they are") {
    const auto r = command("bench --transport memory --ranks 2 --operation pingpong -b 4M -e 4M -n 3");
    INFO(r.output);
    std::istringstream lines(r.output);
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream in(line);
        std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
        if (!words.empty() && words[0] == "bytes") names = words;
        if (words.empty() || words[0] != "4194304") continue;
        const auto at = std::ranges::find(names, "rate") - names.begin();
        CHECK(words.at(static_cast<std::size_t>(at)).size() >= 6); // 0.00123
    }
    CHECK(!names.empty());
}

TEST_CASE("standard output takes one file alone, in every command that writes some") {
    for (const char* arguments : {"bench --transport memory --json - --csv -", "fit --json - -o -",
                                  "model --csv - --trace -", "rule --machine x --csv - --svg -"}) {
        const auto r = command(arguments);
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 2);
        CHECK_THAT(r.output, Contains("one can go to standard output"));
    }
    const folder here;
    for (const std::string arguments : {"bench --json x --csv ./x", "bench --csv x --html x", "fit --json x -o x"}) {
        const auto r = tools_test::shell("cd " + here.path("") +
                                         " && env -u TUTTI_RANK timeout -k 5 60 $TUTTI_COMMAND " + arguments);
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 2);
        CHECK_THAT(r.output, Contains("x is named twice: of --"));
    }
    CHECK(command("bench --transport memory --ranks 2 -b 8 -e 8 -n 1 --json /dev/null --csv /dev/null").status == 0);
    const auto epochs =
        command("train --transport memory --ranks 2 --epochs 1 --pictures 64 --hidden 8 --json - 2>/dev/null");
    CHECK(epochs.status == 0);
    CHECK(nlohmann::json::parse(epochs.output).size() == 1);
    const auto trace = command("bench --transport memory --ranks 2 -b 8 -e 8 -n 1 --trace - 2>/dev/null");
    CHECK(nlohmann::json::parse(trace.output).contains("traceEvents"));
}

TEST_CASE("overlap is measured of every operation that has a non-blocking call, with either thread of progress") {
    for (const char* how : {"", " --progress by_waiters", " --tests 3"}) {
        const auto rows =
            rows_measured("--transport memory --ranks 2 --operation all,barrier,sendrecv --overlap -b 4K -e 4K "
                          "--place in" +
                          std::string(how));
        CHECK(rows.size() == 11); // ten operations and the barrier; messages are out of place
        for (const auto& row : rows) {
            CHECK(row.at("wrong") == 0);
            const double pure = row.at("alone_us"), compute = row.at("compute_us"), both = row.at("overlapped_us");
            const double hidden = 100 * (pure + compute - both) / std::min(pure, compute);
            if (!row.at("overlap_percent").is_null()) // a busy machine: the times do not belong together
                CHECK(row.at("overlap_percent").get<double>() == Approx(std::clamp(hidden, 0., 100.)).margin(0.1));
            CHECK(compute > 0);
        }
    }
    const auto messages =
        rows_measured("--transport tcp --ranks 2 --operation sendrecv,allreduce --overlap -b 4K -e 4K");
    CHECK(messages.size() == 3);
    CHECK(messages[0].at("compute_us").get<double>() > 0);
    CHECK(command("bench --overlap --operation stream").status == 2);
    CHECK(command("bench --overlap --timing loop").status == 2);
    CHECK(command("bench --tests 3").status == 2);
}

TEST_CASE("a rank that is late has its own call measured, and the calls behind it, but not what others wait") {
    for (const char* transport : {"memory", "shared_memory", "tcp"}) {
        INFO(transport);
        const auto rows = rows_measured(
            "--ranks 2 -b 8 -e 8 --place in --imbalance 5ms,1ms..3ms --iters 11 --transport " + std::string(transport));
        REQUIRE(rows.size() == 2);
        CHECK(rows[0].at("imbalance") == "5000us");
        CHECK(rows[1].at("imbalance") == "1000us..3000us");
        for (const auto& row : rows) {
            CHECK(row.at("wrong") == 0);
            CHECK(row.at("iterations") == 11);
            CHECK(row.at("behind") == 20);
            CHECK(row.at("behind_us").get<double>() > 0);
            CHECK(row.at("cpu_us").get<double>() > 0);
            CHECK(row.at("p50_us").get<double>() > 0);
            CHECK(row.at("skew_us").is_null());
        }
        CHECK(rows[0].at("min_us").get<double>() < 2500); // the other rank waits for twice as long at least
    }
    const auto r = command("bench --transport memory --ranks 3 -b 8 -e 8 --imbalance 0,200us --behind 3 -n 3");
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("# imbalance: rank 2 computes") && Contains("the mean of 3 calls") &&
                             Contains(" behind ") && Contains(" 200us ") && Contains("over 4 rows"));
    const auto in_step = rows_measured("--transport memory --ranks 2 -b 8 -e 8 --place in");
    for (const char* key : {"imbalance", "behind", "behind_us"}) CHECK(in_step[0].at(key).is_null());
}

TEST_CASE("rounds are summed up: the median of each row, and between which rounds it lies") {
    const auto r = command("bench --transport memory --ranks 2 --bytes 8,64 --place in -n 3 --rounds 5");
    INFO(r.output);
    CHECK(r.status == 0);
    // All of five rounds are below the median, or above it, in 2 of 32 cases.
    CHECK_THAT(r.output, Contains("# over 5 rounds: ") && Contains("holds it in 93.8 % of cases"));
    CHECK(occurrences(r.output, " bytes allreduce float32 sum in auto: ") == 2);
}

TEST_CASE("a matrix has each two ranks once, and says who is slow with whom") {
    const folder here;
    const auto r =
        command("bench --transport memory --ranks 4 --operation matrix --bytes 8 -n 3 --timing loop --json " +
                here.path("rows"));
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("# 8 bytes between ranks, us\n") && Contains("# wrong elements: 0\n"));
    const auto rows = nlohmann::json::parse(here.read("rows"));
    REQUIRE(rows.size() == 6);
    const std::vector<std::string> pairs{"0-1", "0-2", "0-3", "1-2", "1-3", "2-3"};
    for (std::size_t k = 0; k < 6; ++k) CHECK(rows[k].at("between") == pairs[k]);
    const std::string from_2 = r.output.substr(r.output.find("\n#    2 ")); // the time by which all else goes
    CHECK(std::stod(from_2.substr(std::string_view("\n#    2 ").size())) ==
          Approx(rows[1].at("avg_us").get<double>()).epsilon(0.001).margin(0.006));
    CHECK(occurrences(r.output, "average busbw") == 0); // of a pair alone that says nothing
    const auto both = command("bench --transport memory --ranks 4 --operation matrix,pingpong --bytes 8 -n 3");
    CHECK_THAT(both.output, Contains("# average busbw of pingpong: ") && Contains(" GB/s over 1 row\n"));
}
