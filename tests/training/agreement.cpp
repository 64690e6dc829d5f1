// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/buckets/agreement.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace tutti::test::agreement {
namespace {

using lines = std::vector<std::string>;

/// Rank `odd` has one list, the others another; every rank is told the same, and the world goes on.
void expect_told(int size, int odd, const lines& its, const lines& others, const std::string& sentence) {
    run_world(size, [&](const communicator& world) {
        const auto f = fault_of([&] {
            training::detail::require_same_lines(world, "the call", world.rank() == odd ? its : others, "do it");
        });
        expect(f.why == cause::mismatch, message_of(f));
        expect(has(message_of(f), sentence), "'" + sentence + "' in: " + message_of(f));
        world.barrier();
    });
}

} // namespace

TEST_CASE("equal lists are no error") {
    for (const int size : {1, 2, 5})
        run_world(size, [](const communicator& world) {
            training::detail::require_same_lines(world, "the call", {"a", "b"}, "do it");
            training::detail::require_same_lines(world, "the call", {}, "do it");
        });
}

TEST_CASE("every rank is told the first line that differs, and both ranks") {
    expect_told(3, 2, {"a", "x", "c"}, {"a", "b", "d"}, "rank 0 has \"b\" where rank 2 has \"x\"");
    expect_told(4, 0, {"a", "x", "c"}, {"a", "b", "c"}, "rank 0 has \"x\" where rank 1 has \"b\"");
    expect_told(2, 1, {"a"}, {"a", "b"}, "rank 0 has \"b\" where rank 1 has nothing");
    expect_told(2, 0, {}, {"a"}, "rank 0 has nothing where rank 1 has \"a\"");
    expect_told(2, 1, {"ab"}, {"a"}, "rank 0 has \"a\" where rank 1 has \"ab\"");
}

TEST_CASE("ranks of a part of the world are named by their ranks in all of it") {
    run_world(4, [](const communicator& world) {
        const communicator odd = world.split(world.rank() % 2);
        if (world.rank() % 2 == 0) return;
        const auto f = fault_of(
            [&] { training::detail::require_same_lines(odd, "the call", {world.rank() == 3 ? "x" : "a"}, "do it"); });
        expect(f.peer == 3, message_of(f));
        expect(has(message_of(f), "rank 1 has \"a\" where rank 3 has \"x\""), message_of(f));
    });
}

TEST_CASE("all ranks that differ from rank 0 are named") {
    run_world(5, [](const communicator& world) {
        const bool odd = world.rank() == 2 || world.rank() == 4;
        const auto f =
            fault_of([&] { training::detail::require_same_lines(world, "the call", {odd ? "x" : "a"}, "do it"); });
        expect(has(message_of(f), "where rank 2 has \"x\"; ranks 2 and 4 differ from rank 0"), message_of(f));
    });
    run_world(12, [](const communicator& world) {
        const std::string own = std::to_string(world.rank());
        const auto f = fault_of([&] { training::detail::require_same_lines(world, "the call", {own}, "do it"); });
        expect(has(message_of(f), "; ranks 1, 2, 3, 4, 5, 6, 7, 8 and 3 more differ from rank 0"), message_of(f));
    });
}

TEST_CASE("a hash of floats is of their bits, their places and their number") {
    const auto hash = [](const std::vector<float>& of) { return training::detail::hash_of(of); };
    for (const std::size_t count : {1U, 4U, 5U, 11U}) {
        const std::vector<float> zeros(count);
        CHECK(hash(zeros) == hash(zeros));
        CHECK(hash(zeros) != hash(std::vector<float>(count + 1)));
        std::vector<std::uint64_t> seen{hash(zeros)};
        for (std::size_t i = 0; i < count; ++i)
            for (const float x : {-0.0F, 1.0F, -1.0F}) {
                std::vector<float> other = zeros;
                other[i] = x;
                seen.push_back(hash(other));
            }
        std::ranges::sort(seen);
        CHECK(std::ranges::adjacent_find(seen) == seen.end());
    }
}

} // namespace tutti::test::agreement
