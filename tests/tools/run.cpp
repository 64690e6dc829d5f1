// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"
#include "folder.hpp"

#include <transport/join/own_allotment.hpp>

#include "support/catch.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

using Catch::Contains;
using tools_test::command;
using tools_test::occurrences;
using tools_test::shell;

namespace {

/// A process number that a rank wrote to a file; 0 if it never came.
int pid_from(const std::string& path) {
    for (int i = 0; i < 200; ++i, usleep(10'000)) {
        int pid = 0;
        if (std::ifstream{path} >> pid) return pid;
    }
    return 0;
}

/// Whether a process ends within two seconds; a zombie has ended.
bool ends(int pid) {
    for (int i = 0; i < 200; ++i, usleep(10'000)) {
        std::ifstream stat{"/proc/" + std::to_string(pid) + "/stat"};
        std::string number, name, state;
        if (!(stat >> number >> name >> state) || state == "Z") return true;
    }
    return false;
}

/// A line of shell that sends a signal to the launcher whose number a rank wrote to a file, and to nobody else.
std::string signal_launcher(const std::string& signal, const std::string& path) {
    return "p=$(cat " + path + "); [ \"$(cat /proc/$p/comm)\" = tutti ] && kill -" + signal + " $p";
}

struct directory {
    directory() {
        char name[] = "/tmp/tutti-run-XXXXXX";
        path = mkdtemp(name);
    }
    ~directory() { (void)!std::system(("rm -rf " + path).c_str()); }
    std::string path;
};

} // namespace

TEST_CASE("every rank learns its place, the meeting point and the secret") {
    const auto r = command("run -n 3 sh -c 'echo $TUTTI_RANK of $TUTTI_SIZE at $TUTTI_ADDRESS with ${#TUTTI_SECRET}'");
    CHECK(r.status == 0);
    for (const char* line : {"[0] 0 of 3 at 127.0.0.1:", "[1] 1 of 3 at 127.0.0.1:", "[2] 2 of 3 at 127.0.0.1:"})
        CHECK_THAT(r.output, Contains(line));
    CHECK(occurrences(r.output, " with 64\n") == 3);
}

TEST_CASE("the meeting point can be given, and an inherited secret file is not passed on") {
    const auto r = command("run -n 1 --address 127.0.0.1:7 sh -c 'echo $TUTTI_ADDRESS ${TUTTI_SECRET_FILE-none}'",
                           "TUTTI_SECRET_FILE=/nowhere");
    CHECK(r.output == "[0] 127.0.0.1:7 none\n");
}

TEST_CASE("pretended hosts have equally many consecutive ranks, but for the last, or those that are listed") {
    ::unsetenv("TUTTI_HOST");
    CHECK(command("run -n 1 sh -c 'echo ${TUTTI_HOST-none}'").output == "[0] none\n");
    const auto r = command("run -n 5 --pretend-hosts 2 sh -c 'echo $TUTTI_HOST'");
    for (const char* line : {"[0] host-0\n", "[1] host-0\n", "[2] host-0\n", "[3] host-1\n", "[4] host-1\n"})
        CHECK_THAT(r.output, Contains(line));
    const auto listed = command("run -n 3 --pretend-hosts 0,1,0 sh -c 'echo $TUTTI_HOST'");
    for (const char* line : {"[0] host-0\n", "[1] host-1\n", "[2] host-0\n"}) CHECK_THAT(listed.output, Contains(line));
    for (const char* wrong : {"run -n 4 --pretend-hosts 0,1,0 true", "run -n 2 --pretend-hosts 0,b true",
                              "run -n 2 --pretend-hosts 0 true"})
        CHECK(command(wrong).status == 2);
    const auto uneven = command("run -n 4 --pretend-hosts 3 true");
    CHECK(uneven.status != 0);
    CHECK_THAT(uneven.output, Contains("4 ranks do not come out as 3 hosts"));
}

TEST_CASE("ranks run on the processors that --bind says, or on all") {
    const auto mine = tutti::transport::bootstrap::own_processors();
    const auto all = mine.numbers();
    const auto check = [](const std::string& options, const std::vector<std::string>& processors) {
        const auto r = command("run -n " + std::to_string(processors.size()) + " " + options +
                               " sh -c 'sed -n \"s/^Cpus_allowed_list:.//p\" /proc/self/status'");
        INFO(options << "\n" << r.output);
        CHECK(r.status == 0);
        for (std::size_t rank = 0; rank < processors.size(); ++rank)
            CHECK_THAT(r.output, Contains("[" + std::to_string(rank) + "] " + processors[rank] + "\n"));
    };
    check("", {mine.text(), mine.text()});
    check("--bind none", {mine.text(), mine.text()});
    const std::string first = std::to_string(all.front()), last = std::to_string(all.back());
    std::vector<std::string> in_turn;
    for (const int p : all) in_turn.push_back(std::to_string(p));
    in_turn.push_back(first); // more ranks than processors
    check("--bind core", in_turn);
    check("--bind " + last + "," + first, {last, first});
    check("--bind " + last + "-" + last + "," + first + "," + first, {last, first});
    check("--pretend-hosts 2 --bind " + first + "," + last, {first, last});
}

TEST_CASE("bindings that make no sense are told in a sentence") {
    const auto refused = [](const std::string& options, const char* words) {
        const auto r = command("run " + options + " true");
        INFO(options << "\n" << r.output);
        CHECK(r.status == 2);
        CHECK_THAT(r.output, Contains(words));
    };
    refused("-n 2 --bind 0", "--bind 0 names 1 processor for 2 ranks of a host: name one for each");
    refused("--hosts a:2,b --bind 0", "--bind 0 names 1 processor for 2 ranks of a host: name one for each");
    refused("-n 1 --bind 8191", "this host lets nobody here run on processor 8191: take those of ");
    for (const char* wrong : {"cores", "0,", "-1", "1-", "0,x", "8192", "4 2"})
        refused("-n 1 --bind=" + ("'" + std::string(wrong) + "'"),
                "binds to no processors: write core, none, or a list");
    refused("-n 1 --bind 7-4", "'7-4' counts downwards");
}

TEST_CASE("output comes by whole lines with the rank in front, the last one without a newline too") {
    const auto r = command("run -n 2 sh -c 'printf abc; sleep 0.1; printf \"def\\n\"; echo >&2 problem; printf end'");
    CHECK(r.status == 0);
    for (const char* line :
         {"[0] abcdef\n", "[1] abcdef\n", "[0] problem\n", "[1] problem\n", "[0] end\n", "[1] end\n"})
        CHECK_THAT(r.output, Contains(line));
}

TEST_CASE("standard error stays standard error, and standard input is empty") {
    CHECK(command("run -n 1 sh -c 'echo problem >&2; cat' 2>/dev/null </dev/zero").output.empty());
}

TEST_CASE("an error that ends all ranks is one message, with all their numbers, and other lines stay as they are") {
    const auto r =
        command("run -n 3 sh -c 'echo step $TUTTI_RANK >&2; echo \"terminate called\" >&2; echo \"  what():  "
                "lost at $((TUTTI_RANK/2))\" >&2; kill -ABRT $$'");
    CHECK(r.status == 128 + SIGABRT);
    for (const char* line : {"[0] step 0\n", "[1] step 1\n", "[2] step 2\n", "[0-2] terminate called\n",
                             "[0-2]   what():  lost at {0,0,1}\n"})
        CHECK(occurrences(r.output, line) == 1);
    CHECK(occurrences(r.output, "\n") == 6); // one more line says how it ended
}

TEST_CASE("a last word is not held back for long where others have nothing to say") {
    const auto r =
        command("run -n 2 --patience 20 sh -c '[ $TUTTI_RANK = 0 ] && echo \"tutti: lost\" >&2; sleep 3; echo "
                "late >&2'");
    CHECK(r.status == 0);
    CHECK(r.output.find("[0] tutti: lost\n") < r.output.find("late"));
}

TEST_CASE("many lines of many ranks never mix") {
    const auto r =
        command("run -n 4 sh -c 'i=0; while [ $i -lt 500 ]; do echo $TUTTI_RANK.$TUTTI_RANK; i=$((i+1)); done'");
    for (const char* line : {"[0] 0.0\n", "[1] 1.1\n", "[2] 2.2\n", "[3] 3.3\n"})
        CHECK(occurrences(r.output, line) == 500);
    CHECK(r.output.size() == 4 * 500 * 8);
}

TEST_CASE("what follows the program belongs to it") {
    CHECK(command("run -n1 sh -c 'echo $0 $1 $2' -- -n --help").output == "[0] -- -n --help\n");
    CHECK(command("run -n1 -- sh -c 'echo $0' x").output == "[0] x\n");
    CHECK(command("run --ranks=1 echo -n 5").output == "[0] 5\n");
}

TEST_CASE("the first failure gives the exit status, is reported, and ends the others") {
    const auto r = command("run -n 3 --patience 0.1 sh -c '[ $TUTTI_RANK = 1 ] && exit 7; exec sleep 50'");
    CHECK(r.status == 7);
    CHECK_THAT(r.output, Contains("rank 1 exited with status 7 after 0."));
    CHECK(r.seconds < 20);
}

TEST_CASE("when the coordinator finds that the last calls did not match, the run has failed") {
    const std::string line = "tutti: mismatch at the end of a communicator: rank 0 made 1 calls";
    const auto r = command("run -n 2 sh -c '[ $TUTTI_RANK = 1 ] || echo >&2 \"" + line + "\"'");
    CHECK(r.status == 1);
    CHECK_THAT(r.output, Contains("[0] " + line));
    CHECK_THAT(r.output, Contains("tutti run: ranks called different things at the end"));
    CHECK(command("run -n 2 sh -c 'echo \"" + line + "\"; echo >&2 \"see: " + line + "\"'").status == 0);
}

TEST_CASE("a signal is reported by its name") {
    const auto r = command("run -n 3 --patience 0 sh -c '[ $TUTTI_RANK = 2 ] && kill -9 $$; exec sleep 50'");
    CHECK(r.status == 128 + SIGKILL);
    CHECK_THAT(r.output, Contains("rank 2 was ended by signal 9 (SIGKILL) after 0."));
}

TEST_CASE("a death by a signal is taken for the cause of the exits just before it, an abort is not") {
    const auto killed = command("run -n 2 sh -c '[ $TUTTI_RANK = 0 ] && exit 1; sleep 0.02; kill -9 $$'");
    CHECK(killed.status == 128 + SIGKILL);
    CHECK_THAT(killed.output, Contains("rank 1 was ended by signal 9 (SIGKILL) after 0."));
    const auto aborted = command("run -n 2 sh -c '[ $TUTTI_RANK = 0 ] && exit 7; sleep 0.02; kill -ABRT $$'");
    CHECK(aborted.status == 7);
    CHECK_THAT(aborted.output, Contains("rank 0 exited with status 7 after 0."));
}

TEST_CASE("the rank that the error of another names has failed first, though it ends later") {
    const std::string names_1 =
        "[ $TUTTI_RANK = 0 ] && { echo \"tutti: lost peer in barrier, step 0, rank 1 on h: it left\" >&2; exit 1; }; ";
    for (const char* moment : {"0.05", "0.6"}) { // before the other is judged, and after
        const auto ends = command("run -n 2 sh -c '" + names_1 + "sleep " + moment + "; exit 7'");
        CHECK(ends.status == 7);
        CHECK_THAT(ends.output, Contains("tutti run: rank 1 exited with status 7 after 0."));
    }
    const auto hangs = command("run -n 2 --patience 0.1 sh -c '" + names_1 + "sleep 50'");
    CHECK(hangs.status == 1);
    CHECK_THAT(hangs.output,
               Contains("tutti run: rank 0 exited with status 1 after 0.") && Contains(" s; its error names rank 1\n"));
}

TEST_CASE("the others have a moment to say what they know") {
    const auto r =
        command("run -n 2 --patience 20 sh -c '[ $TUTTI_RANK = 1 ] && exit 3; sleep 0.3; echo rank 1 is lost'");
    CHECK(r.status == 3);
    CHECK_THAT(r.output, Contains("[0] rank 1 is lost"));
}

TEST_CASE("who does not listen to SIGTERM is killed") {
    const auto r = command("run -n 2 --patience 0 --grace 0.2 sh -c '[ $TUTTI_RANK = 1 ] && exit 3; trap \"\" TERM; "
                           "while :; do sleep 1; done'");
    CHECK(r.status == 3);
    CHECK(r.seconds < 20);
}

TEST_CASE("signals are passed on") {
    directory d;
    const auto r = command("run -n 2 --grace 20 sh -c 'trap \"echo got it; exit 5\" TERM; echo $PPID > " + d.path +
                           "/launcher; while :; do sleep 0.05; done' & sleep 1; " +
                           signal_launcher("TERM", d.path + "/launcher") + "; wait $!");
    CHECK(r.status == 5);
    CHECK(occurrences(r.output, "] got it\n") == 2);
}

TEST_CASE("the deadline ends everything with 124") {
    const auto r = command("run -n 2 --deadline 0.3 sleep 50");
    CHECK(r.status == 124);
    CHECK_THAT(r.output, Contains("not done after 0.3 s"));
    CHECK(r.seconds < 20);
}

TEST_CASE("a reader who stalls holds up neither the deadline nor a signal") {
    directory d;
    // A FIFO that is open at both ends here, and that nobody reads.
    const std::string nobody_reads = "mkfifo " + d.path + "/fifo; exec 3<>" + d.path + "/fifo; ";
    const std::string talk = " sh -c 'echo $PPID > " + d.path + "/launcher; exec yes' >&3";
    const auto late = shell(nobody_reads + "timeout -k 5 60 $TUTTI_COMMAND run -n 2 --deadline 0.5 --grace 20" + talk);
    CHECK(late.status == 124);
    CHECK(late.seconds < 15);
    const auto signalled =
        shell(nobody_reads + "rm " + d.path + "/launcher; timeout -k 5 60 $TUTTI_COMMAND run -n 2 --grace 20" + talk +
              " & sleep 1; " + signal_launcher("TERM", d.path + "/launcher") + "; wait $!");
    CHECK(signalled.status == 128 + SIGTERM);
    CHECK(signalled.seconds < 15);
}

TEST_CASE("a slow reader gets everything, on a descriptor that does not block too") {
    const std::string lines = "env -u TUTTI_RANK timeout -k 5 60 $TUTTI_COMMAND run -n 2 seq 100000 | ";
    CHECK(shell(lines + "(sleep 1; wc -l)").output == "200000\n");
    const std::string non_blocking = "import os,sys; os.set_blocking(1, False); os.execvp(sys.argv[1], sys.argv[1:])";
    if (shell("python3 -c ''").status != 0) return;
    CHECK(shell("python3 -c '" + non_blocking + "' " + lines + "(sleep 1; wc -l)").output == "200000\n");
}

TEST_CASE("when nobody reads the output any more the ranks are ended, and none is left") {
    directory d;
    const auto r = shell("(timeout -k 5 60 $TUTTI_COMMAND run -n 1 sh -c 'sleep 50 >/dev/null 2>&1 & echo $! > " +
                         d.path + "/left; while echo y; do sleep 0.05; done; wait'; echo $? >&2) | head -n 1");
    CHECK_THAT(r.output, Contains("[0] y\n") && Contains("nobody reads the output any more") && Contains("141\n"));
    CHECK(r.seconds < 20);
    const int left = pid_from(d.path + "/left");
    REQUIRE(left > 0);
    CHECK(ends(left));
}

TEST_CASE("output that cannot be written is a failure") {
    const auto r = command("run -n 1 echo y >/dev/full");
    CHECK(r.status == 1);
    CHECK_THAT(r.output, Contains("cannot write the output: No space left on device"));
}

TEST_CASE("many ranks take the descriptors that the hard limit allows, and get the soft limit of the user") {
    const auto limited = [](const std::string& limits, const std::string& arguments) {
        return shell(limits + "; timeout -k 5 60 $TUTTI_COMMAND run --bind none " + arguments);
    };
    const auto many = limited("ulimit -Sn 40", "-n 40 sh -c 'ulimit -Sn; exec true'");
    CHECK(many.status == 0);
    CHECK(occurrences(many.output, "] 40\n") == 40);
    const auto few = limited("ulimit -n 64", "-n 40 true");
    CHECK(few.status == 1);
    CHECK_THAT(few.output, Contains("a launcher of 40 ranks needs 1") &&
                               Contains(" file descriptors and may have 64: raise the hard limit (ulimit -Hn)"));
}

TEST_CASE("a program that does not exist, or cannot be executed, is named, and ends as in a shell") {
    const auto r = command("run -n 2 no-such-program");
    CHECK(r.status == 127);
    CHECK_THAT(r.output, Contains("tutti run: cannot run no-such-program: No such file or directory"));
    const auto folder = command("run -n 2 /tmp");
    CHECK(folder.status == 126);
    CHECK_THAT(folder.output, Contains("tutti run: cannot run /tmp: Permission denied"));
    const tools_test::folder here;
    const std::string program = here.write("in-this-folder", "#!/bin/sh\necho runs\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const auto bare = command("run -n 1 in-this-folder", "-C " + here.path(""));
    CHECK(bare.status == 127);
    CHECK_THAT(bare.output, Contains("cannot run in-this-folder (write ./in-this-folder, since it is not on PATH): "));
    CHECK(command("run -n 1 ./in-this-folder", "-C " + here.path("")).status == 0);
}

TEST_CASE("wrong usage exits with 2") {
    CHECK(command("run -n 2").status == 2);
    CHECK(command("run -n 0 true").status == 2);
    CHECK(command("run true").status == 2);
    CHECK(command("run --nonsense 3 true").status == 2);
}

TEST_CASE("no rank, and no process that a rank left behind, outlives the launcher") {
    directory d;
    const auto r = command("run -n 1 sh -c 'sleep 50 >/dev/null 2>&1 & echo $! > " + d.path + "/left'");
    CHECK(r.status == 0);
    CHECK(r.seconds < 20);
    const int left = pid_from(d.path + "/left");
    REQUIRE(left > 0);
    CHECK(ends(left));
}

TEST_CASE("ranks end when the launcher is killed") {
    directory d;
    const auto r = command("run -n 1 sh -c 'echo $$ > " + d.path + "/rank; echo $PPID > " + d.path +
                           "/launcher; exec sleep 50' & sleep 1; " + signal_launcher("KILL", d.path + "/launcher") +
                           "; wait $!; true");
    const int rank = pid_from(d.path + "/rank");
    REQUIRE(rank > 0);
    CHECK(ends(rank));
    CHECK(r.seconds < 20);
}

TEST_CASE("a command that there is not is told with those that there are") {
    const auto r = command("bogus --ranks 2");
    CHECK(r.status == 2);
    CHECK_THAT(r.output, Catch::Contains("there is no command 'bogus'; choose one of bench, fit, verify"));
    CHECK(command("--bogus").status == 2);
    CHECK(command("bench --bogus").status == 2);
}
