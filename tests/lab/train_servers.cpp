// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/out_of_step.hpp"

#include "../tools/command.hpp"
#include "../tools/folder.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

using Catch::Contains;
using namespace tutti::tools;
using tools_test::command;
using tools_test::occurrences;

namespace {

// All words of 16 hexadecimal digits: the hash of the weights after each epoch.
std::vector<std::string> hashes_in(const std::string& output) {
    std::vector<std::string> all;
    std::istringstream words{output};
    for (std::string word; words >> word;)
        if (word.size() == 16 && word.find_first_not_of("0123456789abcdef") == word.npos) all.push_back(word);
    return all;
}

train_settings four_workers(const std::string& mode) {
    train_settings s;
    s.mode = mode;
    s.virtual_ranks = 5;
    s.pictures = 320;
    s.data = drawn_data;
    s.hidden = {16};
    s.batch = 32;
    s.epochs = 2;
    s.optimizer = "sgd";
    s.compute = "lognormal(100ms,0.1)";
    s.stragglers = "slow(3,4x)";
    return s;
}

bool same_tests(const out_of_step_result& a, const out_of_step_result& b) {
    return std::ranges::equal(a.tests, b.tests, [](const tested_store& x, const tested_store& y) {
        return x.seconds == y.seconds && x.steps == y.steps && x.loss == y.loss && x.accuracy == y.accuracy;
    });
}

} // namespace

TEST_CASE("one worker of a server has the weights of a single rank, bit by bit") {
    const std::string settings = "train --transport memory --pictures 200 --hidden 8 --batch 20 --epochs 2 --clip 1 ";
    for (const std::string rule : {"sgd", "momentum", "adagrad"}) {
        INFO(rule);
        const auto alone = hashes_in(command(settings + "--ranks 1 --optimizer " + rule).output);
        REQUIRE(alone.size() == 2);
        for (const std::string mode : {"bsp", "ssp", "asynchronous", "downpour"}) {
            if (mode == "downpour" && rule != "sgd") continue; // it descends by itself in between
            const auto served = command(settings + "--ranks 2 --optimizer " + rule + " --mode " + mode);
            INFO(served.output);
            CHECK(served.status == 0);
            CHECK(hashes_in(served.output) == alone);
        }
    }
}

TEST_CASE("bulk synchronous workers have the same bits over every transport and in virtual time") {
    const std::string settings = "train --mode bsp --servers 2 --pictures 300 --hidden 8 --batch 30 --epochs 2 ";
    const auto memory = command(settings + "--ranks 5 --transport memory");
    INFO(memory.output);
    REQUIRE(memory.status == 0);
    const auto weights = hashes_in(memory.output);
    REQUIRE(weights.size() == 2);
    CHECK_THAT(memory.output, Contains("3 workers, weights on 2 servers") && Contains("0.00 clocks old on average"));
    CHECK(hashes_in(command(settings + "--virtual 5 --stragglers 'slow(3,10x)'").output) == weights);
    CHECK(hashes_in(command(settings + "--ranks 5 --transport tcp").output) == weights);
}

TEST_CASE("workers out of step train over real processes, and under a launcher") {
    const std::string settings = "train --data drawn --pictures 2000 --epochs 2 --hidden 32 ";
    const auto downpour = command(settings + "--mode downpour --fetch 2 --push 3 --warm-start 4");
    INFO(downpour.output);
    CHECK(downpour.status == 0);
    CHECK(occurrences(downpour.output, "on 1 server") == 3);
    const auto launched = command(std::string("run -n 3 -- ") + std::getenv("TUTTI_COMMAND") + " " + settings +
                                  "--mode ssp --staleness 2 --transport shared_memory");
    INFO(launched.output);
    CHECK(launched.status == 0);
    CHECK_THAT(launched.output, Contains("[1]") && Contains("clocks old on average"));
}

TEST_CASE("a rank that is stopped is lost after the silence, and what had been learnt is there, as after a death") {
    const tools_test::folder folder;
    // Sends a signal to a rank after the first epoch. Ends with the exit status of the training.
    const auto with_signal = [&](const std::string& signal, int rank, const std::string& options) {
        const std::string out = folder.path("out"), json = folder.path("json");
        return tools_test::shell("env -u TUTTI_RANK timeout -k 1 50 " + std::string(std::getenv("TUTTI_COMMAND")) +
                                 " train --mode asynchronous --ranks 4 --silence 3 --data drawn --pictures 8000 "
                                 "--hidden 32 --epochs 20 --json " +
                                 json + " " + options + " > " + out + " 2>&1 & waits=$!; for i in $(seq 300); do " +
                                 "for p in $(pgrep -P $(pgrep -P $waits)); do " +
                                 "tr '\\0' '\\n' < /proc/$p/environ | grep -qx TUTTI_RANK=" + std::to_string(rank) +
                                 " && r=$p; done; " + "grep -q '^ *1 ' " + out + " && break; sleep 0.1; done; kill -" +
                                 signal + " $r; wait $waits; s=$?; cat " + out + "; exit $s");
    };
    const auto stopped = with_signal("STOP", 2, "");
    INFO(stopped.output);
    CHECK(stopped.status == 1);
    CHECK_THAT(stopped.output,
               Contains("lost: the worker on rank 2, dead or silent for too long") && Contains("\n   20 "));
    std::filesystem::remove(folder.path("json"));
    const auto server = with_signal("STOP", 0, "");
    INFO(server.output);
    CHECK(server.status == 1);
    CHECK_THAT(server.output, Contains(", rank 0"));
    CHECK_THAT(folder.read("json"), Contains("\"epoch\":1,"));
    std::filesystem::remove(folder.path("json"));
    const auto killed = with_signal("KILL", 1, "--transport shared_memory");
    INFO(killed.output);
    CHECK(killed.status == 1);
    CHECK_THAT(folder.read("json"), Contains("\"epoch\":1,"));
}

TEST_CASE("what servers do not do is refused in a sentence") {
    const std::string line = "train --transport memory --pictures 64 --mode ssp ";
    CHECK_THAT(command(line + "--optimizer lars").output, Contains("mode ssp: lars needs the norms"));
    CHECK_THAT(command(line + "--checkpoint x").output, Contains("--checkpoint is for modes whose ranks are in step"));
    CHECK_THAT(command(line + "--trace x").output, Contains("--trace is not for modes with servers"));
    CHECK_THAT(command(line + "--servers 4").output, Contains("4 servers of 4 ranks leave no worker"));
    CHECK_THAT(command(line + "--warm-start 3").output,
               Contains("--warm-start is for modes asynchronous and downpour"));
    CHECK_THAT(command("train --mode sandblaster --warm-start 3").output, Contains("--warm-start is for modes"));
    CHECK_THAT(command("train --mode sandblaster --fetch 3").output, Contains("--fetch is for mode downpour"));
    CHECK_THAT(command(line + "--push 3").output, Contains("--push is for mode downpour"));
    CHECK_THAT(command("train --pictures 64 --mode ddp --servers 2").output, Contains("--servers is for the modes"));
}

TEST_CASE("a training out of step in virtual time is the same in every run, and learns") {
    for (const std::string mode : {"ssp", "downpour"}) {
        train_settings s = four_workers(mode);
        if (mode == "downpour") s.fetch = 2, s.push = 3, s.warm_start = 2;
        const auto first = train_out_of_step(s, 5), again = train_out_of_step(s, 5);
        INFO(mode);
        REQUIRE(first.tests.size() > 3);
        CHECK(same_tests(first, again));
        CHECK(first.staleness == again.staleness);
        CHECK(first.tests.back().loss < first.tests.front().loss);
        s.seed = 2;
        CHECK(!same_tests(first, train_out_of_step(s, 5)));
    }
}

TEST_CASE("a bound of staleness holds, and workers without one do not wait for a slow one") {
    const auto bulk = train_out_of_step(four_workers("bsp")), free = train_out_of_step(four_workers("asynchronous"));
    CHECK(bulk.staleness.size() == 1);
    CHECK(bulk.seconds > 20 * 0.3); // steps of the slow worker, which all have made
    CHECK(free.seconds < 0.5 * bulk.seconds);
    CHECK(free.staleness.size() > 4);
    train_settings s = four_workers("ssp");
    s.staleness = 3;
    const auto bounded = train_out_of_step(s);
    CHECK(bounded.staleness.size() == 4);
    CHECK(bounded.seconds < bulk.seconds);
    CHECK(bounded.seconds > free.seconds);
    CHECK(bounded.steps == bulk.steps);
    CHECK(bounded.steps == free.steps);
}
