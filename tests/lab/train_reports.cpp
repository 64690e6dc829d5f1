// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/curve.hpp"
#include "../../tools/lab/train/step_trace.hpp"

#include "../tools/command.hpp"
#include "../tools/folder.hpp"

#include "support/catch.hpp"

#include <map>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

using Catch::Contains;
using namespace tutti::tools;
using nlohmann::json;
using tools_test::command;

namespace {

const std::string small_training = "train --transport memory --ranks 2 --pictures 400 --hidden 8 --batch 50 "
                                   "--algorithm ring --bucket-bytes 3000 ";

std::vector<std::string> lines_of_text(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::vector<json> json_lines(const std::string& text) {
    std::vector<json> all;
    for (const std::string& line : lines_of_text(text)) all.push_back(json::parse(line));
    return all;
}

// The hash of the weights before these words.
std::string hash_before(const std::string& text, const std::string& words) {
    const std::size_t at = text.find(words);
    return at == text.npos || at < 16 ? "no hash" : text.substr(at - 16, 16);
}

} // namespace

TEST_CASE("a curve falls from its most at the left to its least at the right, and both axes have their ends") {
    const std::vector<curve_point> falling{{0, 8}, {1, 4}, {2, 0}};
    const auto lines = lines_of_text(curve("loss", "epochs", falling, curve_style::ascii));
    REQUIRE(lines.size() == 11);
    CHECK(lines[0] == "loss");
    CHECK(lines[1].substr(0, 12) == "        8 |*");
    CHECK(lines[8].substr(0, 11) == "        0 |");
    CHECK(lines[8].back() == '*');
    CHECK(lines[10].find("0") == 11);
    CHECK_THAT(lines[10], Contains("2 epochs"));
    std::size_t before = 0; // no gap from row to row, and never back up
    for (std::size_t row = 1; row <= 8; ++row) {
        const std::size_t first = lines[row].find('*'), last = lines[row].rfind('*');
        REQUIRE(first != std::string::npos);
        if (row > 1) CHECK((first == before || first == before + 1));
        before = last;
    }
}

TEST_CASE("a curve of Braille has two by four dots a character, and a flat one lies in the middle") {
    const std::vector<curve_point> rising{{0, 0}, {127, 31}};
    const auto lines = lines_of_text(curve("x", "steps", rising, curve_style::braille));
    CHECK_THAT(lines[8], Contains("        0 |\xe2\xa3")); // U+28C0 and above: both dots below
    CHECK(lines[8].find("\xe2") == 11);
    CHECK_THAT(lines[1], Contains("       31 |") && Contains("\xe2\xa0\x89")); // U+2809: both dots above
    const std::vector<curve_point> flat{{0, 3}, {1, 3}, {2, 3}};
    const std::string drawn = curve("x", "steps", flat, curve_style::ascii);
    CHECK(tools_test::occurrences(drawn, std::string(64, '*')) == 1);
    CHECK(tools_test::occurrences(drawn, "*") == 64);
}

TEST_CASE("many points are drawn as the mean of each column") {
    std::vector<curve_point> saw;
    for (int i = 0; i < 6400; ++i) saw.push_back({static_cast<double>(i), i % 2 == 0 ? 0. : 2.});
    const auto lines = lines_of_text(curve("x", "steps", saw, curve_style::ascii));
    CHECK_THAT(lines[1], Contains("1.0") || Contains("        1 |"));
}

TEST_CASE("a trace has the steps that were asked for, and buckets that overlap on lanes of their own") {
    using namespace std::chrono_literals;
    using tutti::training::activity;
    step_trace trace(1);
    const auto zero = step_trace::clock::now();
    const auto at = [zero](std::chrono::microseconds t) { return zero + t; };
    const std::vector<activity> round{{0, 400, at(10us), at(20us), at(90us), at(95us), 5us},
                                      {1, 800, at(30us), at(30us), at(60us), at(60us), 0us}};
    for (std::size_t step = 5; step < 7; ++step) {
        trace.begin_step(step);
        {
            const step_trace::slice timed(&trace, "forward", "linear", 2);
            const auto until = step_trace::clock::now() + 5us;
            while (step_trace::clock::now() < until) {
            }
        }
        trace.add(round);
        trace.end_step();
    }
    const step_trace::slice none(nullptr, "forward"); // without a trace it does nothing
    std::map<std::string, json> slices;
    for (const json& e : json::parse("[" + trace.events(3, zero) + "]")) {
        CHECK(e.at("pid") == 3);
        if (e.at("ph") == "X") CHECK(slices.emplace(e.at("name"), e).second);
    }
    REQUIRE(slices.size() == 6);
    CHECK(slices.contains("step 5"));
    CHECK(slices.contains("forward 2.linear"));
    CHECK(slices.at("bucket 0 waits for its turn").at("dur").get<double>() == Approx(10));
    CHECK(slices.at("bucket 0").at("ts").get<double>() == Approx(20));
    CHECK(slices.at("bucket 0").at("args") == json{{"bytes", 400}, {"waited_us", 5.}});
    CHECK(slices.at("bucket 0 perhaps over").at("dur").get<double>() == Approx(5));
    CHECK(slices.at("bucket 1").at("tid") != slices.at("bucket 0").at("tid"));
}

TEST_CASE("a traced training has the same weights, and all ranks in the trace") {
    const tools_test::folder folder;
    const std::string file = folder.path("trace.json"), line = small_training + "--mode zero3 --epochs 1 ";
    const auto traced = command(line + "--trace-steps 3 --trace " + file), plain = command(line);
    INFO(traced.output);
    REQUIRE(traced.status == 0);
    CHECK_THAT(traced.output, Contains(hash_before(plain.output, " bit-identical")));
    std::map<int, std::multiset<std::string>> names; // by rank
    const json trace = json::parse(folder.read("trace.json"));
    for (const json& e : trace.at("traceEvents"))
        if (e.at("ph") == "X") names[e.at("pid")].insert(e.at("name"));
    REQUIRE(names.size() == 2);
    for (const auto& [rank, of] : names) {
        for (const char* step : {"step 0", "step 1", "step 2"}) CHECK(of.count(step) == 1);
        CHECK(of.count("step 3") == 0);
        CHECK(of.count("bucket 0") == 3);
        CHECK(of.count("forward 0.linear") == 3);
        CHECK(of.count("backward 2.linear") <= 3); // some take no microsecond
    }
}

TEST_CASE("the log has a line for each so many steps and each epoch, and goes on where a training does") {
    const tools_test::folder folder;
    const std::string line = small_training + "--checkpoint " + folder.path("job") + " --log " + folder.path("log");
    REQUIRE(command(line + " --log-steps 3 --epochs 1").status == 0);
    const auto rest = command(line + " --log-steps 3 --epochs 2 --resume --json " + folder.path("json"));
    INFO(rest.output);
    REQUIRE(rest.status == 0);
    const auto lines = json_lines(folder.read("log"));
    std::vector<std::string> events;
    for (const json& one : lines) events.push_back(one.at("event"));
    CHECK(events == std::vector<std::string>{"begin", "step", "step", "epoch", "begin", "step", "step", "epoch"});
    CHECK(lines[1].at("step") == 3);
    CHECK(lines[2].at("step") == 6);
    CHECK(lines[2].at("loss").get<double>() > 0);
    json epoch = lines.back();
    epoch.erase("event");
    CHECK(json::parse(folder.read("json")) == json::array({epoch}));
    const auto alone = command(small_training + "--epochs 1 --log -");
    CHECK(json_lines(alone.output).size() == 2); // and nothing else is printed
}

TEST_CASE("curves and the page are there where they are asked for") {
    const tools_test::folder folder;
    const std::string page = folder.path("page.html");
    const auto r = command(small_training + "--epochs 2 --curves ascii --html " + page);
    INFO(r.output);
    CHECK_THAT(r.output,
               Contains("loss of training, in nats") && Contains("accuracy of testing, in %") && Contains("|*"));
    if (r.status == 0)
        CHECK_THAT(folder.read("page.html"),
                   Contains("A training of mlp on 2 ranks") && Contains("\"hidden layers\":\"8\""));
    if (r.status != 0) CHECK_THAT(r.output, Contains("built without Chart.js"));
    const auto plain = command(small_training + "--epochs 2"); // not a terminal
    CHECK(plain.output.find("loss of training") == std::string::npos);
    const auto twice = command(small_training + "--epochs 1 --json - --log -");
    CHECK(twice.status != 0);
    CHECK_THAT(twice.output, Contains("one can go to standard output"));
}

TEST_CASE("a checkpoint is worth the same on any number of ranks and in any mode") {
    const tools_test::folder folder;
    const std::string file = " --checkpoint " + folder.path("job"),
                      settings = "train --transport memory --pictures 400 --hidden 8 --batch 50 --epochs 1 ";
    const auto trained = command(settings + "--ranks 2" + file);
    REQUIRE(trained.status == 0);
    const auto first = command(settings + "--ranks 1 --evaluate" + file);
    INFO(first.output);
    REQUIRE(first.status == 0);
    const std::string weights = hash_before(trained.output, " bit-identical");
    const std::size_t begin = first.output.find("after 8 steps"), end = first.output.find(" bit-identical");
    REQUIRE(begin < end);
    const std::string worth = first.output.substr(begin, end - begin);
    CHECK_THAT(worth, Contains(weights));
    for (const std::string other :
         {"--ranks 2", "--ranks 3 --mode zero1", "--ranks 4 --mode zero2", "--ranks 5 --mode zero3"})
        CHECK_THAT(command(settings + other + " --evaluate" + file).output, Contains(worth));
    CHECK(command(settings + "--evaluate").status != 0); // which file?
}
