// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/verify/own_step.hpp>

#include <collectives/algorithm/direct.hpp>
#include <collectives/algorithm/emit.hpp>
#include <collectives/algorithm/ring.hpp>

#include "hand_made.hpp"

#include <string>

using namespace tutti::schedule;
using namespace tutti::test;
using tutti::algorithm::write;

namespace {

std::string told(const program& p, int rank, int step) { return in_words(detail::own_step_of(p, rank, step)); }

} // namespace

TEST_CASE("steps of a list that was written by hand are counted as they stand there") {
    CHECK(told(swap_and_reduce(), 0, 0) == "step 0 (send chunk 0 of input to rank 1)");
    CHECK(told(swap_and_reduce(), 1, 1) ==
          "step 1 (receive chunk 0 from rank 0, reduce it with input into output, incoming left)");
}

TEST_CASE("the copy that the library puts first is not counted among an algorithm's steps") {
    const program apart = write(tutti::algorithm::ring{}, operation::allgather, 3);
    CHECK(told(apart, 1, 0) == "before its first step (copy chunk 1 of input to output)");
    CHECK(told(apart, 1, 1) == "step 0 (send chunk 1 of output to rank 2)");
    const program in_place = write(tutti::algorithm::ring{}, operation::allgather, 3, 0, true);
    CHECK(told(in_place, 1, 0) == "step 0 (send chunk 1 of output to rank 2)");
    CHECK(told(write(tutti::algorithm::ring{}, operation::allreduce, 1), 0, 0) ==
          "before its first step (copy chunk 0 of input to output)");
}

TEST_CASE("each half of an allreduce counts its own steps") {
    const program p = write(tutti::algorithm::ring{}, operation::allreduce, 3);
    CHECK(told(p, 0, 3).find("step 3 of the reduce_scatter (") == 0);
    CHECK(told(p, 0, 4).find("step 0 of the allgather (") == 0);
    CHECK(told(p, 0, 7).find("step 3 of the allgather (") == 0);
}

TEST_CASE("a step that was cut into segments is the step that was cut") {
    const program whole = write(tutti::algorithm::direct{}, operation::allreduce, 4);
    const program cut = write(tutti::algorithm::direct{}, operation::allreduce, 4, 0, false, 3);
    for (int rank = 0; rank < 4; ++rank)
        for (int i = 0; i < static_cast<int>(cut.ranks[static_cast<std::size_t>(rank)].size()); ++i) {
            const own_step mine = detail::own_step_of(cut, rank, i), same = detail::own_step_of(whole, rank, i / 3);
            CHECK((mine.number == same.number && mine.what == same.what && mine.half == same.half));
            CHECK((mine.segment == i % 3 && mine.segments == 3));
        }
    CHECK(told(cut, 0, 1) == "step 0 of the reduce_scatter (send chunk 1 of input to rank 1, segment 2 of 3)");
}

TEST_CASE("a flaw of an algorithm names the step and the chunks as the algorithm has emitted them") {
    program p = write(tutti::algorithm::ring{}, operation::allgather, 4, 0, false, 2);
    p.ranks[2].pop_back();
    CHECK(
        verify(p).message() ==
        "rank 1, step 4 (send chunk 3 of output to rank 2, segment 2 of 2) never completes: rank 2 never receives it");
}
