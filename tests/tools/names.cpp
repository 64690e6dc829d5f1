// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/common/aliases.hpp"
#include "../../tools/tutti/common/nearest.hpp"

#include "support/catch.hpp"

#include <string>
#include <vector>

using namespace tutti::tools;
using known_names = std::vector<std::string>;

TEST_CASE("edits are letters inserted, removed, replaced or swapped") {
    CHECK(edits("ring", "ring") == 0);
    CHECK(edits("", "ring") == 4);
    CHECK(edits("rng", "ring") == 1);
    CHECK(edits("riing", "ring") == 1);
    CHECK(edits("rinq", "ring") == 1);
    CHECK(edits("rign", "ring") == 1);
    CHECK(edits("kitten", "sitting") == 3);
    CHECK(edits("ca", "abc") == 3); // no letter is edited twice
}

TEST_CASE("the nearest name is told, however words are joined, and none where all are far") {
    const known_names options{"--iterations", "--warm-up", "--min-bytes", "-n", "--rounds"};
    CHECK(nearest("--interations", options) == "--iterations");
    CHECK(nearest("--iter", options) == "--iterations"); // a beginning
    CHECK(nearest("--warmup", options) == "--warm-up");
    CHECK(nearest("--min_byte", options) == "--min-bytes");
    CHECK(!nearest("--colour", options));
    CHECK(!nearest("", options));
    CHECK(nearest("RING", known_names{"naive", "ring"}) == "ring");
    CHECK(!nearest("shuffle", known_names{"allreduce", "reduce", "scatter"}));
    CHECK(!nearest("x", known_names{"y"})); // nothing of it is right
}

TEST_CASE("names of other libraries are known, in any case, and strangers stay as they are written") {
    const auto operation = [](std::string_view word) {
        return our_name(word, operation_aliases, known_names{"allreduce", "broadcast", "pingpong", "stream"});
    };
    CHECK(operation("all_reduce") == "allreduce");
    CHECK(operation("all_reduce_perf") == "allreduce");
    CHECK(operation("MPI_Bcast") == "broadcast");
    CHECK(operation("osu_latency") == "pingpong");
    CHECK(operation("PingPong") == "pingpong");
    CHECK(operation("allreduce") == "allreduce");
    CHECK(operation("Shuffle") == "Shuffle");
    const known_names types{"float32", "float16", "int32"};
    CHECK(our_name("float", type_aliases, types) == "float32");
    CHECK(our_name("MPI_FLOAT", type_aliases, types) == "float32");
    CHECK(our_name("half", type_aliases, types) == "float16");
    CHECK(our_name("float128", type_aliases, types) == "float128");
    CHECK(our_name("MPI_MAX", operator_aliases, known_names{"maximum"}) == "maximum");
}
