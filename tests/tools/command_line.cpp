// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"

#include "support/catch.hpp"

#include <string>

using Catch::Contains;
using tools_test::command;

TEST_CASE("what is misspelt is refused with the nearest name, in every command") {
    const auto refused = [](const char* arguments, const char* words) {
        const auto r = command(arguments);
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 2);
        CHECK_THAT(r.output, Contains(words));
    };
    refused("benhc", "there is no command 'benhc' (did you mean bench?); choose one of");
    refused("--versoin", "there is no option '--versoin' (did you mean --version?)");
    refused("bench --interations 3", "tutti bench: there is no option '--interations' (did you mean --iterations?)");
    refused("bench --interations=3", "there is no option '--interations' (did you mean --iterations?)");
    refused("bench --colour", "there is no option '--colour'; 'tutti bench --help' lists them");
    refused("bench more", "tutti bench: 'more' is not expected");
    refused("fit --transprt tcp", "(did you mean --transport?)");
    refused("verify --rank 3", "(did you mean --ranks?)");
    refused("explain --algoritm ring", "there is no option '--algoritm'");
    refused("draw --algoritm ring", "(did you mean --algorithm?)"); // which is required, and so missing
    refused("export --fromat goal", "(did you mean --format?)");
    refused("model --simulte", "(did you mean --simulate?)");
    refused("rule --machines x", "(did you mean --machine?)");
    refused("train --epoch 1", "(did you mean --epochs?)");
    refused("run --rnks 2 -- true", "(did you mean --ranks?)");
    refused("bench --transport share_memory", "(did you mean shared_memory?)");
    refused("export --format gaol --algorithm ring", "(did you mean goal?)");
    refused("bench --operation alreduce", "there is no operation 'alreduce' (did you mean allreduce?)");
    refused("bench --operation pinpong", "(did you mean pingpong?)");
    refused("bench -d flot32", "(did you mean float32?)");
    refused("bench -o som", "(did you mean sum?)");
    refused("draw --algorithm rinq", "there is no algorithm \"rinq\" (did you mean ring?); choose one of naive");
    refused("verify --algorithm hierarchical:rinq:ring", "(did you mean hierarchical:ring:ring?)");
    refused("verify --operation brodcast", "(did you mean broadcast?)");
}

TEST_CASE("a number of ranks is called as MPI's launchers call it, before the program that is run, not behind it") {
    const auto r = command("run -np 2 -- echo -np 3");
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("[0] -np 3\n") && Contains("[1] -np 3\n") && !Contains("[2]"));
}
