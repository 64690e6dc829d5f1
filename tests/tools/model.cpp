// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"
#include "folder.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

using Catch::Contains;
using tools_test::command;
using tools_test::folder;
using tools_test::occurrences;
using model_json = nlohmann::ordered_json;

namespace {

/// The rows that a command line prices.
model_json rows_of(const std::string& arguments) {
    const folder here;
    const auto r = command("model " + arguments + " --json " + here.path("rows.json"));
    INFO(r.output);
    REQUIRE(r.status == 0);
    return model_json::parse(here.read("rows.json"));
}

/// What a page was given, out of the element that holds it.
model_json data_of(const std::string& page) {
    const std::string begin = R"(id="data">)";
    const std::size_t at = page.find(begin) + begin.size();
    return model_json::parse(page.substr(at, page.find("</script>", at) - at));
}

std::string line_with(const std::string& text, const std::string& word) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.find(word) != line.npos) return line;
    return "";
}

/// A row as tutti bench --json writes it, as far as it matters here.
model_json bench_row(const std::string& algorithm, std::size_t bytes, bool in_place, double p50_us) {
    const bool is_auto = algorithm.starts_with("auto:");
    return {{"operation", "allreduce"},
            {"algorithm", is_auto ? "auto" : algorithm},
            {"chosen", is_auto ? model_json(algorithm.substr(5)) : model_json(nullptr)},
            {"ranks", 4},
            {"bytes", bytes},
            {"in_place", in_place},
            {"p50_us", p50_us},
            {"transport", "tcp"},
            {"type", "float32"},
            {"op", "sum"}};
}

const std::vector<std::string> row_keys{
    "operation",      "algorithm",          "ranks",      "bytes",        "depth",          "rounds", "messages",
    "bytes_sent_max", "bytes_received_max", "fan_in_max", "total_bytes",  "closed_form_us", "exact",  "simulated_us",
    "measured_us",    "segments",           "auto",       "auto_segments"};

const std::string two_links = R"("near": {"segments": [
    {"name": "", "most_bytes": 64, "latency_s": 1e-6, "overhead_s": 0, "gap_s": 0, "gap_s_per_byte": 1e-9,
     "gamma_s_per_byte": 0, "overhead_s_per_byte": 0, "copy_s_per_byte": 0},
    {"name": "", "most_bytes": null, "latency_s": 3e-6, "overhead_s": 0, "gap_s": 0, "gap_s_per_byte": 1e-9,
     "gamma_s_per_byte": 0, "overhead_s_per_byte": 0, "copy_s_per_byte": 0}]},
  "far": {"segments": [
    {"name": "", "most_bytes": null, "latency_s": 1e-5, "overhead_s": 0, "gap_s": 0, "gap_s_per_byte": 1e-9,
     "gamma_s_per_byte": 0, "overhead_s_per_byte": 0, "copy_s_per_byte": 0}]})";

/// Two transports that are alike: small messages in a microsecond, larger in three, between nodes in ten.
std::string machine_text() {
    const std::string one = "{" + two_links + R"(,
  "fan_in": {"threshold_ranks": 0, "epsilon_s_per_byte": 0}, "cores_per_node": 0, "switch_s": 0,
  "crowded_latency_s": 0, "call_s": 0, "cache_bytes": 0, "miss_s_per_byte": 0, "nics_per_node": 0, "oversubscription": 1})";
    return R"({"tutti_machine": 1, "made": "for a test", "transports": {"tcp": )" + one + R"(, "memory": )" + one +
           "}}";
}

} // namespace

TEST_CASE("the model gives the finish times that LogGOPSim gives, by formula and by simulation") {
    const std::string arguments = "--loggp 1000ns,0,0,1ns/B --ranks 8 --bytes 8192 --simulate";
    const std::vector<std::pair<std::string, double>> known{{"ring", 28.322},
                                                            {"butterfly", 27.573},
                                                            {"halving_doubling", 20.330},
                                                            {"binomial_tree", 55.146},
                                                            {"naive", 116.674}};
    const auto shown = command("model " + arguments).output;
    const model_json rows = rows_of(arguments);
    for (const auto& [name, us] : known) {
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const model_json& r) { return r["algorithm"] == name; });
        REQUIRE(row != rows.end());
        CHECK(row->at("simulated_us") == us);
        CHECK(row->at("closed_form_us") == us);
        char text[16];
        std::snprintf(text, sizeof text, "%.3f", us);
        CHECK(occurrences(line_with(shown, " " + name + " "), text) == 2);
    }
}

TEST_CASE("a row that says it is exact is simulated to take as long, by each machine and each rule") {
    for (const char* machine :
         {"", "--alpha 1us --beta 1ns/B --gamma 5ns/B", "--loggp 5us,1us,2us,0.3ns/B --gamma 0.1ns/B",
          "--loggp 5us,1us,2us,0.3ns/B --gamma 0.1ns/B --receiver full_duplex"}) {
        const std::string arguments = "--operation all --ranks 2..5,8,9,12,17 --bytes 0,1,8K,100001 --simulate ";
        int exact = 0;
        for (const model_json& r : rows_of(arguments + machine)) {
            if (r["exact"] == false) continue;
            INFO(r.dump());
            CHECK(r["simulated_us"].get<double>() == Approx(r["closed_form_us"].get<double>()).epsilon(1e-9));
            ++exact;
        }
        CHECK(exact > 400);
    }
}

TEST_CASE("an estimate wins by what is simulated, and is marked where it is not") {
    const std::string arguments = "--loggp 1000ns,0,0,1ns/B --ranks 8 --bytes 8192";
    const auto shown = command("model " + arguments).output;
    CHECK_THAT(line_with(shown, "* "), Contains(" halving_doubling ") && Catch::EndsWith(" 1.00"));
    CHECK_THAT(line_with(shown, " parameter_server "), Contains(" ~16.322 ") && Contains(" 28.322 "));
    const auto hopeless =
        command("model --loggp 1000ns,0,0,1ns/B --ranks 8 --bytes 1M --algorithm ring,one_shot").output;
    CHECK_THAT(line_with(hopeless, " one_shot "), Contains(" ~7341.025 ") && Catch::EndsWith(" ~3.97"));
    for (const model_json& r : rows_of(arguments)) {
        if (r["algorithm"] == "parameter_server") CHECK((r["exact"] == false && r["simulated_us"] == 28.322));
        if (r["algorithm"] == "ring") CHECK((r["exact"] == true && r["simulated_us"].is_null()));
    }
}

TEST_CASE("an operation that cannot have so many ranks is left out beside others, and refused alone") {
    const std::string at = " --loggp 1000ns,0,0,1ns/B --ranks 65536 --bytes 64 ";
    const auto both = command("model --operation broadcast,alltoall" + at);
    CHECK(both.status == 0);
    CHECK_THAT(both.output, Contains("broadcast") && !Contains("alltoall"));
    for (const std::string& line : {"model --operation alltoall" + at, "explain --operation alltoall" + at,
                                    std::string("export --format goal --operation alltoall --algorithm direct --ranks "
                                                "65536")}) {
        const auto alone = command(line);
        CHECK(alone.status != 0);
        CHECK_THAT(alone.output, Contains("46340 ranks at most"));
    }
}

TEST_CASE("rows have their columns, in JSON and in CSV, and nothing for what is not known") {
    const folder here;
    const model_json rows = rows_of("--ranks 3,4 --bytes 8,1K --operation all --csv " + here.path("rows.csv"));
    REQUIRE(rows.size() == 2 * 2 * (13 + 7 + 8 + 4 + 4 + 4 * 2 + 3));
    std::istringstream lines(here.read("rows.csv"));
    std::string line, names;
    for (const std::string& key : row_keys) names += (names.empty() ? "" : ",") + key;
    REQUIRE(std::getline(lines, line));
    CHECK(line == names);
    for (const model_json& row : rows) {
        std::vector<std::string> keys;
        for (const auto& [key, value] : row.items()) keys.push_back(key);
        CHECK(keys == row_keys);
        if (row["exact"] == true) CHECK(row["simulated_us"].is_null());
        CHECK(row["measured_us"].is_null());
        REQUIRE(std::getline(lines, line));
        const std::string segments = row["segments"].dump();
        const std::string simulated = row["simulated_us"].is_null() ? "" : row["simulated_us"].dump();
        const std::string chosen = row["auto_segments"].is_null() ? "" : row["auto_segments"].dump();
        CHECK(line.ends_with("," + simulated + ",," + segments + "," + row["auto"].dump() + "," + chosen));
        CHECK(row["auto"] == !chosen.empty());
        CHECK_THAT(line, Catch::StartsWith(row["operation"].get<std::string>() + "," +
                                           row["algorithm"].get<std::string>() + "," + row["ranks"].dump() + "," +
                                           row["bytes"].dump() + "," + row["depth"].dump() + ","));
    }
    CHECK(!std::getline(lines, line));
}

TEST_CASE("times from 10 s on are printed with an exponent, and fit their column") {
    const auto shown = [](const char* alpha) { // two messages one after the other
        return line_with(command("model --ranks 2 --bytes 8 --algorithm naive --simulate --beta 0 --gamma 0 --alpha " +
                                 std::string(alpha))
                             .output,
                         "* naive");
    };
    CHECK(occurrences(shown("4999ms"), "  9998000.000") == 2);
    CHECK(occurrences(shown("5s"), "  1.000000e+07") == 2);
    CHECK(occurrences(shown("123456789.1s"), "  2.469136e+14") == 2);
    const std::string wide =
        command("model --ranks 8 --bytes 8 --algorithm hierarchical:halving_doubling:parameter_server,ring").output;
    CHECK(line_with(wide, "* hierarchical:").size() == line_with(wide, "# algorithm").size());
}

TEST_CASE("rows go to standard output by the name -, and nothing else does") {
    const folder here;
    const std::string bench = here.write("bench.json", model_json({bench_row("ring", 77, false, 1)}).dump());
    const std::string what = "--ranks 4,20000 --bytes 8,1K --simulate --algorithm ring,naive --measured " + bench;
    for (const char* option : {"--json", "--csv"}) {
        const auto r = command("model " + what + " " + option + " - " +
                               (option == std::string("--csv") ? "--json " : "--csv ") + here.path("other"));
        CHECK(r.status == 0);
        REQUIRE(command("model " + what + " " + option + " " + here.path("same")).status == 0);
        CHECK(r.output == here.read("same"));
        CHECK(!here.read("other").empty());
    }
    const auto trace = command("model --ranks 2 --bytes 8 --trace -");
    CHECK(trace.status == 0);
    CHECK(model_json::parse(trace.output).contains("traceEvents"));
    for (const char* arguments : {"--csv - --json -", "--csv - --trace -"})
        CHECK(command("model --ranks 2 --bytes 8 " + std::string(arguments)).status == 2);
    const auto page = command("model --ranks 2 --bytes 8 --html -");
    if (page.status != 2) CHECK_THAT(page.output, Catch::StartsWith("<!DOCTYPE html>")); // 2: built without Chart.js
}

TEST_CASE("counts of the ring are those of the ring") {
    const model_json rows = rows_of("--ranks 5 --bytes 1000 --algorithm ring");
    REQUIRE(rows.size() == 1);
    const model_json& r = rows[0];
    CHECK(r["depth"] == 8);
    CHECK(r["rounds"] == 8);
    CHECK(r["messages"] == 5 * 8);
    CHECK(r["bytes_sent_max"] == 8 * 200);
    CHECK(r["bytes_received_max"] == 8 * 200);
    CHECK(r["fan_in_max"] == 1);
    CHECK(r["total_bytes"] == 5 * 8 * 200);
}

TEST_CASE("what is assumed of the machine is said, what is given is said to be given") {
    const auto assumed = command("model --ranks 4 --bytes 8");
    CHECK(assumed.status == 0);
    CHECK_THAT(assumed.output, Contains("alpha 10 us, beta 0.32 ns/B (25 Gbit/s), gamma 0.1 ns/B, assumed"));
    const auto partly = command("model --ranks 4 --bytes 8 --alpha 2us");
    CHECK_THAT(partly.output, Contains("alpha 2 us") && Contains("beta, gamma assumed"));
    const std::string all = "--alpha 10000ns --beta 0.32ns/B --gamma 10GB/s";
    const auto given = command("model --ranks 4 --bytes 8 " + all);
    CHECK_THAT(given.output, Contains("as given") && !Contains("assumed"));
    CHECK(rows_of("--ranks 4 --bytes 8..1M " + all) == rows_of("--ranks 4 --bytes 8..1M"));
    CHECK(rows_of("--ranks 4 --bytes 1K --loggp 1us,0,0,8Gbit/s") ==
          rows_of("--ranks 4 --bytes 1K --loggp 1000ns,0ns,0,1ns/B"));
}

TEST_CASE("each table marks one winner, the fastest") {
    const std::string arguments = "--ranks 2..16*2 --bytes 8..4M*64";
    const model_json rows = rows_of(arguments);
    const auto shown = command("model " + arguments).output;
    CHECK(occurrences(shown, "\n* ") == 4 * 4);
    CHECK(occurrences(shown, "\n# allreduce, ") == 4 * 4);
    std::istringstream lines(shown);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("* ")) continue;
        std::string mark, algorithm;
        std::istringstream(line) >> mark >> algorithm;
        if (algorithm.ends_with(',')) algorithm.pop_back(); // its segments follow
        CHECK_THAT(line, Catch::EndsWith(" 1.00"));
        CHECK(std::any_of(rows.begin(), rows.end(), [&](const model_json& r) { return r["algorithm"] == algorithm; }));
    }
    for (std::size_t k = 0; k < rows.size(); k += 13) { // what is marked is as fast as any
        const auto fastest = std::min_element(
            rows.begin() + static_cast<long>(k), rows.begin() + static_cast<long>(k) + 13,
            [](const model_json& a, const model_json& b) { return a["closed_form_us"] < b["closed_form_us"]; });
        char text[32];
        std::snprintf(text, sizeof text, "%.3f ", fastest->at("closed_form_us").get<double>());
        CHECK(line_with(shown, text) != "");
    }
}

TEST_CASE("crossovers are found between the sizes that were asked for, in two digits, as many as the model is worth") {
    // 3 (alpha + n beta) = 6 alpha + 7/4 n beta at n = 12/5 alpha/beta = 24000 bytes, 23.4 KiB
    const auto shown = command("model --ranks 8 --bytes 8..8M*1M --algorithm butterfly,halving_doubling --alpha 10us "
                               "--beta 1ns/B --gamma 0")
                           .output;
    CHECK_THAT(shown, Contains("fastest allreduce, 8 ranks: butterfly; from 23 KiB on halving_doubling\n"));
    CHECK_THAT(command("model --ranks 8 --bytes 8,16 --algorithm butterfly,ring").output,
               Contains("fastest allreduce, 8 ranks: butterfly at all of these sizes"));
}

TEST_CASE("counts of several sizes are those of each size alone") {
    const std::string all = "model --ranks 3,8 --operation all --csv - --bytes ";
    std::string alone;
    const std::string together = command(all + "4,1000").output;
    for (const char* const size : {"4", "1000"}) alone += command(all + size).output;
    REQUIRE(occurrences(alone, "\n") == occurrences(together, "\n") + 1); // one head more
    std::istringstream rows(together);
    for (std::string row; std::getline(rows, row);) CHECK_THAT(alone, Contains(row + "\n"));
}

TEST_CASE("who is slow at one size may win before the next: more segments make the tree faster with more data") {
    // Just below 1 MiB the tree goes in one segment, and takes longer than it does at 1200 KiB in two.
    const folder here;
    const std::string by_rule = here.write("other.json", model_json({bench_row("ring", 64, false, 10)}).dump());
    const std::string what = " --ranks 64 --alpha 1us --beta 1ns/B --gamma 0 --operation broadcast "
                             "--algorithm binomial_tree,double_binary_tree --measured " +
                             by_rule;
    const model_json rows = rows_of("--bytes 1048575,1200K" + what);
    REQUIRE(rows[1]["closed_form_us"] > rows[0]["closed_form_us"]);
    REQUIRE(rows[2]["closed_form_us"] > rows[3]["closed_form_us"]);
    REQUIRE(rows[1]["closed_form_us"] > rows[3]["closed_form_us"]);
    const auto shown = command("model --bytes 1048575,1200K" + what).output;
    std::smatch found;
    REQUIRE(std::regex_search(shown, found, std::regex("binomial_tree; from ([0-9.]+) MiB on double_binary_tree\n")));
    CHECK(std::stod(found[1]) < 1 + 1.5 / 256);
}

TEST_CASE("the double tree is priced in the segments in which it takes the least time, and says so") {
    for (const auto& [how, time] : {std::pair("", "closed_form_us"), {" --simulate", "simulated_us"}}) {
        const std::string what = "--operation broadcast --ranks 16 --bytes 256K --algorithm double_binary_tree,"
                                 "binomial_tree --alpha 1us --beta 1ns/B --gamma 0" +
                                 std::string(how);
        const model_json rows = rows_of(what);
        const int best = rows[0]["segments"].get<int>();
        CHECK(best > 4);
        CHECK(rows[1]["segments"] == 1);
        CHECK_THAT(command("model " + what).output,
                   Contains("\n* double_binary_tree, " + std::to_string(best) + " segments ") &&
                       Contains("\n  binomial_tree  ") && Contains("segments, up to 64, that takes the least time\n"));
        for (int segments = 1; segments <= 64; segments *= 2) {
            const model_json fixed = rows_of(what + " --segments " + std::to_string(segments));
            CHECK(fixed[0]["segments"] == segments);
            CHECK(fixed[1]["segments"] == 1);
            CHECK(fixed[0][time] >= rows[0][time]);
            CHECK((segments == best) == (fixed[0] == rows[0]));
        }
    }
}

TEST_CASE("of a few bytes there are no more segments than half of them") {
    for (const int bytes : {0, 1, 2, 7}) {
        const model_json rows = rows_of("--operation broadcast --ranks 64 --alpha 0us --algorithm double_binary_tree "
                                        "--bytes " +
                                        std::to_string(bytes));
        CHECK(rows[0]["segments"] <= std::max(bytes / 2, 1));
    }
}

TEST_CASE("beside measured times the double tree is priced in the segments that were measured") {
    const folder here;
    const std::string file = here.write("tree.json", model_json({bench_row("double_binary_tree", 65536, false, 10),
                                                                 bench_row("double_binary_tree", 1 << 20, false, 20)})
                                                         .dump());
    const std::string what = "--ranks 4 --bytes 64K,1M --algorithm double_binary_tree --measured " + file;
    const model_json rows = rows_of(what);
    CHECK(rows[0]["segments"] == 1);
    CHECK(rows[1]["segments"] == 2);
    CHECK(rows[1]["measured_us"] == 20);
    CHECK_THAT(command("model " + what).output, Contains("chain where it is cut: in as many segments as the library "
                                                         "takes by rule"));
    CHECK(command("model --segments 2 " + what).status == 2);
}

TEST_CASE("what is too much to be counted is priced, without counts; sizes beyond 1 PiB are refused") {
    const auto r = command("model --ranks 65536 --bytes 4G --algorithm one_shot");
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("one_shot), 65536 ranks, 4 GiB: not counted: more bytes"));
    CHECK_THAT(line_with(r.output, "* one_shot"), Contains(" - ") && !Contains("-1"));
    const auto beyond = command("model --ranks 4 --bytes 2048T");
    CHECK(beyond.status == 2);
    CHECK_THAT(beyond.output, Contains("'2048T' has a size beyond 1024T"));
}

TEST_CASE("a trace holds every message of every row, as it is simulated") {
    const folder here;
    const auto r =
        command("model --ranks 4 --bytes 8,1K --algorithm ring,butterfly --trace " + here.path("trace.json"));
    INFO(r.output);
    CHECK(r.status == 0);
    const model_json events = model_json::parse(here.read("trace.json"))["traceEvents"];
    const auto arrows = std::count_if(events.begin(), events.end(), [](const model_json& e) { return e["ph"] == "s"; });
    CHECK(arrows == 2 * (4 * 6 + 4 * 2)); // of a ring each rank sends 6 messages, of a butterfly 2
    for (const char* call : {"allreduce ring 8 bytes", "allreduce butterfly 1024 bytes"})
        CHECK(std::any_of(events.begin(), events.end(), [&](const model_json& e) { return e["name"] == call; }));
    CHECK(command("model --ranks 65 --bytes 8 --algorithm ring --trace " + here.path("trace.json")).status == 2);
}

TEST_CASE("measured times stand beside what is priced, out of place or in place, by the algorithm that ran") {
    const folder here;
    const std::string one =
        here.write("one.json", model_json({bench_row("ring", 64, false, 10), bench_row("ring", 64, true, 99),
                                           bench_row("auto:butterfly", 64, true, 7), bench_row("ring", 77, false, 1),
                                           bench_row("ring", 77, false, 2)})
                                   .dump());
    const std::string two =
        here.write("two.json", model_json({bench_row("ring", 64, false, 30), bench_row("ring", 64, false, 20)}).dump());
    const std::string arguments = "--ranks 4 --bytes 64 --algorithm ring,butterfly,naive --measured " + one + " " + two;
    const model_json rows = rows_of(arguments);
    CHECK(rows[0]["measured_us"] == 20);
    CHECK(rows[1]["measured_us"].is_null()); // in place, which is another call
    CHECK(rows[2]["measured_us"].is_null());
    CHECK_THAT(command("model " + arguments).output,
               Contains("# measured, but no row here:\n#   allreduce butterfly in place, 4 ranks, 64 B (" + one +
                        ")\n#   allreduce ring out of place, 4 ranks, 77 B (" + one + ")\n"));
}

TEST_CASE("what was measured in place alone is priced in place, and that is said") {
    const folder here;
    std::string text = machine_text();
    for (std::size_t at = 0; (at = text.find("\"copy_s_per_byte\": 0", at)) != text.npos; ++at)
        text.replace(at, 20, "\"copy_s_per_byte\": 1");
    const std::string arguments = "--ranks 4 --bytes 64 --algorithm one_shot --machine " +
                                  here.write("machine.json", text) + " --transport tcp --measured ";
    const auto measured = [&](bool in_place) {
        return here.write("measured.json", model_json({bench_row("one_shot", 64, in_place, 7)}).dump());
    };
    const model_json out = rows_of(arguments + measured(false));
    CHECK_THAT(command("model " + arguments + measured(false)).output, !Contains("priced in place"));
    const model_json in = rows_of(arguments + measured(true));
    CHECK_THAT(command("model " + arguments + measured(true)).output,
               Contains("\n# priced in place, as it was measured: allreduce\n"));
    CHECK(in[0]["measured_us"] == 7);
    CHECK(out[0]["measured_us"] == 7);
    CHECK(in[0]["simulated_us"] != out[0]["simulated_us"]);
}

TEST_CASE("adapters that ranks share, a narrow network and chance make calls longer, and are told") {
    const std::string call = "model --loggp 5us,1us,2us,0.3ns/B --gamma 0 --receiver full_duplex --simulate --ranks 16 "
                             "--ranks-per-node 4 --bytes 1M --algorithm butterfly";
    const auto simulated_us = [&](const std::string& how) {
        return rows_of(" --loggp 5us,1us,2us,0.3ns/B --receiver full_duplex --simulate --ranks 16 --ranks-per-node 4 "
                       "--bytes 1M --algorithm butterfly" +
                       how)[0]["simulated_us"]
            .get<double>();
    };
    const double free = simulated_us(""), shared = simulated_us(" --nics 1"),
                 narrow = simulated_us(" --nics 1 --oversubscription 4");
    CHECK(shared > 2 * free);
    CHECK(narrow > 2 * shared);
    CHECK(simulated_us(" --nics 4 --oversubscription 1") == free);
    const double late = simulated_us(" --straggling 0.5 --seed 7");
    CHECK(late > free);
    CHECK(simulated_us(" --straggling 0.5 --seed 7") == late);
    CHECK(simulated_us(" --straggling 0.5 --seed 8") != late);
    CHECK_THAT(command(call + " --nics 1 --oversubscription 4").output,
               Contains("; 1 adapter a node; network oversubscribed 4 times\n"));
    CHECK_THAT(command(call + " --straggling 0.5 --seed 7").output, Contains("by chance, 50 % in the mean, seed 7\n"));
    for (const char* refused : {"--nics 1", "--oversubscription 2", "--simulate --straggling 0.1"}) // Hockney's machine
        CHECK(command(std::string("model --ranks 4 --bytes 8 ") + refused).status == 2);
}

TEST_CASE("measured times of several types, roots or conditions are not mixed into one") {
    const folder here;
    const model_json over_tcp = bench_row("ring", 64, false, 10);
    for (const auto& [key, value] : std::vector<std::pair<std::string, model_json>>{{"transport", "memory"},
                                                                                    {"type", "int8"},
                                                                                    {"op", "max"},
                                                                                    {"root", 1},
                                                                                    {"imbalance", "1ms"},
                                                                                    {"cold", true},
                                                                                    {"memory", "page"},
                                                                                    {"timing", "loop"},
                                                                                    {"bind", "core"},
                                                                                    {"overlap", true}}) {
        const auto beside = [&](bool in_place) {
            model_json other = bench_row("ring", 64, in_place, 20);
            other[key] = value;
            const std::string file = here.write("mixed.json", model_json({over_tcp, other}).dump());
            return command("model --ranks 4 --bytes 64 --algorithm ring --measured " + file);
        };
        CHECK(beside(true).status == 0); // of which nothing is taken
        const auto mixed = beside(false);
        INFO(mixed.output);
        CHECK(mixed.status == 2);
        const std::string said = value.is_string() ? value.get<std::string>() : value.dump();
        CHECK_THAT(mixed.output,
                   Contains("--measured has allreduce ring, 4 ranks, 64 B in several ways: " + key + " is ") &&
                       Contains(", but " + said + " in "));
        CHECK(command("model --ranks 8 --bytes 64 --algorithm ring --measured " + here.path("mixed.json")).status == 0);
    }
}

TEST_CASE("of an even number of rounds the median is between the middle two") {
    const folder here;
    const auto median = [&](const std::vector<double>& rounds) {
        model_json rows = model_json::array();
        for (const double us : rounds) rows.push_back(bench_row("ring", 64, false, us));
        return rows_of("--ranks 4 --bytes 64 --algorithm ring --measured " +
                       here.write("rounds.json", rows.dump()))[0]["measured_us"]
            .get<double>();
    };
    CHECK(median({6.575, 37.65}) == Approx(22.1125));
    CHECK(median({9.509, 5.902, 6.508, 9.289}) == Approx(7.8985)); // 6.508 and 9.289
    CHECK(median({3, 1, 2}) == 2);
}

TEST_CASE("what tutti bench writes is what tutti model reads") {
    const folder here;
    const std::string file = here.path("bench.json");
    REQUIRE(command("bench --transport memory --ranks 2 --algorithm ring -b 64 -e 64 -n 3 --json " + file).status == 0);
    const model_json measured = model_json::parse(here.read("bench.json"));
    const model_json rows = rows_of("--ranks 2 --bytes 64 --algorithm ring --measured " + file);
    REQUIRE(measured[0]["in_place"] == false);
    CHECK(rows[0]["measured_us"].get<double>() == Approx(measured[0]["p50_us"].get<double>()));
}

TEST_CASE("a machine of several links is simulated, with one transport of its file") {
    const folder here;
    const std::string arguments =
        "--ranks 2 --bytes 64,65 --algorithm butterfly --machine " + here.write("machine.json", machine_text());
    const auto several = command("model " + arguments);
    CHECK(several.status == 2);
    CHECK_THAT(several.output, Contains("choose one by --transport: memory, tcp"));
    const model_json near = rows_of(arguments + " --transport tcp"), far = rows_of(arguments + " --transport tcp "
                                                                                               "--ranks-per-node 1");
    CHECK(near[0]["closed_form_us"].is_null());
    CHECK(near[0]["simulated_us"] == 1.063);
    CHECK(near[1]["simulated_us"] == 3.064);
    CHECK(far[0]["simulated_us"] == 10.063);
    CHECK_THAT(command("model " + arguments + " --transport tcp").output, Contains("(for a test)"));
    const std::string wrong = here.write("wrong.json", "{}");
    const auto refused = command("model --machine " + wrong);
    CHECK(refused.status == 1);
    CHECK_THAT(refused.output, Contains(wrong + " describes no machine"));
}

TEST_CASE(
    "how many ranks share a node and its cores is said, in the terminal and on the page, and when they are too many") {
    const folder here;
    std::string text = machine_text();
    for (std::size_t at = 0; (at = text.find("\"cores_per_node\": 0", at)) != text.npos; ++at)
        text.replace(at, 19, "\"cores_per_node\": 4");
    const std::string arguments =
        "model --bytes 64 --algorithm ring --transport tcp --machine " + here.write("machine.json", text);
    const std::string assumed =
        "nodes: 4 cores each, all ranks on one node, assumed, since --ranks-per-node is not given";
    const std::string hint = "64 ranks share the 4 cores of one node: for several nodes give --ranks-per-node";
    const auto few = command(arguments + " --ranks 2,4");
    CHECK_THAT(few.output, Contains("\n# " + assumed + "\n") && !Contains("hint"));
    const auto many = command(arguments + " --ranks 2,64");
    CHECK_THAT(many.output, Contains("\n# " + assumed + "\n# hint: " + hint + "\n"));
    const auto given = command(arguments + " --ranks 64 --ranks-per-node 2");
    CHECK_THAT(given.output, Contains("\n# nodes: 4 cores each, 2 ranks on a node, as given\n") && !Contains("hint"));
    CHECK_THAT(command("model --ranks 64 --bytes 8").output, !Contains("nodes:"));
    CHECK_THAT(command("model --lecture --ranks 8 --transport tcp --machine " + here.path("machine.json")).output,
               Contains("# " + assumed) && Contains("# hint: 8 ranks share"));
    const auto page = command(arguments + " --ranks 64 --html " + here.path("report.html"));
    if (page.status == 2) return; // built without Chart.js
    const std::string machine = data_of(here.read("report.html"))["machine"];
    CHECK_THAT(machine, Contains(assumed) && Contains(hint));
}

TEST_CASE("the report is a page with a row and a timeline for each algorithm, where the build has pages") {
    const folder here;
    const auto r =
        command("model --ranks 4 --bytes 8,1K --operation broadcast --simulate --html " + here.path("report.html"));
    INFO(r.output);
    if (r.status == 2) {
        CHECK_THAT(r.output, Contains("--html: this tutti was built without Chart.js"));
        return;
    }
    CHECK(r.status == 0);
    const std::string text = here.read("report.html");
    CHECK_THAT(text, Catch::StartsWith("<!DOCTYPE html>", Catch::CaseSensitive::No));
    CHECK(occurrences(text, "[\"broadcast\",\"naive\",4,") == 2);
    CHECK(occurrences(text, "\"activities\":[[") == 4);
}

TEST_CASE("the page's timelines are of the numbers of ranks nearest 8, the ring's first") {
    const auto first_on = [](const std::string& ranks) {
        const folder here;
        const auto r = command("model --ranks " + ranks + " --bytes 64 --html " + here.path("report.html"));
        INFO(r.output);
        REQUIRE(r.status == 0);
        const model_json timelines = data_of(here.read("report.html"))["timelines"];
        CHECK(timelines.size() == 13);
        CHECK(timelines[0]["algorithm"] == "ring");
        return timelines[0]["ranks"].get<int>();
    };
    if (command("model --html /dev/null --ranks 2 --bytes 8").status == 2) return; // built without Chart.js
    CHECK(first_on("2..64*2") == 8);
    CHECK(first_on("1,2,5") == 5);
    CHECK(first_on("100") == 8); // a hundred cannot be looked at
}

TEST_CASE("the page has the crossover sizes that the terminal prints, and by which time") {
    for (const auto& [how, time] : {std::pair("", "predicted_us"), {" --simulate", "simulated_us"}}) {
        const folder here;
        const auto r = command("model --ranks 1,2,8 --bytes 8..8M*1024 --operation allreduce,broadcast --html " +
                               here.path("report.html") + how);
        INFO(r.output);
        if (r.output.find("built without Chart.js") != r.output.npos) return;
        REQUIRE(r.status == 0);
        const model_json fastest = data_of(here.read("report.html"))["fastest"];
        CHECK(fastest.size() == occurrences(r.output, "\n# fastest "));
        std::size_t changes = 0;
        for (const model_json& one : fastest) {
            std::string line = "# fastest " + one["operation"].get<std::string>() + ", " + one["ranks"].dump() +
                               (one["ranks"] == 1 ? " rank: " : " ranks: ") + one["at_smallest"].get<std::string>();
            for (const model_json& c : one["changes"])
                line += "; from " + c["size"].get<std::string>() + " on " + c["to"].get<std::string>();
            CHECK_THAT(r.output, Contains(line + (one["changes"].empty() ? " at all of these sizes\n" : "\n")));
            CHECK(one["time"] == time);
            changes += one["changes"].size();
        }
        CHECK(changes >= 3);
    }
}

// LogGP of L = 1 us and G = 1 ns/B, and nothing else. The server is sharded over 8 ranks, 1 KiB each. By the form a
// rank takes 7 messages of 1.023 us one after the other, twice, and waits for L twice: 16.322 us. But its processor
// sends and receives in turn, so that it waits for L with each of 14: 28.322 us. As the ring does, whose form says so.
TEST_CASE("a call has one figure in tables, lecture and page: closed form, simulated, and which of them is compared") {
    const folder here;
    const std::string machine = " --ranks 8 --loggp 1000ns,0,0,1ns/B ";
    const auto lecture = command("model --lecture --parameters 2048" + machine).output; // 8 KiB
    CHECK_THAT(line_with(lecture, "  sharded parameter server"), Contains(" 28.322 us ") && Contains(" simulated "));
    CHECK_THAT(line_with(lecture, "  ring "), Contains(" 28.322 us ") && Contains(" closed form "));
    const auto r = command("model --bytes 8K,16K" + machine + "--html " + here.path("page.html"));
    if (r.output.find("built without Chart.js") != r.output.npos) return;
    const model_json page = data_of(here.read("page.html"));
    const auto columns = page["columns"].get<std::vector<std::string>>();
    const auto row = std::find_if(page["rows"].begin(), page["rows"].end(),
                                  [](const model_json& one) { return one[1] == "parameter_server"; });
    REQUIRE(row != page["rows"].end());
    const auto figure = [&](const char* column) {
        const auto at = std::find(columns.begin(), columns.end(), column) - columns.begin();
        return (*row)[static_cast<std::size_t>(at)].get<double>();
    };
    CHECK(figure("closed_form_us") == Approx(16.322));
    CHECK(figure("simulated_us") == Approx(28.322));
    CHECK(figure("predicted_us") == Approx(28.322));
}

// 40 bytes on three ranks are 14, 13 and 13 bytes: four messages of 1 us and 13 ns. In whole floats it would be 16.
TEST_CASE("the lecture cuts gradients as the tables cut their bytes") {
    const std::string machine = " --ranks 3 --loggp 1000ns,0,0,1ns/B ";
    CHECK_THAT(line_with(command("model --lecture --parameters 10" + machine).output, "  ring "),
               Contains(" 4.052 us "));
    CHECK_THAT(line_with(command("model --bytes 40 --algorithm ring" + machine).output, "* ring "),
               Contains(" 4.052 "));
}

TEST_CASE("the tables have what the library itself would choose, also a composition that is in no list") {
    const std::string call = "--ranks 1024 --ranks-per-node 8 --bytes 16M --loggp 5us,1us,2us,0.3ns/B --nics 1";
    const std::string explained = line_with(command("explain " + call).output, "allreduce of ");
    const std::string chosen = "hierarchical:halving_doubling:halving_doubling";
    CHECK_THAT(explained, Catch::EndsWith(": " + chosen));
    CHECK_THAT(command("model --algorithm auto " + call).output, Contains("* " + chosen + " (auto) "));
    const auto all = command("model --ranks 8 --bytes 64M --alpha 10us --beta 25Gbit/s");
    CHECK_THAT(all.output, Contains("* halving_doubling (auto) ")); // as many bytes as others, in the fewest messages
    CHECK(occurrences(all.output, "(auto)") == 1);
}

TEST_CASE("rows are written as they are known: who reads two lines need not wait for the last") {
    const auto r = command("model --ranks 8,8192 --bytes 8 --csv - | head -n 2"); // thousands of ranks take minutes
    CHECK(occurrences(r.output, "\n") == 2);
    CHECK_THAT(r.output, Contains("allreduce,naive,8,8,"));
    CHECK(r.seconds < 50);
}

TEST_CASE("the lecture counts the segments of its times") {
    // In 8 pieces 2 ranks send 16 messages through a port: 32.873 ms at least. In 2 they take 4 alpha + n beta.
    const auto two = line_with(command("model --lecture --ranks 2").output, "  double tree");
    CHECK_THAT(two, Contains(" 32.753"));
    const auto r = command("model --lecture --ranks 8");
    CHECK_THAT(line_with(r.output, "  double tree"), Contains(" 255") && Contains(" 896") && Contains("71.0349"));
    CHECK_THAT(r.output, Contains("32 pieces"));
}

TEST_CASE("the lecture counts what it tells") {
    const auto r = command("model --lecture --ranks 4 --parameters 1000000 --step 1s");
    INFO(r.output);
    CHECK(r.status == 0);
    // 4 MB a rank: the root takes in and hands out three times as much, a rank of the ring half as much again.
    CHECK_THAT(line_with(r.output, "  central parameter server"), Contains(" 96 Mbit/s ") && Contains("11.44 MiB"));
    CHECK_THAT(line_with(r.output, "  ring "), Contains(" 48 Mbit/s ") && Contains("5.722 MiB"));
    CHECK_THAT(line_with(r.output, "  one shot "), Contains(" 96 Mbit/s ") && Contains("45.78 MiB"));
    for (const char* name : {"naive", "parameter_server", "one_shot", "ring", "butterfly", "halving_doubling",
                             "double_binary_tree", "binomial_tree", "hierarchical:ring:ring"})
        CHECK_THAT(r.output, Contains("(" + std::string(name) + "; "));
    CHECK_THAT(r.output, Contains("(halving_doubling; recursive halving and doubling, Rabenseifner's algorithm)\n"));
    const auto others = command("model --lecture --ranks 8 --algorithm circulant,ring --parameters 1000000");
    CHECK(others.status == 0);
    CHECK_THAT(line_with(others.output, "  circulant"), Contains(" circulant ")); // without a text of its own
    CHECK_THAT(others.output, Contains("as much as a rank of the ring") && !Contains("naive"));
    const auto two = command("model --lecture --ranks 2");
    CHECK_THAT(two.output, Contains("Here a node has 2 of the 2 ranks, so that this is one ring of all of them") &&
                               !Contains("go between nodes") && !Contains("But 1 at once send to one"));
    CHECK_THAT(command("model --lecture --ranks 2 --ranks-per-node 1").output, Contains("a node has 1 of the 2 ranks"));
    const auto three = command("model --lecture --ranks 3");
    CHECK_THAT(three.output, Contains("The ranks of a node (2) sum among themselves first, so that of 390 MiB only") &&
                                 Contains("Ranks beyond a power of two first send all") &&
                                 Contains("which is of half of the partners"));
    for (const char* const of_tables : {"--bytes", "--operation", "--csv", "--json", "--trace", "--measured"}) {
        const auto refused = command(std::string("model --lecture ") + of_tables + " 8");
        CHECK(refused.status == 2);
        CHECK_THAT(refused.output, Contains(std::string(of_tables) + " excludes --lecture") ||
                                       Contains(std::string("--lecture excludes ") + of_tables));
    }
    const auto usual = command("model --lecture");
    CHECK(usual.status == 0);
    CHECK_THAT(usual.output, Contains("97.49 MiB of gradients") && Contains("over 256 ranks") &&
                                 Contains("24.28 GiB") && Contains("assumed"));
}

TEST_CASE("the lecture's page has the terminal's figures, a picture of each lesson, and sizes to slide through") {
    const folder here;
    const auto r = command("model --lecture --ranks 4 --parameters 1000000 --step 1s --html " + here.path("page.html"));
    INFO(r.output);
    if (r.output.find("built without Chart.js") != r.output.npos) return;
    REQUIRE(r.status == 0);
    CHECK_THAT(r.output, Contains("\nring (ring; ring allreduce"));
    const model_json page = data_of(here.read("page.html"));
    const model_json& lessons = page["lecture"]["lessons"];
    CHECK(page["lecture"]["bytes"] == 4'000'000);
    CHECK(page["lecture"]["step_s"] == 1);
    CHECK(lessons.size() == 9);
    for (const model_json& one : lessons) {
        CHECK_THAT(one["pictures"][0]["svg"].get<std::string>(), Catch::StartsWith("<svg"));
        CHECK(one["pictures"][0]["ranks"] == 4); // as the text
        for (const model_json& rank : one["pictures"][0]["holds"].back())
            for (const model_json& chunk : rank) CHECK(chunk == 0b1111);
    }
    // A ring of four: in the first round each rank adds the chunk of the one before it.
    CHECK(lessons[3]["pictures"][0]["holds"].size() == 1 + 2 * 3);
    CHECK(lessons[3]["pictures"][0]["holds"][0] == model_json{{1, 1, 1, 1}, {2, 2, 2, 2}, {4, 4, 4, 4}, {8, 8, 8, 8}});
    std::size_t sums = 0;
    for (const model_json& rank : lessons[3]["pictures"][0]["holds"][1])
        for (const model_json& chunk : rank) sums += std::popcount(chunk.get<unsigned>()) == 2;
    CHECK(sums == 4);
    const auto columns = page["columns"].get<std::vector<std::string>>();
    const auto at = [&](const model_json& row, const char* column) {
        return row[static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin())];
    };
    std::size_t gradients = 0;
    for (const model_json& row : page["rows"]) {
        CHECK(at(row, "ranks") == 4);
        if (at(row, "bytes") != 4'000'000) continue;
        ++gradients;
        if (at(row, "algorithm") == "naive") CHECK(at(row, "bytes_received_max") == 12'000'000);
        if (at(row, "algorithm") == "ring") CHECK(at(row, "bytes_sent_max") == 6'000'000);
        if (at(row, "algorithm") == "hierarchical:ring:ring") CHECK(at(row, "far_bytes") == 8'000'000);
    }
    CHECK(gradients == lessons.size());
    CHECK(page["rows"].size() == 11 * gradients); // 8 B to 1 GiB, and the gradients
    CHECK_THAT(command("model --lecture --ranks 4 --html -").output, Catch::StartsWith("<!DOCTYPE html>"));
}

namespace {

/// Of a formula of the lecture: factors, and after a stroke a divisor.
double value_of(std::string formula, double ranks, double bytes) {
    for (const auto& [long_word, word] : {std::pair{"log₂ P", "l"}, {"(P − 1)", "m"}, {"P − 1", "m"}})
        if (const auto at = formula.find(long_word); at != formula.npos)
            formula.replace(at, std::string(long_word).size(), word);
    std::istringstream words(formula);
    double product = 1;
    bool divides = false;
    for (std::string word; words >> word; divides = word == "/") {
        const double factor = word == "/"   ? 1
                              : word == "n" ? bytes
                              : word == "P" ? ranks
                              : word == "m" ? ranks - 1
                              : word == "l" ? std::log2(ranks)
                                            : std::stod(word);
        product *= divides ? 1 / factor : factor;
    }
    return product;
}

} // namespace

TEST_CASE("the lecture's formulas are the closed forms") {
    const folder here;
    const auto r = command("model --lecture --ranks 4,8 --html " + here.path("page.html"));
    if (r.output.find("built without Chart.js") != r.output.npos) return;
    const model_json page = data_of(here.read("page.html"));
    CHECK(page["lecture"]["hockney"][0] == 10e-6);
    std::size_t compared = 0;
    for (const model_json& lesson : page["lecture"]["lessons"])
        for (const model_json& row : page["rows"]) { // operation, algorithm, ranks, bytes, ... terms
            if (row[1] != lesson["algorithm"] || lesson["formula"][0] == "" || row[3] < 64) continue;
            INFO(row.dump());
            for (std::size_t k = 0; k < 3; ++k)
                CHECK(row.back()[k].get<double>() ==
                      Approx(value_of(lesson["formula"][k].get<std::string>(), row[2], row[3])).epsilon(1e-6));
            ++compared;
        }
    CHECK(compared == 7 * 2 * 10); // 7 formulas, 2 numbers of ranks, 64 B to 1 GiB and the gradients
}

TEST_CASE("the page has the machine's parameters as a table, a line for each range of message lengths") {
    const folder here;
    const auto r =
        command("model --machine " TUTTI_MACHINES "/tcp_ethernet.json --ranks 16 --ranks-per-node 8 --bytes 64 "
                "--algorithm ring --html " +
                here.path("page.html"));
    INFO(r.output);
    if (r.output.find("built without Chart.js") != r.output.npos) return;
    REQUIRE(r.status == 0);
    const model_json parameters = data_of(here.read("page.html"))["parameters"];
    CHECK_THAT(parameters["summary"].get<std::string>(), Catch::StartsWith("tcp of "));
    CHECK(parameters["facts"][0][0] == "Made");
    CHECK_THAT(parameters["facts"].dump(), Contains("8 ranks on a node, as given"));
    CHECK(parameters["links"].size() == 6); // three ranges within a node, three between nodes
    for (const model_json& link : parameters["links"]) CHECK(link.size() == parameters["columns"].size());
    CHECK(parameters["links"][3][0] == "between nodes");
    CHECK(parameters["links"][3][1] == "up to 1 KiB");
    CHECK(parameters["links"][3][2] == "13.18 us");
}

TEST_CASE("the lecture takes as many ranks as the tables do, and says what it cannot count") {
    const auto r = command("model --lecture --ranks 65537 --parameters 10");
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(line_with(r.output, "  ring "), Contains(" 131072 "));
    CHECK_THAT(r.output, !Contains("- rounds"));
    const auto large = command("model --lecture --ranks 64 --parameters 1125899906842624");
    CHECK(large.status == 0);
    CHECK_THAT(large.output, Contains("# one shot (one_shot): not counted: more bytes"));
    CHECK(command("model --lecture --ranks 1000001").status == 2);
}

TEST_CASE("names of algorithms may have hyphens where they have underscores") {
    const auto r = command("model --ranks 4 --bytes 8 --algorithm one-shot,halving-doubling");
    CHECK_THAT(r.output, Contains(" one_shot ") && Contains(" halving_doubling "));
}

TEST_CASE("a command line that makes no sense to the model is refused with 2, a file that cannot be written with 1") {
    for (const char* arguments : {"--ranks 0",
                                  "--ranks 8..2",
                                  "--bytes x",
                                  "--bytes 8..",
                                  "--algorithm auto --ranks 1",
                                  "--algorithm rinq",
                                  "--operation shuffle",
                                  "--operation broadcast --algorithm ring",
                                  "--alpha 10",
                                  "--beta 1us",
                                  "--gamma -1ns/B",
                                  "--loggp 1us,0,0",
                                  "--loggp 1us,0,0,1us",
                                  "--loggp 1us,0,0,1ns/B --alpha 1us",
                                  "--machine x --loggp 0,0,0,0",
                                  "--transport tcp",
                                  "--measured /nowhere.json",
                                  "--step 1s",
                                  "--lecture --step 0",
                                  "--lecture --ranks 1",
                                  "--lecture --bytes 1M",
                                  "--lecture --operation broadcast",
                                  "--lecture --algorithm rinq",
                                  "--lecture --algorithm auto",
                                  "--ranks-per-node 0",
                                  "--segments 0",
                                  "--receiver half",
                                  "--receiver serial"}) {
        const auto r = command("model " + std::string(arguments));
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 2);
    }
    const folder here;
    const std::string other = here.write("other.json", "[{\"a\": 1}]");
    CHECK_THAT(command("model --measured " + other).output, Contains("is not what tutti bench --json writes"));
    for (const char* option : {"--json", "--csv", "--trace"}) { // before anything is priced
        const auto r = command("model --ranks 2 --bytes 8 " + std::string(option) + " /nowhere/file");
        CHECK(r.status == 1);
        CHECK_THAT(r.output, Contains("cannot write /nowhere/file") && !Contains("#"));
    }
    CHECK_THAT(command("model --ranks 65 --bytes 8 --trace " + here.path("x")).output, !Contains("#"));
}

TEST_CASE("an estimate that is simulated is cut as is best by simulation") {
    const std::string what = "--operation reduce --ranks 3 --bytes 8M --loggp 1us,.5us,.1us,0.02ns/B --gamma 0.05ns/B "
                             "--algorithm double_binary_tree,reduce_scatter_gather";
    const model_json quick = rows_of(what), whole = rows_of(what + " --simulate");
    CHECK(quick[0]["segments"] == whole[0]["segments"]);
    CHECK(quick[0]["simulated_us"] == whole[0]["simulated_us"]);
}
