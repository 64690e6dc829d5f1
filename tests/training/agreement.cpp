// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/agreement.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/world.hpp"

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

} // namespace tutti::test::agreement
