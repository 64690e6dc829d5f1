// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"
#include "folder.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>

using Catch::Contains;
using tools_test::command;
using tools_test::folder;
using tools_test::occurrences;

namespace {

// Whatever else runs here: rows are judged.
const std::string two_sizes = "bench --ranks 2 --bytes 8,64K --place in ", anyhow = " --other-work 1000";

/// An earlier run, its rows changed by `change`. Returns the option that compares with it.
std::string against(const folder& here, const std::string& arguments,
                    const std::function<void(nlohmann::ordered_json&)>& change) {
    const auto r = command(two_sizes + arguments + " --json " + here.path("then.json"));
    INFO(r.output);
    REQUIRE(r.status == 0);
    auto rows = nlohmann::ordered_json::parse(here.read("then.json"));
    for (auto& row : rows) change(row);
    return arguments + anyhow + " --against " + here.write("then.json", rows.dump());
}

/// Makes a row so many times as long. By a million in these tests: where ranks outnumber cores a call may take a
/// thousand times as long as the next one.
void scale(nlohmann::ordered_json& row, double factor) {
    for (const char* const key : {"time_us", "p50_us", "p50_low_us", "p50_high_us"})
        if (!row.at(key).is_null()) row[key] = row.at(key).get<double>() * factor;
}

} // namespace

TEST_CASE("a row that became slower is named, with an exit status of its own, and so is one that became faster") {
    for (const char* transport : {"memory", "shared_memory"}) {
        const folder here;
        const std::string option = against(here, std::string("--transport ") + transport + " -n 3 --rounds 5",
                                           [](auto& row) { scale(row, row.at("bytes") == 8 ? 1e-6 : 1e6); });
        const auto r = command(two_sizes + option);
        INFO(r.output);
        CHECK(r.status == 4);
        CHECK(occurrences(r.output, "  slower\n") == 1);
        CHECK(occurrences(r.output, "  faster\n") == 1);
        CHECK_THAT(r.output, Contains("# slower: 1, faster: 1, neither: 0, not judged: 0\n") &&
                                 Contains("in each of 5 rounds") && Contains("intervals are those of rounds"));
    }
}

TEST_CASE("what is no slower than it was, or than the tolerance allows, ends with 0") {
    const folder here;
    const std::string option = against(here, "--transport memory -n 3 --rounds 5", [](auto& row) { scale(row, 1e6); });
    CHECK(command(two_sizes + option).status == 0);
    auto rows = nlohmann::ordered_json::parse(here.read("then.json"));
    for (auto& row : rows) scale(row, 1e-12); // a millionth of what it was
    here.write("then.json", rows.dump());
    CHECK(command(two_sizes + option).status == 4);
    CHECK(command(two_sizes + option + " --tolerance 1e12").status == 0);
}

TEST_CASE("a comparison that is not complete is no success: too few launches, rows that are missing, other work") {
    const folder here;
    const auto check = [](const std::string& arguments, const char* words) {
        const auto r = command(arguments);
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 5);
        CHECK_THAT(r.output, Contains(words));
    };
    const std::string option = against(here, "--transport memory -n 30", [](auto& row) { scale(row, 1e-6); });
    check(two_sizes + option, "not judged: 2\n"); // one launch then, whatever its iterations say
    check(two_sizes + option, "# not judged: 2 rows of fewer than 5 rounds, each a launch");
    static_cast<void>(against(here, "--transport memory -n 3 --rounds 5", [](auto& row) { scale(row, 1e6); }));
    check("bench --ranks 2 --bytes 8 --place in " + option, "# not measured now: 1 row of then\n");
    check("bench --ranks 2 --bytes 8,1K,64K --place in " + option, "# not measured then: 1 row of now\n");
    auto rows = nlohmann::ordered_json::parse(here.read("then.json"));
    for (auto& row : rows) row["other_cores"] = 1e6;
    here.write("then.json", rows.dump());
    check(two_sizes + option, "beside 2 rows: not judged");
    // Nothing is known of then: that counts as all cores, and 1000 % of them would do.
    for (auto& row : rows) row["other_cores"] = nullptr;
    here.write("then.json", rows.dump());
    const std::string strict = two_sizes + "--transport memory -n 3 --rounds 5 --other-work 99 --against ";
    check(strict + here.path("then.json"), "# other work beside 2 rows is not known");
    CHECK(command(two_sizes + option + " --tolerance 1e12").status == 0);
}

TEST_CASE("another program is measured in turn, on either side as often") {
    const folder here;
    // It notes that it was asked, and measures what this one would: nobody is a million times as slow as itself.
    const std::string other =
        here.write("other", "#!/bin/sh\necho \"$@\" >> " + here.path("asked") + "\nexec \"$TUTTI_COMMAND\" \"$@\"\n");
    std::filesystem::permissions(other, std::filesystem::perms::owner_all);
    const std::string arguments = two_sizes + "-n 3 --rounds 5 --against-program " + other + anyhow +
                                  " --tolerance 1e8 --json " + here.path("now.json");
    const auto r = command(arguments);
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("# against " + other) && Contains("neither: 2, not judged: 0\n"));
    const std::string asked = here.read("asked");
    CHECK(occurrences(asked, "\n") == 5);
    CHECK(occurrences(asked, "--against-program") == 0);
    CHECK(occurrences(asked, " --transport shared_memory ") == 5); // whatever its own default is
    const auto rows = nlohmann::json::parse(here.read("now.json"));
    REQUIRE(rows.size() == 10);
    for (std::size_t k = 0; k < 10; ++k) CHECK(rows[k].at("launch") == k / 2);
    CHECK_THAT(command("run -n 1 $TUTTI_COMMAND bench --against-program /bin/true").output,
               Contains("not under a launcher"));
    const auto silent = command(two_sizes + "-n 3 --against-program /bin/true");
    CHECK(silent.status == 2);
    CHECK(silent.output == "tutti: /bin/true wrote no rows of tutti bench\n");
}

TEST_CASE("runs on other machines, or with other settings, are not compared: nothing is measured") {
    const folder here;
    const std::string option = against(here, "--transport memory -n 12 --rounds 1", [](auto&) {});
    const auto rows = nlohmann::ordered_json::parse(here.read("then.json"));
    const auto refused = [&](const std::string& more, const std::string& words) {
        for (const char* transport : {"memory", "tcp"}) {
            if (std::string(transport) == "tcp" && words.find("transport") == std::string::npos) continue;
            const auto r = command(two_sizes + option + more);
            INFO(more << "\n" << r.output);
            CHECK(r.status == 2);
            CHECK_THAT(r.output, Contains(words) && !Contains("# tutti bench"));
        }
    };
    const auto with = [&](const char* key, const nlohmann::ordered_json& value) {
        auto changed = rows;
        for (auto& row : changed) row[key] = value;
        here.write("then.json", changed.dump());
    };
    with("processor", "Another One");
    refused("", "these runs cannot be compared: processor is");
    with("cores", 4096);
    refused("", "cores is");
    with("transport", "verbs");
    refused("", "transport is memory now, but verbs in");
    with("ranks", 3);
    refused("", "ranks is 2 now, but 3 in");
    with("placement", "7 x 7");
    CHECK(command(two_sizes + option).status != 0); // known once all ranks have met
    here.write("then.json", rows.dump());
    refused(" --cold", "cold is true now, but false in");
    refused(" --progress by_waiters", "progress is by_waiters now");
    refused(" --algorithm ring", "holds none of the rows");
    refused(" -w 1", "warm_up is 1 now, but 5 in ");
    // Times of a loop, and of messages that are answered, were those of the slowest rank. Others are what they were.
    with("mean_us", 1);
    CHECK(command(two_sizes + option).status == 5); // one launch is too few
    auto of_loop = rows;
    for (auto& row : of_loop) row["mean_us"] = 1, row["timing"] = "loop";
    here.write("then.json", of_loop.dump());
    refused(" --timing loop", "has times by other rules, as an older tutti bench: measure again");
    auto of_messages = rows;
    for (auto& row : of_messages) row["mean_us"] = row["pairs"] = 1;
    here.write("then.json", of_messages.dump());
    refused("", "has times by other rules");
    here.write("then.json", "[]");
    refused("", "holds no rows");
    here.write("then.json", "[{\"operation\": \"allreduce\"}]");
    refused("", "is not what this tutti bench --json writes");
    here.write("then.json", "{");
    refused("", "is not what this tutti bench --json writes");
    here.write("then.json", rows.dump());
    const std::string text =
        here.write("osu.txt", "# OSU MPI Allreduce Latency Test v7.3\n# Size  Avg Latency(us)\n8 1\n");
    const auto mixed = command(two_sizes + option + "," + text);
    CHECK(mixed.status == 2);
    CHECK_THAT(mixed.output, Contains(text + " is not what tutti bench --json writes") && !Contains("exception"));
    CHECK_THAT(command("bench --against /nowhere.json").output, Contains("cannot read /nowhere.json"));
    const auto a_folder = command("bench --against " + here.path(""));
    CHECK(a_folder.status == 2);
    CHECK_THAT(a_folder.output, Contains("tutti: cannot read " + here.path("")));
    CHECK(command("bench --tolerance 3").status == 2);
    CHECK_THAT(command("bench --against /nowhere.json --tolerance -5").output,
               Contains("'-5' is no number from 0 to 1000000000000\n"));
}

TEST_CASE("ranks that a launcher started refuse as one, and all end with one status; they are one launch") {
    const folder here;
    const std::string run =
        "run -n 2 $TUTTI_COMMAND bench --transport shared_memory --bytes 8 --place in -n 30 --json ";
    std::string files;
    for (const char* const file : {"1.json", "2.json", "3.json", "4.json", "5.json"}) {
        REQUIRE(command(run + here.path(file)).status == 0);
        files += (files.empty() ? "" : ",") + here.path(file);
    }
    CHECK(command(run + "/dev/null --cold --against " + files).status == 2);
    // The launches of another launcher are no rounds of this command: one is too few.
    const auto one = command(run + "/dev/null --rounds 5 --other-work 1000 --against " + files);
    CHECK(one.status == 5);
    const std::string remedy = "each time with another --json FILE, and compare by --against FILE,... --now FILE,...\n";
    CHECK_THAT(one.output, Contains("in one launch. Launch them that often, " + remedy) && !Contains("--rounds 5"));
    const std::string osu =
        here.write("osu.txt", "# OSU MPI Allreduce Latency Test v7.3\n# Size  Avg Latency(us)\n8 1\n");
    const auto beside =
        command("run -n 2 $TUTTI_COMMAND bench --bytes 8 --place out -n 30" + anyhow + " --against " + osu);
    INFO(beside.output);
    CHECK(beside.status == 0);
    CHECK_THAT(beside.output, Contains("# not judged: 1 row of fewer than 5 rounds") && Contains(remedy));
    // That can be followed.
    CHECK_THAT(command("bench --against " + files + " --now " + files + anyhow).output,
               Contains("neither: 1, not judged: 0\n"));
    // That a launcher has bound its ranks is a condition too, and stands on the page.
    if (std::thread::hardware_concurrency() < 2) return;
    const std::string bound = here.path("bound.json"), page = here.path("bound.html");
    REQUIRE(command("run -n 2 --bind core" + run.substr(8) + bound + " --html " + page).status == 0);
    CHECK_THAT(command("bench --against " + files + " --now " + bound + anyhow).output, Contains("bind is to 1 of "));
    CHECK_THAT(here.read("bound.html"), Contains("Bound: to 1 of "));
}

TEST_CASE("files of launches stand for this run, and nothing is measured") {
    const folder here;
    REQUIRE(command("bench --transport memory --ranks 2 --bytes 8,64K --place out -n 3 --json " + here.path("one.json"))
                .status == 0);
    const auto rows = nlohmann::ordered_json::parse(here.read("one.json"));
    const auto file = [&](const std::string& name, const auto& change) {
        auto some = rows;
        for (auto& row : some) change(row);
        return here.write(name, some.dump());
    };
    // So many launches, so many times as long.
    const auto files = [&](const std::string& name, int launches, double factor) {
        std::string list;
        for (int k = 0; k < launches; ++k)
            list +=
                (k == 0 ? "" : ",") + file(name + std::to_string(k), [&](auto& row) { scale(row, factor * (20 + k)); });
        return list;
    };
    const std::string then = files("then", 5, 1), now = files("now", 5, 1e6);
    const auto check = [&](const std::string& earlier, const std::string& with, int status, const std::string& words) {
        const auto r = command("bench --against " + earlier + " --now " + with);
        INFO(with << "\n" << r.output);
        CHECK(r.status == status);
        CHECK_THAT(r.output, Contains(words) && !Contains("# tutti bench") && !Contains("exception"));
    };
    check(then, now + anyhow, 4, "# slower: 2, faster: 0, neither: 0, not judged: 0\n");
    check(then, now + anyhow, 4, "is called slower in 0.8 % of comparisons at most\n"); // 2 / 252
    check(then, files("like", 5, 1) + anyhow, 0, "neither: 2, not judged: 0\n");
    check(then, files("few", 4, 1e6) + anyhow, 5, "--against FILE,... --now FILE,...\n");
    check(then, now + anyhow + " --tolerance 1e12", 0, "neither: 2");
    check(then, file("wrong", [](auto& row) { row["wrong"] = 3; }), 1, "wrong elements: 6\n");
    const std::string cold = file("cold", [](auto& row) { row["cold"] = true; });
    check(then, now + "," + cold, 2, "cannot be compared: cold is false now, but true in " + cold);
    check(then, cold, 2, "cannot be compared: cold is true now, but false in ");
    const std::string apart = file("apart", [](auto& row) { row["bytes"] = 16; });
    check(then, apart, 2, "holds none of the rows that are to be compared");
    check(then, file("peer", [](auto& row) { row["library"] = "openmpi"; }), 2, "holds no rows of tutti");
    check(then, now + " --ranks 2", 2, "--now measures nothing: with --against, --tolerance and --other-work alone");
    check(then, now + " --json " + here.path("x"), 2, "alone, not --json");
    CHECK_THAT(command("bench --now " + now).output, Contains("--now requires --against"));

    // Nothing is as fast as 10 ps.
    const std::string osu = here.write(
        "osu.txt", "# OSU MPI Allreduce Latency Test v7.3\n# Size  Avg Latency(us)\n8  0.00001\n65536  0.00001\n");
    check(osu, now + anyhow, 0, "# beside osu.txt: slower in 2 rows, faster in 0, neither in 0, not judged in 0\n");
    check(osu, now + anyhow + " --tolerance 5", 4, "ranks: taken for 2");
    check(osu, files("few", 4, 1) + anyhow + " --tolerance 5", 5, "# not judged: 2 rows of fewer than 5 rounds");
    check(osu, apart, 2, "osu.txt holds none of allreduce float32 sum (16 bytes), but allreduce float32 sum (8");
    check(then, osu, 2, "files of other programs are for --against alone");
}

TEST_CASE("several files are rounds of one run, and none of them is written over") {
    const folder here;
    const std::string option = against(here, "--transport memory -n 3 --rounds 5", [](auto&) {});
    const std::string again = here.write("again.json", here.read("then.json"));
    for (const char* const file : {" --json ", " --csv ", " --trace ", " --html "}) {
        const auto refused = command(two_sizes + option + "," + again + file + again);
        CHECK(refused.status == 2);
        CHECK_THAT(refused.output, Contains("again.json is named twice: of --json"));
    }
    const auto r = command(two_sizes + option + "," + again + " --json " + here.path("now.json"));
    INFO(r.output);
    CHECK((r.status == 0 || r.status == 4)); // whatever else runs here
    CHECK_THAT(r.output, Contains("# slower: ") && Contains("not judged: 0\n"));
    CHECK(nlohmann::json::parse(here.read("now.json")).size() == 10);
}
