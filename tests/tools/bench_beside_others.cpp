// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"
#include "folder.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

using Catch::Contains;
using Catch::Matches;
using tools_test::command;
using tools_test::folder;
using tools_test::occurrences;
using tools_test::outcome;

namespace {

const std::string of_three_calls = " -n 3 -c 0 --other-work 100000 ";

/// A row of the table: its time and what leads there.
auto row_beside(const std::string& of, const std::string& bytes, const std::string& operation, const std::string& place,
                const std::string& theirs) {
    return Matches("[^]*\n" + of + " +" + bytes + " .* " + operation + " .* " + place + " +" + theirs + " [^]*");
}

outcome beside_file(const std::string& file, const std::string& what) {
    return command("bench --transport memory" + of_three_calls + what + " --against " + file);
}

const std::string osu_allgather = R"(
# OSU MPI Allgather Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       1.07              0.91              1.22        1000
1024                    3.25              2.88              3.61        1000
65536                  40.02             38.00             44.19         100
)";

// As it prints them: of nccl-tests the columns of a size out of place, then in place.
const std::string of_nccl_tests =
    R"(# nThread 1 nGpus 2 minBytes 1024 maxBytes 4096 step: 4(factor) warmup iters: 5 iters: 20 agg iters: 1 validate: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4711 on      there device  0 [0x07] A GPU
#  Rank  1 Group  0 Pid   4711 on      there device  1 [0x0f] A GPU
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024           256     float     sum      -1    33.50    0.03    0.03      0    32.25    0.03    0.03      0
        4096          1024     float     sum      -1    34.75    0.12    0.12      0    N/A      N/A     N/A     N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.075
#
)";

} // namespace

TEST_CASE("what the OSU micro-benchmarks print is compared: sizes of one rank's part, and bandwidths as times") {
    const folder here;
    const auto r = beside_file(here.write("osu.txt", osu_allgather), "--ranks 4 --operation allgather --bytes 4K,1K");
    INFO(r.output);
    CHECK(r.status == 0);
    const auto in_place = beside_file(here.path("osu.txt"), "--ranks 4 --operation allgather --place in --bytes 4K");
    CHECK_THAT(in_place.output,
               Contains("osu.txt holds none of allgather float32 in place (4096 bytes), but allgather ("));
    CHECK_THAT(r.output, row_beside("osu.txt", "4096", "allgather", "out", "3.25")); // 4 ranks have 1024 bytes each
    CHECK(occurrences(r.output, "\nosu.txt ") == 1); // in 1 KiB a rank's part is 256 bytes
    CHECK_THAT(r.output, Contains("our avg over theirs") && Contains("does not say of how many ranks: taken for 4") &&
                             Contains("# osu.txt lacks: allgather float32 (1024 bytes); allgather float32 in place "
                                      "(1024, 4096 bytes)\n") &&
                             Contains("# rows of osu.txt without a partner here: allgather (4, 262144 bytes)\n"));

    // A picture has them as curves of their own: here of 4 and 256 KiB.
    const auto drawn =
        beside_file(here.path("osu.txt"),
                    "--ranks 4 --operation allgather --place out --bytes 4K,256K --html " + here.path("both.html"));
    INFO(drawn.output);
    if (occurrences(drawn.output, "built without Chart.js") == 0) {
        CHECK(drawn.status == 0);
        CHECK_THAT(here.read("both.html"),
                   Contains("osu.txt, mean") && Contains("auto, mean") && Contains("3.25") && Contains("40.02"));
    }

    // 64 messages of 1024 bytes at 512 MB/s take 64 * 1024 / 512 = 128 us; twice as many at 1000 MB/s 131.072.
    here.write("bw.txt", "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1024    512.00\n");
    here.write("bibw.txt",
               "# OSU MPI Bi-Directional Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1024   1000.00\n");
    here.write("latency.txt",
               "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n0        0.00\n1024     1.75\n");
    const auto messages =
        beside_file(here.path("bw.txt") + "," + here.path("bibw.txt") + "," + here.path("latency.txt"),
                    "--ranks 2 --operation stream,bistream,pingpong --bytes 1K");
    INFO(messages.output);
    CHECK(messages.status == 0);
    CHECK_THAT(messages.output, row_beside("bw.txt", "1024", "stream pairs 1", "out", "128.0") &&
                                    row_beside("bibw.txt", "1024", "bistream pairs 1", "out", "131.1") &&
                                    row_beside("latency.txt", "1024", "pingpong pairs 1", "out", "1.75") &&
                                    !Contains("taken for"));
    // A put is no message, and a reduction of floats no one of doubles.
    here.write("put.txt", "# OSU MPI_Put Latency Test v7.4\n# Size          Latency (us)\n1024     0.25\n");
    const auto put = beside_file(here.path("put.txt"), "--ranks 2 --operation pingpong --bytes 1K");
    CHECK(put.status == 2);
    CHECK_THAT(put.output, Contains("MPI_Put Latency"));
    here.write("floats.txt", "# OSU MPI Allreduce Latency Test v5.8\n# Size       Avg Latency(us)\n1024     1.75\n");
    CHECK(beside_file(here.path("floats.txt"), "--ranks 2 --operation allreduce -d double --bytes 1K").status == 2);
    // These are of two ranks.
    const auto pairs = beside_file(here.path("latency.txt"), "--ranks 4 --operation pingpong --bytes 1K");
    CHECK(pairs.status == 2);
    CHECK_THAT(pairs.output, Contains("holds none of ") && Contains("pingpong of 2 ranks"));
    CHECK_THAT(beside_file(here.path("latency.txt"), "--ranks 4 --pairs 1 --operation pingpong --bytes 1K").output,
               row_beside("latency.txt", "1024", "pingpong pairs 1", "out", "1.75"));
}

TEST_CASE("what IMB-MPI1 prints is compared: each number of processes by itself, with the type and operator said") {
    const folder here;
    const std::string imb = here.write("imb.txt", R"(#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part
#----------------------------------------------------------------
# MPI_Datatype                   :   MPI_BYTE
# MPI_Datatype for reductions    :   MPI_FLOAT
# MPI_Op                         :   MPI_SUM
#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.21         0.00
         1024         1000         0.50      2048.00

#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 2
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1024         1000         6.00         8.00         7.00

#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1024         1000        10.00        14.00        12.00
         2048         1000        10.00        14.00        12.00
         4096         1000        10.00        14.00        12.00
         8192         1000        10.00        14.00        12.00
        16384         1000        10.00        14.00        12.00
        32768         1000        10.00        14.00        12.00
        65536 time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over; use "-time X" or SECS_PER_SAMPLE=X (IMB_settings.h) to increase time limit.
       131072 out-of-mem.; needed X=     0.129 GB; use flag "-mem X" or MAX_MEM_USAGE>=X (IMB_mem_info.h)

#----------------------------------------------------------------
# Benchmarking Exchange
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec
         1024         1000        10.00        14.00        12.00       100.00

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 4
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         2.00         3.00         2.50

# All processes entering MPI_Finalize
)");
    const auto r =
        beside_file(imb, "--ranks 4 --operation allreduce,barrier --place out --bytes 1K -d float32,float64");
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output,
               row_beside("imb.txt", "1024", "allreduce", "out", "12.00") &&
                   row_beside("imb.txt", "0", "barrier", "out", "2.50") &&
                   Contains("# imb.txt lacks: allreduce float64 sum (1024 bytes)\n") &&
                   Contains("without a partner here: Exchange; allreduce float32 sum of 2 ranks (1024 bytes); "
                            "allreduce float32 sum of 4 ranks (2048, 4096, 8192, 16384, ... bytes); pingpong "
                            "of 2 ranks (0, 1024 bytes)\n"));
    CHECK(occurrences(r.output, "\nimb.txt ") == 2);
}

TEST_CASE("IMB's Uniband is compared with message_rate: its bandwidth is that of all pairs, each of 64 messages") {
    const folder here;
    const std::string imb = here.write("uniband.txt", R"(#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
# Benchmarking Uniband
# #processes = 4
       #bytes #repetitions   Mbytes/sec      Msg/sec
            0         1000         0.00      4166250
         1024         1000      1024.00      1000000
)");
    const auto r = beside_file(imb, "--ranks 4 --operation message_rate --bytes 1K");
    INFO(r.output);
    CHECK(r.status == 0); // 2 pairs * 64 messages * 1024 bytes at 1024 bytes a microsecond
    CHECK_THAT(r.output, row_beside("uniband.txt", "1024", "message_rate pairs 2", "out", "128.0"));
}

TEST_CASE("what nccl-tests prints is compared, out of place and in place; the file or its name says the operation") {
    const folder here;
    const auto check = [](const std::string& file, const std::string& name) {
        const auto r = beside_file(file, "--ranks 2 --bytes 1K,4K -o sum,max");
        INFO(r.output);
        CHECK(r.status == 0);
        CHECK_THAT(r.output, row_beside(name, "1024", "allreduce", "out", "33.50") &&
                                 row_beside(name, "1024", "allreduce", "in", "32.25") &&
                                 row_beside(name, "4096", "allreduce", "out", "34.75"));
        CHECK(occurrences(r.output, "\n" + name + " ") == 3);
    };
    check(here.write("all_reduce_perf.txt", of_nccl_tests), "all_reduce_perf.txt");
    check(here.write("n.txt", "# Collective test starting: all_reduce_perf\n" + of_nccl_tests), "n.txt");
    const auto r = beside_file(here.write("n.txt", of_nccl_tests), "--ranks 2 --bytes 1K");
    CHECK(r.status == 2);
    CHECK_THAT(r.output, Contains("does not say of which operation: give the file its name"));
}

TEST_CASE("rows of nccl-tests meet those of the same root") {
    const folder here;
    std::string of_roots = of_nccl_tests;
    for (const char* const root : {"0", "1"})
        of_roots.replace(of_roots.find(" -1 "), 4, std::string("  ") + root + " ");
    const auto r =
        beside_file(here.write("reduce_perf.txt", of_roots), "--ranks 2 --operation reduce --bytes 1K,4K -r 1,0");
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output,
               row_beside("reduce_perf.txt", "1024", "reduce root 0", "out", "33.50") &&
                   row_beside("reduce_perf.txt", "4096", "reduce root 1", "out", "34.75") &&
                   Contains("lacks: reduce root 0 float32 sum (4096 bytes); reduce root 0 float32 sum in place "
                            "(4096 bytes); reduce root 1 float32 sum (1024 bytes); "));
    CHECK(occurrences(r.output, "\nreduce_perf.txt ") == 3);
    const auto other = beside_file(here.path("reduce_perf.txt"), "--ranks 2 --operation reduce --bytes 1K -r 1");
    CHECK(other.status == 2);
    CHECK_THAT(other.output, Contains("reduce root 0 float32 sum of 2 ranks (1024 bytes)"));
}

TEST_CASE("ratios to other programs' times are a verdict only where a tolerance is given") {
    const folder here;
    const auto file = [&](const std::string& us) {
        return here.write("osu.txt",
                          "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n8   " + us + "\n");
    };
    const std::string what = "--ranks 2 --bytes 8 --place out";
    const auto slower = beside_file(file("0.00001"), what); // nothing is as fast as 10 ps
    INFO(slower.output);
    CHECK(slower.status == 0);
    CHECK_THAT(slower.output,
               Contains("# beside osu.txt: slower in 1 row, faster in 0, neither in 0, not judged in 0\n") &&
                   Contains("  slower\n"));
    const auto judged = beside_file(file("0.00001"), what + " --tolerance 50");
    CHECK(judged.status == 4);
    CHECK_THAT(judged.output,
               Contains("is called slower in 3.2 % of comparisons at most\n")); // 1 in 32, of five rounds
    CHECK(beside_file(file("1e9"), what + " --tolerance 50").status == 0);
    CHECK(beside_file(file("0.00001"), what + " --tolerance 50 --rounds 2").status == 5); // too few to judge
    CHECK_THAT(beside_file(file("0.00001"), what + " --rounds 2").output, Contains("  not judged\n"));
}

TEST_CASE("files that are no output of such a program, or not all of it, are refused with a sentence") {
    const folder here;
    const auto refused = [&](const std::string& text, const std::string& words) {
        const auto r = beside_file(here.write("osu.txt", text), "--ranks 4 --operation allgather --bytes 4K");
        INFO(text << "\n" << r.output);
        CHECK(r.status == 2);
        CHECK_THAT(r.output, Contains(words) && !Contains("# tutti bench"));
    };
    refused("hello\n", "is neither what tutti bench --json writes, nor output of the OSU micro-benchmarks");
    refused(std::string("\x7f"
                        "ELF\0\1\2\3\xff\n",
                        9),
            "is neither what tutti bench --json writes");
    refused(osu_allgather.substr(0, osu_allgather.size() - 5), "ends in the middle of a line");
    refused(osu_allgather + "131072\n", "lacks columns in line 8");
    refused(osu_allgather + "131072   1.2.3   1.0  1.0  10\n", "has '1.2.3' in line 8, where a number belongs");
    refused("# OSU MPI Allgather Latency Test v7.3\n# Size       Avg Latency(us)\n", "holds no rows");
    refused("# OSU MPI Non-blocking Allgather Latency Test v7.3\n# Size  Overall(us)  Compute(us)\n4096  1.0  1.0\n",
            "none of ours is a Non-blocking Allgather Latency");
    refused(osu_allgather + "# Benchmarking Allgather\n", "holds output of several tools");
    here.write("then.json", "[]");
    CHECK_THAT(beside_file(here.write("osu.txt", osu_allgather) + "," + here.path("then.json"), "--ranks 4").output,
               Contains("are not compared together with those of other programs"));
}

TEST_CASE("other libraries are measured in turn, told apart by name, and what they lack is told") {
    std::string names;
    for (const std::string name : {"openmpi", "mpich"}) {
        if (tools_test::shell("command -v mpiexec." + name + " && command -v mpicc." + name).status == 0)
            names += (names.empty() ? "" : ",") + name;
        else
            WARN(name << " is not installed: left out");
    }
    if (names.empty()) return;
    const folder here;
    const auto r = command("bench --transport shared_memory --ranks 2 --bytes 8 --rounds 2 -n 5 --other-work 100000 "
                           "-d float32,float16 --contestant " +
                           names + " --json " + here.path("ours.json"));
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("timed by the same code and launched in turn") && Contains("# wrong elements: 0\n"));
    for (const std::string name : {"openmpi", "mpich"}) {
        if (names.find(name) == std::string::npos) continue;
        for (const char* const place : {"out", "in"})
            CHECK_THAT(r.output, row_beside(name, "8", "float32 +sum +allreduce", place, "[0-9.]+"));
        CHECK(occurrences(r.output, "\n" + name + " ") == 2);
        CHECK_THAT(r.output, Contains("# not measured of " + name +
                                      ": allreduce float16 sum (8 bytes); allreduce float16 sum in place (8 bytes)\n"));
    }
    // Of ours 2 rounds of 2 types and 2 places, of others one type less.
    const std::string rows = here.read("ours.json");
    for (const auto& row : nlohmann::json::parse(rows)) {
        CHECK(row.at("round") == row.at("launch"));
        CHECK(row.at("version").is_null() == (row.at("library") != "tutti")); // its own is not known
    }
    CHECK(occurrences(rows, "\"round\":1,") * 2 == occurrences(rows, "\"round\":"));
    const auto nothing = command("bench --ranks 2 --bytes 8 -n 1 -d float16 --contestant " + names);
    CHECK(nothing.status == 2);
    CHECK_THAT(nothing.output, Contains("none of these calls is measured of "));
    CHECK(occurrences(rows, "\"library\":\"tutti\"") == 8);
    for (const std::string name : {"openmpi", "mpich"})
        CHECK(occurrences(rows, "\"library\":\"" + name + "\"") == (names.find(name) == std::string::npos ? 0 : 4));
    // All that MPI has alike: with parts of given lengths as well, and each is right.
    const auto parts = command("bench --transport shared_memory --ranks 3 --bytes 600 --uneven 0.5 --rounds 1 -n 1 "
                               "-r all --operation allgatherv,alltoallv,gatherv,reduce_scatterv,scatterv,exscan "
                               "--contestant " +
                               names + " --json " + here.path("parts.json"));
    INFO(parts.output);
    CHECK(parts.status == 0);
    std::size_t of_others = 0;
    for (const auto& row : nlohmann::json::parse(here.read("parts.json"))) {
        CHECK(row.at("wrong") == 0);
        of_others += row.at("library") != "tutti";
    }
    // 2 places of allgatherv, exscan, and of gatherv and scatterv with 3 roots each; alltoallv and reduce_scatterv 1.
    CHECK(of_others == (names.find(',') == std::string::npos ? 18 : 36));
    CHECK(occurrences(parts.output, ": reduce_scatterv uneven 0.5 float32 sum in place (600 bytes)\n") * 18 ==
          of_others);
    // They are no rounds of ours: two launches are too few.
    const auto again =
        command("bench --transport shared_memory --ranks 2 --bytes 8 --rounds 5 -n 5 --other-work 100000 "
                "-d float32,float16 --against " +
                here.path("ours.json"));
    CHECK(again.status == 5);
    CHECK_THAT(again.output, Contains("not judged: 4\n"));
}

TEST_CASE("Gloo is measured in turn over tcp, and a contestant that fails is named") {
    const std::string over_tcp = "bench --transport tcp --ranks 2 --bytes 8 --rounds 2 -n 5 --place in ";
    const auto r = command(over_tcp + "--operation allreduce,reduce_scatter --other-work 100000 --contestant gloo");
    if (r.output.find("does not compile its calls, which needs Gloo") != std::string::npos) {
        WARN("Gloo is not installed: left out");
        return;
    }
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, row_beside("gloo", "8", "allreduce", "in", "[0-9.]+") &&
                             Contains("# not measured of gloo: reduce_scatter float32 sum in place (8 bytes)\n"));
    const folder here;
    here.write("libgloo.so.0", "");
    const auto broken = command(over_tcp + "--contestant gloo", "LD_LIBRARY_PATH=" + here.path(""));
    INFO(broken.output);
    CHECK(broken.status == 1);
    CHECK_THAT(broken.output, Contains("cannot load the contestant") && Contains("tutti bench: gloo: rank "));
}

TEST_CASE("a contestant that cannot be measured here is refused with a sentence, as a wrong command line is") {
    const folder here;
    const auto refused = [](const std::string& arguments, const std::string& words, const std::string& with = "") {
        const auto r = command("bench --ranks 2 --bytes 8 -n 1 " + arguments, with);
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 2);
        CHECK_THAT(r.output, Contains(words));
    };
    // A PATH of a folder with what this test itself needs, and what it pretends.
    for (const char* const program : {"timeout", "cat", "env"})
        std::filesystem::create_symlink("/usr/bin/" + std::string(program), here.path(program));
    const std::string path = "PATH=" + here.path("");
    const auto pretend = [&](const std::string& name, const std::string& script) {
        std::filesystem::permissions(here.write(name, "#!/bin/sh\n" + script + "\n"),
                                     std::filesystem::perms::owner_all);
    };
    refused("--contestant openmpi", "its launcher is missing, no mpiexec.openmpi", path);
    refused("--contestant gloo --transport tcp", "no C++ compiler is on PATH", path);
    pretend("mpiexec", "echo HYDRA build details:");
    refused("--contestant openmpi", "its launcher is missing", path); // it is the other one's
    refused("--contestant mpich", "its compiler mpicc is not on PATH: install mpich and libmpich-dev", path);
    pretend("mpicc", "echo 'mpi.c:16:10: fatal error: mpi.h: No such file or directory'; exit 1");
    refused("--contestant mpich", "mpicc does not compile its calls: mpi.c:16:10: fatal error: mpi.h", path);
    refused("--contestant nccl", "--contestant nccl: ");
    refused("--contestant openmpi --transport memory", "over shared_memory, routed or tcp, not memory");
    refused("--contestant gloo --transport shared_memory", "Gloo goes over --transport tcp alone");
    refused("--contestant openmpi --overlap", "of blocking calls");
    refused("--contestant openmpi --bind 0,1", "not to a list");
    CHECK_THAT(command("bench --contestant nobody").output, Contains("nobody"));
    CHECK_THAT(command("run -n 1 $TUTTI_COMMAND bench --contestant openmpi").output, Contains("not under a launcher"));
}
