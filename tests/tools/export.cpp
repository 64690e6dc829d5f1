// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"

#include "../schedule/export/goal_replay.hpp"
#include "../schedule/export/msccl_replay.hpp"

#include "support/catch.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

using Catch::Contains;
using tools_test::command;

namespace {

std::string exported(const std::string& arguments) {
    const auto r = command("export " + arguments);
    INFO(r.output);
    REQUIRE(r.status == 0);
    return r.output;
}

} // namespace

TEST_CASE("export writes GOAL that takes LogGOPSim's time, to a file or to standard output") {
    const std::string what = "--format goal --algorithm ring --ranks 8 --bytes 8192";
    const std::string text = exported(what);
    CHECK(goal_test::finish_ns(text) == 28322);
    const std::string path = "/tmp/tutti_export_" + std::to_string(getpid()) + ".goal";
    CHECK(exported(what + " -o " + path).empty());
    std::ifstream file(path);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == text);
    std::remove(path.c_str());
}

TEST_CASE("export takes root, segments, place, odd sizes and the cost of reductions") {
    const std::string whole =
        exported("--format goal --algorithm binomial_tree --ranks 4 --operation reduce --bytes 13");
    CHECK_THAT(whole, Contains("send 16b to 0")); // 4 elements
    CHECK_THAT(whole, Contains(": calc 0 cpu 0"));
    const std::string cut = exported("--format goal --algorithm binomial_tree --ranks 4 --operation reduce --bytes 16 "
                                     "--root 3 --segments 2 --calc-ns-per-byte 0.5");
    CHECK_THAT(cut, Contains("send 8b to 3") && Contains(": calc 4 cpu 0"));
    CHECK_THAT(exported("--format goal --algorithm ring --ranks 3 --operation allgather --bytes 4"), // one element each
               Contains("send 4b"));
    CHECK_THAT(exported("--format msccl-xml --algorithm ring --ranks 3 --in-place"), Contains("inplace=\"1\""));
}

TEST_CASE("export writes MSCCL XML that does what the operation promises") {
    for (const char* algorithm : {"ring", "halving_doubling", "hierarchical:ring:ring"}) {
        const msccl_test::reader xml(exported(std::string("--format msccl-xml --ranks 6 --algorithm ") + algorithm));
        CHECK(xml.get().name == algorithm);
        CHECK_NOTHROW(msccl_test::prove(xml.get(), 0));
    }
}

TEST_CASE("export says what is wrong, and refuses with 2 what does not exist") {
    for (const char* arguments :
         {"", "--format goal", "--format dot --algorithm ring", "--format goal --algorithm rinq",
          "--format goal --algorithm all", "--format goal --algorithm auto", "--format goal --algorithm ring,naive",
          "--format goal --algorithm ring --operation all", "--format goal --algorithm ring --operation broadcast",
          "--format goal --algorithm ring --ranks 0", "--format goal --algorithm ring --bytes many",
          "--format goal --algorithm naive --operation reduce --ranks 4 --root 4"})
        CHECK(command(std::string("export ") + arguments).status == 2);
    // MSCCL's msccl.h: 32 thread blocks of a channel, 256 steps of a block, 72 chunks of a step.
    const auto told = [](const std::string& arguments) {
        const auto r = command("export --format msccl-xml " + arguments + " 2>&1 >/dev/null");
        CHECK(r.status == 0);
        return r.output;
    };
    CHECK(told("--algorithm ring --ranks 129").empty()); // 256 steps
    CHECK(told("--algorithm ring --ranks 130") ==
          "tutti export: it has 258 steps of a thread block, and MSCCL's interpreter takes "
          "256: build it with a larger MSCCL_MAX_NUM_STEPS\n");
    CHECK_THAT(told("--algorithm one_shot --ranks 40"),
               Contains("thread blocks of a GPU, and MSCCL's interpreter takes 32"));
    CHECK_THAT(told("--algorithm halving_doubling --ranks 256"),
               Contains("128 chunks of a step, and MSCCL's interpreter takes 72"));
    const auto large = command("export --format msccl-xml --algorithm ring --ranks 1025");
    CHECK(large.status == 2);
    CHECK_THAT(large.output, Contains("--format msccl-xml is for 1024 ranks at most"));
    for (const auto* const many : {"ring --ranks 2049", "ring --ranks 64 --segments 1041"}) {
        const auto refused = command(std::string("export --format goal --algorithm ") + many);
        CHECK(refused.status == 2);
        CHECK_THAT(refused.output, Contains("more than the 8388608 steps that export writes"));
    }
    const auto lost = command("export --format goal --algorithm ring -o /nowhere/at/all");
    CHECK(lost.status == 1);
    CHECK_THAT(lost.output, Contains("cannot write /nowhere/at/all"));
}
