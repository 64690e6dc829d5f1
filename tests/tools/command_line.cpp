// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"
#include "folder.hpp"

#include "support/catch.hpp"

#include <csignal>
#include <filesystem>
#include <map>
#include <sstream>
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

TEST_CASE("output that cannot be written is status 1 and one sentence, in every command") {
    const tools_test::folder here;
    std::map<std::string, std::string> of_command{
        {"bench", "--transport memory --ranks 1 -b 8 -e 8 -n 1"},
        {"fit", "--help"}, // it measures for half a minute
        {"verify", "--ranks 2"},
        {"explain", "--ranks 2"},
        {"draw", "--algorithm ring --ranks 2"},
        {"export", "--algorithm ring --ranks 2 --format goal"},
        {"model", "--ranks 2"},
        {"rule", "--machine " TUTTI_MACHINES "/hdr_infiniband.json --ranks 2 --bytes 8"},
        {"plan", "--model resnet50 --cluster dgx-a100 --nodes 1 --batch 64"},
        {"ps", ""},
        {"train", "--ranks 1 --epochs 1 --pictures 64 --batch 8 --data drawn --transport memory"},
        {"study", "hogwild --quick --seeds 2 --epochs 1 --data drawn --out " + here.path("page")},
        {"env", ""},
        {"manual", "run"},
        {"run", "-n 1 echo y"},
    };
    const auto lost = [](const std::string& arguments) {
        const auto r = command(arguments + " >/dev/full");
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 1);
        CHECK(tools_test::occurrences(r.output, ": No space left on device\n") == 1);
        CHECK_THAT(r.output, Contains("cannot write standard output: ") || Contains("cannot write the output: "));
    };
    for (const char* const alone : {"", "--help", "--version", "run-agent --help"}) lost(alone);
    std::istringstream help{command("--help").output};
    std::string line;
    while (std::getline(help, line) && line != "Subcommands:") continue;
    while (std::getline(help, line) && line.starts_with("  ")) {
        const std::string name = line.substr(2, line.find(' ', 2) - 2);
        INFO(name << " is a command of which this test must know");
        REQUIRE(of_command.contains(name));
        lost(name + " " + of_command[name]);
        lost(name + " --help");
        of_command.erase(name);
    }
    CHECK(of_command.empty());
    CHECK(command("verify --ranks 0 >/dev/full").status == 2); // what failed for another reason says so
}

TEST_CASE("what would go to a closed standard output is not lost without a word") {
    for (const char* const arguments :
         {"--help", "model --ranks 2", "manual", "env", "draw --algorithm ring --ranks 2", "train --help",
          "run -n 1 echo y", "bench --transport memory --ranks 1 -b 8 -e 8 -n 1",
          "bench --transport tcp --ranks 2 -b 8 -e 8 -n 1"}) {
        const auto r = command(std::string(arguments) + " >&-");
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 1);
        CHECK(tools_test::occurrences(r.output, ": Bad file descriptor\n") == 1);
    }
    CHECK(command("run -n 1 true >&-").status == 0); // which prints nothing
}

TEST_CASE("a file beyond the limit of the process is status 1 and one sentence, and nothing is left of it") {
    const tools_test::folder here;
    const std::string file = here.path("file"), tiny = " --data drawn --pictures 64 --batch 8 --epochs 1 --ranks 1";
    const auto refused = [&](const std::string& arguments) {
        const auto r = tools_test::shell("ulimit -f 16; timeout -k 5 60 $TUTTI_COMMAND " + arguments); // 8 KiB
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 1);
        CHECK(tools_test::occurrences(r.output, "File too large") == 1);
        CHECK(!std::filesystem::exists(file + ".part"));
    };
    refused("model --ranks 4 --html " + file);
    refused("model --ranks 2..16 --operation all --algorithm all >" + file);
    refused("bench --transport memory --ranks 1 -b 8 -e 8 -n 1 --html " + file);
    refused("manual --directory " + here.path("pages"));
    refused("train --transport memory --html " + file + tiny);
    // The ranks share memory for their barrier, and memory that is shared counts as a file.
    for (const char* const transport : {"tcp", "routed", "shared_memory"})
        refused(std::string("bench --ranks 2 -b 8 -e 8 -n 1 --transport ") + transport);
    // A program that is run has the signal as programs have it by default, which ends them.
    const auto r = command("run -n 1 -- sh -c 'kill -s XFSZ $$; echo goes on'");
    INFO(r.output);
    CHECK(r.status == 128 + SIGXFSZ);
    CHECK_THAT(r.output, !Contains("goes on"));
}

TEST_CASE("a link stays while the file that it leads to is written, and a pipe takes what a file would") {
    const tools_test::folder here;
    const auto listed = "export --algorithm ring --ranks 2 --format goal --output " + here.path("");
    CHECK(command(listed + "plain").status == 0);
    std::filesystem::create_symlink("target", here.path("link"));
    here.write("target", "before");
    CHECK(command(listed + "link").status == 0);
    CHECK(std::filesystem::is_symlink(here.path("link")));
    CHECK(here.read("target") == here.read("plain"));
    CHECK(std::filesystem::exists(here.path("target")));
    // The reader comes once: who opened and closed the pipe before would leave it with nothing.
    const auto through_pipe = [&](const std::string& arguments) {
        const std::string pipe = here.path("pipe");
        const auto r = tools_test::shell("rm -f " + pipe + "; mkfifo " + pipe + "; timeout 60 cat " + pipe + " >" +
                                         here.path("got") + " & sleep 0.1; timeout -k 5 60 $TUTTI_COMMAND " +
                                         arguments + " " + pipe + "; s=$?; wait $!; exit $s");
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 0);
        CHECK(std::filesystem::is_fifo(pipe));
        return here.read("got");
    };
    CHECK(through_pipe(listed.substr(0, listed.rfind(' '))) == here.read("plain"));
    CHECK_THAT(through_pipe("model --ranks 2 --csv"), Contains("\nallreduce,"));
    const std::string bench = "bench --transport memory --ranks 1 -b 8 -e 16 -n 1 ";
    CHECK_THAT(through_pipe(bench + "--trace"), Contains("\"traceEvents\""));
    const std::string rows = through_pipe(bench + "--json");
    CHECK((rows.starts_with("[\n{") && rows.ends_with("}\n]\n")));
    CHECK(tools_test::occurrences(rows, "]\n") == 1);
}
