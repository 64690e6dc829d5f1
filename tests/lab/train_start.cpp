// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../tools/command.hpp"
#include "../tools/folder.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <string>
#include <utility>

using Catch::Contains;
using tools_test::command;
using tools_test::occurrences;

namespace {

const std::string brief_training = "train --transport memory --data drawn --pictures 64 --hidden 8 --batch 32 ";

void expect_refusal(const std::string& line, const std::string& why) {
    const auto r = command(line);
    INFO(line << "\n" << r.output);
    CHECK(r.status == 2);
    CHECK_THAT(r.output, Contains(why));
    CHECK(occurrences(r.output, "\n") == 1); // once, not once a rank
}

} // namespace

TEST_CASE("options that the others leave without use are refused with what they are for") {
    for (const auto& [options, why] :
         {std::pair("--compute 'constant(1s)'", "--compute is for --virtual"),
          std::pair("--stragglers 'slow(1,2x)'", "--stragglers is for --virtual"),
          std::pair("--virtual 2 --transport tcp", "--transport is not for --virtual"),
          std::pair("--model transformer --pictures 64", "--pictures is for --model mlp"),
          std::pair("--data /tmp --pictures 64", "--pictures is for --data drawn"),
          std::pair("--sequences 8", "--sequences is for --model transformer"),
          std::pair("--heads 2", "--heads is for --model transformer"),
          std::pair("--mode pipeline --chunks 3", "--chunks is for --pipeline interleaved"),
          std::pair("--pipeline gpipe", "--pipeline is for the modes pipeline and 3d"),
          std::pair("--warm-up 5 --epochs 1", "--warm-up 5 is longer than the 1 epoch of the training"),
          std::pair("--data kjv", "kjv is a text, which --model transformer learns"),
          std::pair("--model transformer --data drawn", "a transformer learns a text, --data FILE, and none is drawn")})
        expect_refusal(std::string("train ") + options, why);
}

TEST_CASE("what does not fit is told once, before ranks start") {
    expect_refusal("train --mode pipeline --stages 5 --ranks 5 --pipeline interleaved --batch 50",
                   "a network of 5 layers has no 10 chunks: a layer without weights, as ReLU, counts too");
    expect_refusal("train --mode pipeline --microbatches 3", "no 3 equal microbatches on each of 1 replica");
    expect_refusal("train --model transformer --heads 3", "a width of 160 has no 3 equal heads");
}

TEST_CASE("a checkpoint that cannot be, or is not there, is told of at the start") {
    const tools_test::folder folder;
    const auto nowhere = command(brief_training + "--ranks 2 --epochs 1 --checkpoint /nonexistent/x");
    CHECK(nowhere.status == 1);
    CHECK_THAT(nowhere.output, Contains("cannot write /nonexistent/x: No such file") && !Contains("epoch"));
    const std::string file = folder.path("job"),
                      parts = "--mode pipeline --epochs 1 --microbatches 2 --checkpoint " + file;
    CHECK_THAT(command(brief_training + "--ranks 2 --resume " + parts).output,
               Contains("job.stage0.part0 is not there\n"));
    REQUIRE(command(brief_training + "--ranks 2 " + parts).status == 0);
    const auto more = command(brief_training + "--ranks 3 --evaluate " + parts);
    CHECK(more.status == 1);
    CHECK_THAT(more.output,
               Contains("job.stage2.part0 is not there, but another part is: a model goes on with as many"));
    const auto tested = command(brief_training + "--ranks 6 --stages 2 --evaluate " + parts); // 32 on 3 replicas
    INFO(tested.output);
    CHECK(tested.status == 0);
    CHECK_THAT(tested.output, Contains("after 2 steps: loss"));
}

TEST_CASE("a training that goes on says from where, and one that has ended says so") {
    const tools_test::folder folder;
    const std::string line = brief_training + "--ranks 2 --checkpoint " + folder.path("job");
    REQUIRE(command(line + " --epochs 1").status == 0);
    const auto ended = command(line + " --epochs 1 --resume");
    CHECK(ended.status == 0);
    CHECK_THAT(ended.output, Contains("# already at epoch 1 of 1") && !Contains("exposed"));
    const auto rest = command(line + " --epochs 2 --resume");
    CHECK_THAT(rest.output,
               Contains("# goes on after 2 steps: 1 epoch of 2 steps\n") && Contains("the cosine goes on"));
    const auto more = command(line + " --epochs 3 --schedule constant --resume --log -");
    CHECK(more.status == 0);
    const auto begun = nlohmann::json::parse(more.output.substr(0, more.output.find('\n')));
    for (const char* key : {"learning_rate", "schedule", "data", "hidden"}) CHECK(begun.contains(key));
}

TEST_CASE("a training that diverges ends, with a failure, without a checkpoint of it, and names a bad gradient") {
    const tools_test::folder folder;
    const std::string line = "train --data drawn --pictures 256 --hidden 32,32,32 --batch 8 --epochs 2 "
                             "--learning-rate 1000 --optimizer sgd --ranks 2 ";
    const auto r = command(line + "--transport memory --checkpoint " + folder.path("job"));
    INFO(r.output);
    CHECK(r.status == 1);
    CHECK(occurrences(r.output, "the training has diverged: its loss is nan") == 1);
    CHECK(occurrences(r.output, "bit-identical") == 1); // it ends after the first epoch
    CHECK(!std::filesystem::exists(folder.path("job")));
    CHECK_THAT(r.output, Contains("the gradient of \"") && Contains("\" on rank 0 is NaN or infinite\n"));
    CHECK(command(line + "--transport tcp").status == 1);
    for (const std::string mode : {"zero1", "zero2", "zero3 --bucket-bytes 2000", "tensor"}) {
        const auto left_out = command(line + "--transport memory --skip-bad-steps --mode " + mode);
        INFO(left_out.output);
        CHECK_THAT(left_out.output, Contains("is NaN or infinite; the step is left out"));
    }
    CHECK_THAT(command(line + "--transport memory --mode local --skip-bad-steps").output,
               Contains("for modes whose ranks average gradients"));
}

TEST_CASE("a training that diverges ends after that epoch in every mode, and names its first bad gradient") {
    const std::string line = "train --data drawn --pictures 256 --hidden 32,32,32 --batch 8 --epochs 3 "
                             "--learning-rate 1000 --optimizer sgd --ranks 2 --transport ";
    for (const std::string mode :
         {"bsp", "ssp", "asynchronous", "downpour", "local", "gossip", "hogwild", "compress"}) {
        const auto r = command(line + (mode == "compress" ? "memory --compress top-k:0.5" : "memory --mode " + mode));
        INFO(mode << "\n" << r.output);
        CHECK(r.status == 1);
        CHECK(occurrences(r.output, "the training has diverged: its loss is nan") == 1);
        CHECK_THAT(r.output, Contains("\n    1 ") && !Contains("\n    2 ") && !Contains("-nan"));
        CHECK_THAT(r.output, Contains("the gradient of \"") && Contains("\" on rank ") && Contains("NaN or infinite"));
    }
    // The status is that of the command, whoever has started the ranks.
    const std::string launched = std::string("run -n 2 -- ") + std::getenv("TUTTI_COMMAND") + " " + line + "tcp";
    for (const char* const mode : {"", " --mode bsp"}) {
        const auto r = command(launched + mode);
        INFO(r.output);
        CHECK(r.status == 1);
    }
}

TEST_CASE("each line of a rank says once whose it is") {
    const std::string line = "train --transport tcp --data drawn --pictures 64 --mode bsp --ranks 3";
    const auto own = command(line, "TUTTI_INTERFACE=nowhere0"); // the plain rank is the one that reports: the second
    INFO(own.output);
    CHECK(own.status == 1);
    CHECK_THAT(own.output, Contains("[1] tutti: ") && !Contains("] ["));
    const auto launched = command(std::string("run -n 2 -- ") + std::getenv("TUTTI_COMMAND") + " " + line);
    INFO(launched.output);
    CHECK(launched.status == 2);
    CHECK_THAT(launched.output, Contains("[0] --ranks 3 was asked for") && !Contains("] ["));
}
