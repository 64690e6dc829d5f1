// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"
#include "folder.hpp"

#include <transport/join/own_allotment.hpp>

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>

using Catch::Contains;
using tools_test::command;
using tools_test::folder;
using tools_test::occurrences;

TEST_CASE("every operation and algorithm is right, out of place and in place") {
    for (const char* transport : {"memory", "tcp"})
        for (const char* ranks : {"1", "2", "5"}) {
            const auto r =
                command(std::string("bench --operation all --algorithm all,auto -b 0 -e 4K -f 16 -n 2 --transport ") +
                        transport + " --ranks " + ranks);
            INFO(transport << " " << ranks << "\n" << r.output);
            CHECK(r.status == 0);
            CHECK_THAT(r.output, Contains("# wrong elements: 0\n"));
        }
}

TEST_CASE("operations on parts of given lengths are right, however unequal these are") {
    const std::string operations = "allgatherv,alltoallv,gatherv,reduce_scatterv,scatterv";
    const folder here;
    for (const char* transport : {"memory", "tcp"})
        for (const char* shape : {"--ranks 1", "--ranks 2 --uneven 1", "--ranks 3 -r all --uneven 0.7", "--ranks 5"}) {
            const auto r = command("bench --operation " + operations +
                                   " --algorithm all,auto -b 0 -e 4K -f 16 -n 1 -w 0 --transport " + transport + " " +
                                   shape + " --json " + here.path("rows"));
            INFO(transport << " " << shape << "\n" << r.output);
            CHECK(r.status == 0);
            CHECK_THAT(r.output, Contains("# wrong elements: 0\n"));
            const std::string rows = here.read("rows");
            for (const char* name : {"allgatherv", "alltoallv", "gatherv", "reduce_scatterv", "scatterv"})
                CHECK(occurrences(rows, "\"operation\":\"" + std::string(name) + "\"") > 4);
            CHECK(occurrences(rows, "\"algorithm\":\"ring\"") > 0); // where all know the lengths
        }
    CHECK(occurrences(here.read("rows"), "\"uneven\":0") > 0);
    const auto overlapped = command("bench --transport memory --ranks 2 --overlap -n 2 -b 64 -e 64 --uneven 0.5 "
                                    "--operation MPI_Alltoallv,allreduce");
    CHECK(overlapped.status == 0);
    CHECK_THAT(overlapped.output, Contains("# wrong elements: 0\n"));
    CHECK_THAT(command("bench --uneven 0.5").output, Contains("--uneven is for operations on unequal parts"));
}

TEST_CASE("over two pretended hosts every operation is right, and what was chosen is told") {
    const folder here;
    const auto r = command("run -n 4 --pretend-hosts 2 " + std::string(std::getenv("TUTTI_COMMAND")) +
                           " bench --transport routed --operation all -b 8 -e 128K -f 16384 -n 3 --json " +
                           here.path("rows.json"));
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("# wrong elements: 0\n"));
    const std::string rows = here.read("rows.json");
    // An allreduce of 128 KiB, and reduce_scatter and allgather of both sizes; in place and not.
    CHECK(occurrences(rows, "\"chosen\":\"hierarchical:halving_doubling:parameter_server\"") == 10);
    CHECK(occurrences(rows, "\"chosen\":\"hierarchical:direct:direct\"") == 2); // an alltoall of little blocks
    CHECK(occurrences(rows, "\"chosen\":null") == 0);
}

TEST_CASE("over pretended hosts every operation is right wherever ranks lie, chosen and by levels") {
    for (const char* hosts :
         {"4 --pretend-hosts 0,1,0,1", "5 --pretend-hosts 0,0,0,1,1", "5 --pretend-hosts 1,0,0,1,0"})
        for (const char* how : {"auto", "hierarchical:direct:direct,hierarchical:halving_doubling:binomial_tree"}) {
            const auto r = command("run -n " + std::string(hosts) + " " + std::getenv("TUTTI_COMMAND") +
                                   " bench --transport routed --operation allreduce,reduce_scatter,allgather,reduce,"
                                   "broadcast,alltoall --algorithm " +
                                   how + " -b 8 -e 64K -f 8192 -n 3");
            INFO(r.output);
            CHECK(r.status == 0);
            CHECK_THAT(r.output, Contains("# wrong elements: 0\n"));
        }
}

TEST_CASE("the heading says where ranks may run, and ranks bound to a processor each are not crowded") {
    const auto mine = tutti::transport::bootstrap::own_allotment();
    const auto all = mine.processors.numbers();
    const std::string first = std::to_string(all.front()), last = std::to_string(all.back());
    const bool limited = mine.quota.thousandths > 0 && mine.quota.thousandths < 2000;
    const std::string apart = limited ? ", crowded" : ", not crowded";
    for (const std::string transport : {"memory", "shared_memory", "tcp"}) {
        const auto line_of = [&](const std::string& bind) {
            const auto r = command("bench --ranks 2 -b 8 -e 8 -n 1 --transport " + transport + " --bind " + bind);
            INFO(r.output);
            CHECK(r.status == 0);
            const std::size_t begin = r.output.find("\n") + 1;
            return r.output.substr(begin, r.output.find("\n", begin) - begin);
        };
        INFO(transport);
        CHECK(line_of(first + "," + first) == "# ranks 0-1 on processor " + first + ", crowded");
        if (all.size() < 2) continue;
        CHECK(line_of(last + "," + first) ==
              "# rank 0 on processor " + last + apart + "; rank 1 on processor " + first + apart);
        CHECK(line_of("none") == "# ranks 0-1 on processors " + mine.processors.text() + apart);
    }
}

TEST_CASE(
    "ranks of several pretended hosts share the processors of one kernel, and are crowded where these are fewer") {
    const auto all = tutti::transport::bootstrap::own_allotment().processors.numbers();
    // On every processor one rank more than there are: each of so many hosts has one rank, which alone is not crowded.
    const std::string ranks = std::to_string(all.size() + 1);
    if (all.size() > 15) return; // of so many ranks the heading shows less
    const auto r = command("run -n " + ranks + " --pretend-hosts " + ranks + " -- " + std::getenv("TUTTI_COMMAND") +
                           " bench --bytes 8 -n 1 --place out");
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains(", crowded\n") && !Contains("not crowded"));
}

TEST_CASE("ranks are bound by who starts them") {
    const auto r =
        command("run -n 2 " + std::string(std::getenv("TUTTI_COMMAND")) + " bench --bind core -b 8 -e 8 -n 1");
    CHECK(r.status == 2);
    CHECK_THAT(r.output, Contains("--bind is for ranks that are started here: their launcher binds these"));
}

TEST_CASE("every type is right under every legal operator") {
    const auto r = command("bench --transport memory --ranks 3 --operation allreduce,reduce_scatter,reduce -d all -o "
                           "all -b 4K -e 4K -n 1");
    CHECK(r.status == 0);
    // 8 x 11 + 6 x 9 pairs of a type and an operator, 2 places
    for (const char* operation : {"allreduce", "reduce_scatter", "reduce"})
        CHECK_THAT(r.output, Contains("busbw of " + std::string(operation) + ": ") && Contains("over 284 rows"));
    CHECK_THAT(r.output, Contains("# wrong elements: 0\n"));
}

TEST_CASE("the JSON file holds one object a row") {
    const folder here;
    const auto r = command("bench --transport memory --ranks 2 -b 1K -e 2K -n 100 --json " + here.path("rows.json"));
    REQUIRE(r.status == 0);
    const std::string text = here.read("rows.json");
    CHECK(text.substr(0, 1) == "[");
    CHECK(text.substr(text.size() - 2) == "]\n");
    CHECK(occurrences(text, "\n{") == 4);
    for (const char* key :
         {"operation", "algorithm", "transport", "ranks", "bytes", "count", "type", "op", "in_place", "timing",
          "iterations", "p50_us", "p99_us", "min_us", "max_us", "algbw_GBps", "busbw_GBps", "cpu_us", "wrong"})
        CHECK(occurrences(text, '"' + std::string(key) + "\":") == 4);
    CHECK(occurrences(text, "\"p99_us\":null") == 0);
    CHECK(occurrences(text, "\"iterations\":100,") == 4);
}

TEST_CASE("one place alone is measured where it is asked for") {
    const auto rows = [](const char* place, const char* in_place) {
        const folder here;
        const auto r = command(std::string("bench --transport memory --ranks 2 -b 1K -e 2K -n 1 --place ") + place +
                               " --json " + here.path("rows.json"));
        CHECK(r.status == 0);
        return occurrences(here.read("rows.json"), "\n{") == 2 && occurrences(here.read("rows.json"), in_place) == 2;
    };
    CHECK(rows("in", "\"in_place\":true"));
    CHECK(rows("out", "\"in_place\":false"));
}

TEST_CASE("a JSON file that cannot be written is a failure") {
    for (const char* transport : {"memory", "tcp"}) {
        const auto r = command(std::string("bench --ranks 1 -b 1K -e 1K --json /dev/full --transport ") + transport);
        CHECK(r.status == 1);
        CHECK_THAT(r.output, Contains("cannot write /dev/full: No space left on device"));
    }
}

TEST_CASE("standard descriptors that are closed and not needed, and deadlines that the library has no wait for, stop "
          "no bench over tcp") {
    for (const char* how : {"<&-", "<&- 2>&-", "--deadline 200000"})
        CHECK(command(std::string("bench --transport tcp --ranks 2 -b 1K -e 1K -n 20 ") + how).status == 0);
}

TEST_CASE("there is no 99th percentile under 100 iterations, and no count of wrong elements without a check") {
    const folder here;
    REQUIRE(
        command("bench --transport memory --ranks 2 -b 1K -e 1K -n 99 -c 0 --json " + here.path("rows.json")).status ==
        0);
    CHECK(occurrences(here.read("rows.json"), "\"p99_us\":null") == 2);
    CHECK(occurrences(here.read("rows.json"), "\"wrong\":null") == 2);
}

TEST_CASE("seconds instead of iterations, a loop instead of barriers, cold caches") {
    const auto r = command("bench --transport tcp --ranks 2 -b 1K -e 1K --seconds 0.2");
    CHECK(r.status == 0);
    CHECK(r.seconds > 0.4);
    CHECK(command("bench --transport memory --ranks 2 -b 1K -e 1K --timing loop --seconds 0.1").status == 0);
    CHECK(command("bench --transport memory --ranks 2 -b 1K -e 1K --cold -n 2").status == 0);
}

TEST_CASE("several lanes carry what one carries") {
    const auto r = command("bench --transport tcp --ranks 3 --lanes 2 --bytes 8,4M -n 2 --algorithm ring");
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("# wrong elements: 0"));
    CHECK(command("bench --transport tcp --ranks 2 --lanes 0").status == 2);
}

TEST_CASE("encrypted data are right too, and only over tcp") {
    const auto r = command("bench --transport tcp --ranks 3 --encrypt --bytes 8,4M -n 2 --algorithm ring");
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("# wrong elements: 0"));
    CHECK(command("bench --transport memory --ranks 2 --encrypt --bytes 8").status == 2);
}

TEST_CASE("unbound ranks that leave barriers far apart are told of --bind core, of contestants too") {
    const folder here;
    std::vector<std::string> ways{"", " --bind core"};
    for (const std::string name : {"openmpi", "mpich"})
        if (tools_test::shell("command -v mpiexec." + name + " && command -v mpicc." + name).status == 0)
            ways.push_back(" --other-work 100000 --contestant " + name);
    for (const std::string& way : ways) {
        const auto r =
            command("bench --transport shared_memory --ranks 2 --bytes 8,1K,64K --place in -n 20 -w 1 --json " +
                    here.path("rows.json") + way);
        INFO(r.output);
        if (r.output.find("not crowded") == std::string::npos) return; // fewer processors than ranks
        CHECK(r.status == 0);
        std::size_t apart = 0;
        for (const auto& row : nlohmann::json::parse(here.read("rows.json"))) {
            const double skew_us = row.at("skew_us");
            if (skew_us > 1 && 4 * skew_us > row.at("p50_us").get<double>()) ++apart;
        }
        const std::string told = "# ranks may have shared a processor in ";
        CHECK(occurrences(r.output, told) == (apart > 0 && way != " --bind core"));
        if (apart > 0 && way != " --bind core") CHECK_THAT(r.output, Contains(told + std::to_string(apart) + " row"));
    }
}

TEST_CASE("what a list names twice is measured once") {
    const folder here;
    const auto r = command("bench --transport memory --ranks 2 --bytes 8,8 --place in -n 1 --algorithm ring,ring,naive "
                           "-d int32,int32 -o sum,sum --operation allreduce,allreduce,barrier,barrier --json " +
                           here.path("rows.json"));
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK(occurrences(here.read("rows.json"), "\"operation\"") == 3); // by ring, by naive, a barrier
}

TEST_CASE("ranks of a launcher refuse with one voice") {
    const auto r = command("run -n 3 $TUTTI_COMMAND bench --operation shuffle -n 1");
    INFO(r.output);
    CHECK(r.status == 2);
    CHECK(occurrences(r.output, "there is no operation") == 1);
}

TEST_CASE("sizes are measured that are listed") {
    const auto r = command("bench --transport memory --ranks 2 --bytes 8,1K..4K*4 -n 2 --place in --algorithm ring");
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK(occurrences(r.output, " ring\n") == 3);
    CHECK_THAT(r.output, Contains("\n           8 ") && Contains("\n        1024 ") && Contains("\n        4096 "));
}

TEST_CASE("shared memory, with symmetric and with plain buffers") {
    const auto r =
        command("bench --transport shared_memory --ranks 3 --operation all --algorithm all -b 8 -e 1M -f 128 -n 2");
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("3 ranks over shared_memory") && Contains("# wrong elements: 0"));
    const auto s = command("bench --transport shared_memory --ranks 2 -b 1M -e 1M -n 2 --memory symmetric");
    CHECK(s.status == 0);
    CHECK_THAT(s.output, Contains("# memory: symmetric") && Contains("# wrong elements: 0"));
}

TEST_CASE("calls in plain buffers are predicted, those in symmetric memory are not: prices know of none") {
    const std::string link =
        R"({"segments": [{"name": "", "most_bytes": null, "latency_s": 1e-6, "overhead_s": 0, "gap_s": 0,
            "gap_s_per_byte": 1e-9, "gamma_s_per_byte": 0, "overhead_s_per_byte": 0, "copy_s_per_byte": 0}]})";
    const folder here;
    const std::string machine = here.write(
        "machine.json",
        R"({"tutti_machine": 1, "made": "", "transports": {"shared_memory": {"near": )" + link + R"(, "far": )" + link +
            R"(, "fan_in": {"threshold_ranks": 0, "epsilon_s_per_byte": 0}, "cores_per_node": 0, "switch_s": 0,
              "crowded_latency_s": 0, "call_s": 0, "cache_bytes": 0, "miss_s_per_byte": 0, "nics_per_node": 0,
              "oversubscription": 1}}})");
    const auto predicted = [&](const std::string& how) {
        const auto r = command("bench --transport shared_memory --ranks 2 --algorithm auto,ring -b 64K -e 64K -n 2 "
                               "--machine " +
                               machine + " --json " + here.path("rows.json") + how);
        INFO(r.output);
        CHECK(r.status == 0);
        const std::string text = here.read("rows.json");
        CHECK(occurrences(text, "\"predicted_us\":") == 4);
        return 4 - occurrences(text, "\"predicted_us\":null");
    };
    CHECK(predicted("") == 4);
    CHECK(predicted(" --memory symmetric") == 0);
}

TEST_CASE("ranks that a launcher started take part") {
    const auto r = command("run -n 3 $TUTTI_COMMAND bench -b 1K -e 1K -n 20 --operation all");
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("[0] # wrong elements: 0\n"));
    CHECK_THAT(r.output, Contains("after a barrier of the library itself"));
    const auto other = command("run -n 2 $TUTTI_COMMAND bench --ranks 3 -b 1K -e 1K -n 20");
    CHECK(other.status == 2);
    CHECK_THAT(other.output, Contains("--ranks 3 was asked for, but the launcher started 2"));
}

TEST_CASE("of the threads and GPUs that nccl-tests takes one each will do, and --ranks says how many ranks") {
    CHECK(command("bench --transport memory --ranks 2 -b 8 -e 8 -n 1 -g 1 -t 1").status == 0);
    for (const char* option : {"-g 8", "-t 2", "--ngpus 4"}) {
        const auto r = command(std::string("bench ") + option);
        CHECK(r.status == 2);
        CHECK_THAT(r.output, Contains("--ranks says how many ranks"));
    }
}

TEST_CASE("a median of one or two iterations is marked") {
    CHECK_THAT(command("bench --transport memory --ranks 2 -b 8 -e 8 -n 2").output, Contains(" ~"));
    CHECK_THAT(command("bench --transport memory --ranks 2 -b 8 -e 8 -n 3").output, !Contains(" ~"));
    CHECK_THAT(command("bench --transport memory --ranks 2 -b 8 -e 8 -n 1").output, Contains(", 1 iteration a row"));
}

TEST_CASE("more threads than cores are warned of where overlap is measured") {
    const auto warned = [](const std::string& more) {
        return command("bench --transport memory --ranks 200 -b 8 -e 8 -n 1 " + more).output;
    };
    CHECK_THAT(warned("--overlap"), Contains("# warning: 200 ranks share "));
    CHECK_THAT(warned(""), !Contains("# warning"));
}

TEST_CASE("a file that cannot be written is told before ranks start, who would miss each other then") {
    for (const char* option : {"--json", "--trace"}) {
        const auto r = command(std::string("bench --ranks 2 -b 8 -e 8 ") + option + " /nowhere/file");
        INFO(r.output);
        CHECK(r.status == 1);
        CHECK(r.output == "tutti: cannot write /nowhere/file: No such file or directory\n");
    }
}

TEST_CASE("flags of other benchmarks that mean something else here are told with ours") {
    const auto refused = [](const char* arguments, const char* words) {
        const auto r = command(std::string("bench ") + arguments);
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 2);
        CHECK_THAT(r.output, Contains(words));
    };
    refused("--operation latency -m 8:4K -i 100", "beside -m as of OSU write -n for iterations");
    refused("-i 100 -x 10", "beside -x as of OSU write -n for iterations");
    refused("-i 0", "a step of no bytes leads nowhere");
    refused("-iter 100", "-iter is of the Intel MPI benchmarks: here it is -n N");
    refused("-msglog 3:10", "-msglog 3:10 is -m 8:1K");
    CHECK(command("bench --transport memory --ranks 2 -b 8 -e 24 -i 8 -w 1 -n 1").status == 0);
    CHECK(command("bench --transport memory --ranks 2 -m 8:8 -x 1 -n 1").status == 0);
}

TEST_CASE("a launcher of one process makes a world of one, unless more are asked for or it gives a shell") {
    const auto ranks_of = [](const char* environment, const char* arguments) {
        const auto r = command(std::string("bench --transport shared_memory -b 8 -e 8 -n 1 ") + arguments,
                               std::string("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 ") + environment);
        INFO(r.output);
        CHECK(r.status == 0);
        return r.output.substr(0, r.output.find(" over"));
    };
    CHECK(ranks_of("", "") == "# tutti bench: 1 rank");
    CHECK(ranks_of("", "--ranks 2") == "# tutti bench: 2 ranks");
    CHECK(ranks_of("SLURM_PTY_PORT=1", "") == "# tutti bench: 4 ranks");
}

TEST_CASE("what makes no sense is refused before anything is started, with 2") {
    const auto refused = [](const char* arguments, const char* words) {
        const auto r = command(std::string("bench ") + arguments);
        INFO(arguments << "\n" << r.output);
        CHECK(r.status == 2);
        CHECK_THAT(r.output, Contains(words));
        CHECK(r.output.starts_with("tutti: "));
    };
    refused("--operation shuffle", "there is no operation 'shuffle'; choose one of allreduce");
    refused("--algorithm rinq", "there is no algorithm \"rinq\" (did you mean ring?); choose one of naive");
    refused("--operation broadcast --algorithm ring",
            "ring has no broadcast, but allreduce, reduce_scatter, allgather: pass --operation "
            "allreduce, or choose one of naive");
    refused("-d float128", "there is no type 'float128' (did you mean float16?); choose one of int8");
    refused("-o mean", "there is no operator 'mean'; choose one of sum");
    refused("-d float32 -o bitwise_and", "nothing to measure: --op bitwise_and is not for elements of --type float32");
    refused("-d int32 -o average", "nothing to measure: --op average is not for elements of --type int32");
    refused("--operation broadcast --place out", "nothing to measure: broadcast has no place out");
    refused("--operation pingpong --place in --pairs 1", "nothing to measure: pingpong has no place in");
    refused("--operation matrix --ranks 1", "nothing to measure: messages are between two ranks at least");
    refused("--operation gatherv --algorithm binomial_tree", "gatherv has none of --algorithm binomial_tree: take all");
    refused("--operation gatherv --algorithm ring", "nothing to measure: gatherv has none of --algorithm ring");
    refused("--operation broadcast,allreduce --place out --algorithm scatter_allgather",
            "broadcast,allreduce has no place out by --algorithm scatter_allgather");
    refused("--operation scan --op average --type int32,float32", "no row has all that these options say");
    for (const char* const wrapped : {"-c -1", "-w -1", "-x -1", "-c 99999999999999999999"})
        refused(wrapped, "not in range");
    refused("--operation pingpong --trace trace.json", "--trace is of collective operations");
    refused("--operation pingpong,stream --algorithm ring", "--algorithm is of collective operations");
    refused("-r 1", "--root is for operations that have one, such as --operation broadcast");
    refused("--operation pingpong -r all", "--root is for operations that have one");
    refused("--pairs 1", "--pairs is for messages of pairs of ranks, such as --operation pingpong");
    refused("--operation sendrecv,matrix --pairs 1", "--pairs is for messages of pairs of ranks");
    refused("--transport shared_memory --lanes 4", "--lanes is for what goes over tcp: --transport tcp, routed");
    refused("--transport tcp --lend-bytes 4K", "--lend-bytes is for what goes over shared memory: --transport shared");
    refused("--transport memory --lend-bytes 4K", "--lend-bytes is for what goes over shared memory");
    refused("--place here", "here");
    refused("-b 4X", "'4X' is no size");
    refused("-b 8 -e 4", "the smallest size is above the largest");
    refused("--ranks 2 --root 2", "there is no root 2 among 2 ranks");
    refused("--transport pigeon", "pigeon");
    refused("-n 3 --seconds 1", "xcludes");
    refused("--imbalance soon", "'soon' is no time: write it as in 10us");
    refused("--imbalance 2ms..1ms", "'2ms..1ms' ends before it begins");
    refused("--imbalance 1ms --ranks 1", "--imbalance is between ranks");
    refused("--imbalance 1ms --overlap", "--imbalance has a timing of its own: no --timing");
    refused("--imbalance 1ms --operation pingpong", "--imbalance is of calls that all ranks make together");
    refused("--behind 3", "requires --imbalance");
    refused("--cold --timing loop", "--cold sweeps the caches before each call: with --timing barrier");
    refused("--memory heap", "'heap' is none of them; choose one of vector,page,symmetric");
    refused("--offset 30", "--offset 30 is no multiple of float32's 4 bytes");
    refused("--offset 32 --memory vector", "--offset is for --memory page: where a buffer begins in its page");
    refused("--offset some", "'some' is no size");
    refused("--operation broadcast --root -1", "'-1' is no list of roots: write 0, or 0,2, or all");
    refused("--operation stream --pairs x", "'x' is no list of numbers of pairs: write 1, or 1,2, or all");
    refused("--ranks 2 -b 1T -e 1T", "input and output of 2 ranks take 4 TiB, and this host has ");
}

TEST_CASE("the bench over CUDA IPC says why it cannot be: no GPU, or a command without CUDA") {
    const auto r = command("bench --transport cuda_ipc --ranks 2 -b 8 -e 8", "CUDA_VISIBLE_DEVICES=");
#if defined(TUTTI_BENCH_HAS_CUDA)
    CHECK(r.status == 1);
    CHECK_THAT(r.output, Contains("this rank has no GPU: cudaGetDeviceCount: ") && Contains("nvidia-smi"));
#else
    CHECK(r.status == 2);
    CHECK_THAT(r.output, Contains("this command was built without CUDA"));
#endif
}

TEST_CASE("what has no kernel on a GPU, or no meaning there, is refused before anything starts") {
    const auto refused = [](const std::string& arguments, const std::string& why) {
        const auto r = command("bench --transport cuda_ipc --ranks 2 -b 8 -e 8 " + arguments);
        CHECK(r.status == 2);
        CHECK_THAT(r.output, Contains(why));
    };
    refused("-d int8", "allreduce: GPUs have no kernel for this type and operator");
    refused("-d int32 -o bitwise_and", "allreduce: GPUs have no kernel for this type and operator");
    refused("--operation all,pingpong", "messages between two ranks do not take data of a GPU");
    refused("--cold", "--cold, --memory and --offset are for data of the host");
    refused("--memory symmetric", "--cold, --memory and --offset are for data of the host, not over cuda_ipc");
    refused("--offset 64", "--cold, --memory and --offset are for data of the host");
}

TEST_CASE("who reads no further ends the bench without a word, of a table and of files to standard output") {
    for (const char* how : {"", " --json -", " --csv -", " --transport memory"}) {
        const tools_test::outcome r =
            tools_test::shell("{ timeout -k 5 60 $TUTTI_COMMAND bench --ranks 2 -b 8 -e 1M -n 20" + std::string(how) +
                              "; echo status $? >&2; } | head -n 1");
        INFO(how << "\n" << r.output);
        CHECK(occurrences(r.output, "\n") == 2); // what head took, and the status
        CHECK_THAT(r.output, Contains("status 141"));
    }
}

TEST_CASE("columns stay columns: each row has as many words as the heading has names, whatever these are") {
    const auto r = command("bench --transport memory --ranks 8 --operation allreduce,pingpong -b 8 -e 64 -n 2 "
                           "-d float8_e4m3,int8 -o premultiplied_sum,sum --algorithm auto,hierarchical:direct:direct");
    CHECK(r.status == 0);
    const auto words = [](const std::string& line) {
        std::istringstream in(line);
        return std::distance(std::istream_iterator<std::string>(in), {});
    };
    std::istringstream lines(r.output);
    std::ptrdiff_t names = 0;
    std::size_t end_of_place = 0, rows = 0;
    for (std::string line; std::getline(lines, line);) {
        if (const std::size_t at = line.find(" place "); at != line.npos) {
            names = words(line);
            end_of_place = at + 6;
        } else if (!line.starts_with('#') && line.find("float8_e4m3") != line.npos) {
            INFO(line);
            CHECK(words(line) == names);
            CHECK((line.substr(end_of_place - 4, 5) == " out " || line.substr(end_of_place - 3, 4) == " in "));
            ++rows;
        }
    }
    CHECK(rows > 8);
}

TEST_CASE("figures in JSON are what was measured: times of iterations in steps of a nanosecond") {
    const folder here;
    REQUIRE(command("bench --transport memory --ranks 2 -b 8 -e 64K -n 20 --json " + here.path("rows.json")).status ==
            0);
    const std::string text = here.read("rows.json");
    for (const char* key : {"min_us", "p50_us", "max_us"})
        for (std::size_t at = 0; (at = text.find('"' + std::string(key) + "\":", at)) != text.npos; ++at) {
            const std::string number =
                text.substr(at + std::string(key).size() + 3, text.find(',', at) - at - std::string(key).size() - 3);
            INFO(key << " " << number);
            CHECK(number.size() - std::min(number.find('.'), number.size() - 1) <= 4); // ".591"
        }
}

TEST_CASE("ranks of one host go over shared memory, those of a launcher over what routed takes") {
    CHECK_THAT(command("bench --ranks 2 -b 8 -e 8 -n 1").output, Contains("2 ranks over shared_memory"));
    CHECK_THAT(command("bench --ranks 2 -b 8 -e 8 -n 1 --lanes 2").output, Contains("2 ranks over tcp"));
    CHECK_THAT(command("run -n 2 $TUTTI_COMMAND bench -b 8 -e 8 -n 1").output, Contains("2 ranks over routed"));
}

TEST_CASE("without an RDMA device, that is what --transport verbs says") {
    if (std::filesystem::exists("/sys/class/infiniband")) return; // there may be one
    const auto r = command("bench --transport verbs --ranks 2 -b 8 -e 8 -n 1");
    CHECK(r.status == 2);
    CHECK_THAT(r.output, Contains("this host has no active RDMA device") || Contains("built without RDMA"));
}
