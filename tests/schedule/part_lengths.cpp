// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/cut.hpp>

#include "support/catch.hpp"

#include <cstddef>
#include <random>
#include <vector>

using namespace tutti::schedule;

namespace {

std::vector<std::size_t> drawn(int ranks, std::minstd_rand& dice) {
    std::vector<std::size_t> counts;
    for (int r = 0; r < ranks; ++r) counts.push_back(dice() % 3 == 0 ? 0 : dice() % 9);
    return counts;
}

} // namespace

TEST_CASE("parts of unequal length follow each other, and each is cut into even pieces") {
    std::minstd_rand dice(1);
    for (int ranks = 1; ranks <= 6; ++ranks)
        for (int segments = 1; segments <= 3; ++segments) {
            const std::vector<std::size_t> counts = drawn(ranks, dice);
            const part_lengths lengths(counts, true);
            const layout cut = cut_of(operation::allgather, ranks, ranks, segments, 0, &lengths);
            std::size_t before = 0;
            for (int r = 0; r < ranks; ++r) {
                const std::size_t n = counts[static_cast<std::size_t>(r)];
                CHECK(cut.bound(r * segments) == before);
                for (int piece = 0; piece < segments; ++piece) {
                    const std::size_t length = cut.bound(r * segments + piece + 1) - cut.bound(r * segments + piece);
                    CHECK(length >= n / static_cast<std::size_t>(segments));
                    CHECK(length <= n / static_cast<std::size_t>(segments) + 1);
                }
                before += n;
            }
            CHECK(cut.bound(ranks * segments) == before);
        }
}

TEST_CASE("a rank of an alltoall knows the blocks to it and from it, and where they lie") {
    std::minstd_rand dice(2);
    for (int ranks = 1; ranks <= 6; ++ranks)
        for (int rank = 0; rank < ranks; ++rank) {
            const auto me = static_cast<std::size_t>(rank);
            const std::vector<std::size_t> sent = drawn(ranks, dice);
            std::vector<std::size_t> received = drawn(ranks, dice);
            received[me] = sent[me];
            const part_lengths lengths(rank, sent, received);
            const layout cut = cut_of(operation::alltoall, ranks, ranks * ranks, 1, 0, &lengths);
            const position at{rank, ranks};
            const chunk_window in = window(operation::alltoall, at, buffer::input, ranks * ranks);
            const chunk_window out = window(operation::alltoall, at, buffer::output, ranks * ranks);
            std::size_t to_lower = 0, from_lower = 0;
            for (int q = 0; q < ranks; ++q) {
                const int to = q * ranks + rank, from = rank * ranks + q;
                CHECK(cut.bound(to + 1) - cut.bound(to) == sent[static_cast<std::size_t>(q)]);
                CHECK(cut.bound(from + 1) - cut.bound(from) == received[static_cast<std::size_t>(q)]);
                CHECK(offset_of(cut, in, to) == to_lower);
                CHECK(offset_of(cut, out, from) == from_lower);
                to_lower += sent[static_cast<std::size_t>(q)];
                from_lower += received[static_cast<std::size_t>(q)];
            }
            CHECK(elements_of(cut, in) == to_lower);
            CHECK(elements_of(cut, out) == from_lower);
        }
}

TEST_CASE("lengths that all ranks know are part of what a call means; those that only owners know are not") {
    const std::vector<std::size_t> some{1, 2}, others{2, 1}, more{1, 2, 0};
    CHECK(part_lengths(some, true).meaning() == part_lengths(some, true).meaning());
    CHECK(part_lengths(some, true).meaning() != part_lengths(others, true).meaning());
    CHECK(part_lengths(some, true).meaning() != part_lengths(more, true).meaning());
    CHECK(part_lengths(some, false).meaning() == part_lengths(others, false).meaning());
    CHECK(part_lengths(0, some, others).meaning() == part_lengths(some, false).meaning());
    CHECK(part_lengths(1, 2, 7).meaning() == part_lengths(some, false).meaning());
}

TEST_CASE("a rank that knows its own part only finds it at the beginning of its buffer") {
    const part_lengths lengths(2, 4, 7);
    for (std::size_t part = 0; part <= 4; ++part) CHECK(lengths.before(part) == (part <= 2 ? 0 : 7));
    CHECK(lengths.in_words() == "in a part of 7");
    CHECK(part_lengths(std::vector<std::size_t>(20, 1), true).in_words() == "in parts of 1, 1, 1, 1, 1, 1, 1, 1, ...");
}
