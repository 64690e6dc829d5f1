// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"

#include "support/catch.hpp"

using Catch::Contains;
using tools_test::command;
using tools_test::occurrences;

// Up to 64 ranks in `algorithm/proven`, without the command.
TEST_CASE("all operations and algorithms are proven for each number of ranks, in half a minute") {
    const auto r = command("verify --operation all --algorithm all --ranks 1..33");
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK(r.seconds < 30);
    for (const char* operation : {"allreduce", "reduce_scatter", "allgather", "reduce", "broadcast"})
        CHECK_THAT(r.output, Contains("\n  " + std::string(operation) + " "));
    CHECK_THAT(r.output, Contains("schedules proven in "));
}

TEST_CASE("a few numbers of ranks get a line each, with the costs that are known") {
    const auto r = command("verify --operation allreduce --algorithm ring --ranks 4,8");
    CHECK(r.status == 0);
    CHECK(occurrences(r.output, "\n  allreduce ") == 2);
    std::istringstream lines{r.output};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words{line};
        std::string operation, algorithm;
        int ranks = 0, proofs = 0, depth = 0, rounds = 0;
        double sent = 0, received = 0;
        if (!(words >> operation >> algorithm >> ranks >> proofs >> depth >> rounds >> sent >> received)) continue;
        CHECK(depth == 2 * (ranks - 1));
        CHECK(rounds == 2 * (ranks - 1));
        CHECK(sent == Approx(2. * (ranks - 1) / ranks));
        CHECK(received == Approx(2. * (ranks - 1) / ranks));
    }
}

TEST_CASE("pipelines are proven instead where they are named") {
    const auto r = command("verify --pipeline all --stages 1..4 --microbatches 1..8 --chunks 1..2");
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("# 224 pipelines proven in ")); // 5 of one chunk a worker, one of one and two
    const auto one = command("verify --pipeline one_f_one_b --stages 4 --microbatches 8");
    CHECK_THAT(one.output, Contains("27.3%") && Contains("# 1 pipeline proven in "));
    // In the long run each worker of a PipeDream does one forward and one backward after the other, and never waits.
    for (const char* name : {"pipedream", "pipedream_vertical_sync", "pipedream_2bw"})
        CHECK_THAT(command(std::string("verify --stages 4 --microbatches 8 --pipeline ") + name).output,
                   Contains("  0.0%"));
    // It never empties, however few come at once: worker 0 of 6 has 6 under way. By two buffers it keeps two versions.
    const auto few = command("verify --pipeline pipedream,pipedream_2bw --stages 6 --microbatches 3");
    CHECK_THAT(few.output, Catch::Matches("[^]*\\n  pipedream +1 +6 +3 +1 +0.0% +6.00 +6 +5 +several\\n"
                                          "  pipedream_2bw +1 +6 +3 +1 +0.0% +6.00 +2 +1 +one\\n[^]*"));
    for (const char* arguments : {"--pipeline gpipes", "--pipeline gpipe --stages 0", "--stages 4",
                                  "--pipeline all --algorithm ring", "--pipeline gpipe --microbatches 300"})
        CHECK(command(std::string("verify ") + arguments).status == 2);
}

TEST_CASE("what does not exist is refused with 2") {
    for (const char* arguments : {"--operation shuffle", "--algorithm rinq", "--ranks 0", "--ranks 3..1",
                                  "--ranks 2049", "--algorithm auto", "--operation broadcast --algorithm ring"})
        CHECK(command(std::string("verify ") + arguments).status == 2);
}

TEST_CASE("the command alone shows the way, and says its version") {
    const auto guide = command("");
    CHECK(guide.status == 0);
    for (const char* name : {"bench", "verify", "model", "explain", "draw", "export", "train", "run"})
        CHECK_THAT(guide.output, Contains("tutti " + std::string(name)));
    CHECK_THAT(command("--version").output, Catch::StartsWith("tutti 0."));
    CHECK(command("--version").status == 0);
    for (const char* name : {"bench", "verify", "model", "explain", "draw", "export", "train", "run"}) {
        const auto help = command(std::string(name) + " --help");
        CHECK(help.status == 0);
        CHECK_THAT(help.output, Contains("Examples:") && Contains("Exit status:"));
    }
    CHECK(command("nonsense").status == 2);
}
