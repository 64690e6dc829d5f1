// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/lower.hpp>

#include <collectives/schedule/lowering/places.hpp>

#include "hand_made.hpp"

#include <cstddef>

using namespace tutti::schedule;
using namespace tutti::test;

namespace {

constexpr place landing(int number, int first, int count = 1) { return {scratch(number), first, count}; }

} // namespace

TEST_CASE("what is reduced into other memory lands there, and its operands keep their sides") {
    const steps list{receive_reduce(3, in(1), out(1), side::right), receive_reduce(3, in(2), out(2), side::left)};
    CHECK(lowered(list, false) == steps{receive(3, out(1)), reduce(in(1), out(1), side::left), receive(3, out(2)),
                                        reduce(in(2), out(2), side::right)});
}

TEST_CASE("what is reduced in place lands in scratch; in place, input and output are one memory") {
    const steps list{receive_reduce(3, in(1), out(1), side::right), receive_reduce(2, out(1), out(1), side::left)};
    CHECK(lowered(list, true) == steps{receive(3, landing(0, 1)), reduce(landing(0, 1), out(1), side::right),
                                       receive(2, landing(0, 1)), reduce(landing(0, 1), out(1), side::left)});
    CHECK(lowered(list, false) == steps{receive(3, out(1)), reduce(in(1), out(1), side::left),
                                        receive(2, landing(0, 1)), reduce(landing(0, 1), out(1), side::left)});
}

TEST_CASE("each buffer that is reduced into has a landing bank of its own, behind the banks of the algorithm") {
    const steps list{receive_reduce(1, bank(4, 0, 2), bank(4, 0, 2), side::right),
                     receive_reduce(2, out(0), out(0), side::right),
                     receive_reduce(3, bank(4, 1), bank(4, 1), side::right), send(1, bank(4))};
    const steps made = lowered(list, true);
    CHECK(made[0] == receive(1, landing(5, 0, 2)));
    CHECK(made[2] == receive(2, landing(6, 0)));
    CHECK(made[4] == receive(3, landing(5, 1)));
    CHECK(made.back() == list.back());
}

TEST_CASE("scratch grows by no more than the chunks that are reduced into") {
    steps list;
    for (int c = 10; c < 20; ++c) list.push_back(receive_reduce(1, out(c), out(c), side::right));
    for (int c = 15; c < 20; ++c) list.push_back(receive_reduce(2, out(c), out(c), side::right));
    const auto windows = scratch_windows(lowered(list, true));
    REQUIRE(windows.size() == 3);
    CHECK(windows[2] == chunk_range{10, 20});
}

TEST_CASE("all other steps stay as they are") {
    const steps list{send(1, in(0)), receive(1, out(0)), copy(in(0), bank(0)), reduce(bank(0), out(0), side::left),
                     combine({in(0), bank(0)}, out(0))};
    CHECK(lowered(list, false) == list);
    CHECK(lowered(list, true) == list);
}

TEST_CASE("what is proven stays proven when it is lowered, on all ranks or on some") {
    const program whole = swap_and_reduce();
    const proof found = accepted(lowered(whole));
    CHECK(found.preserves_order);
    for (const std::size_t r : {0u, 1u}) {
        program mixed = whole;
        mixed.ranks[r] = lowered(whole.ranks[r], whole.in_place);
        accepted(mixed);
    }
    static_assert(can_be_lowered({send(1, in(0))}));
    CHECK_FALSE(can_be_lowered({send(1, bank(40'000))}));
}
