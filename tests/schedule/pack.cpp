// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/pack.hpp>

#include <collectives/schedule/lowering/lower.hpp>
#include <collectives/schedule/lowering/plan.hpp>

#include "hand_made.hpp"

using namespace tutti::schedule;
using namespace tutti::test;

TEST_CASE("without joined steps nothing is changed") {
    const steps list{send(1, in(0)), receive_reduce(1, in(1), out(1), side::left), copy(in(2), bank(3, 2))};
    CHECK(packed(list) == list);
}

TEST_CASE("parts are copied into banks of their own before they are sent") {
    const steps list{joined(send(1, out(2, 2))), joined(send(1, in(0))), send(1, bank(4, 1)), send(1, in(0))};
    CHECK(packed(list) == steps{copy(out(2, 2), bank(5, 2, 2)), copy(in(0), bank(6, 0)), copy(bank(4, 1), bank(7, 1)),
                                joined(send(1, bank(5, 2, 2))), joined(send(1, bank(6, 0))), send(1, bank(7, 1)),
                                send(1, in(0))});
}

TEST_CASE("parts land in banks of their own, and are copied or reduced from there") {
    const steps list{joined(receive(2, out(3))), joined(receive_reduce(2, out(0), out(0), side::left)),
                     joined(receive_reduce(2, in(1), out(1), side::left)),
                     receive_reduce(2, in(2), out(2), side::right)};
    CHECK(packed(list) == steps{joined(receive(2, bank(0, 3))), joined(receive(2, bank(1, 0))),
                                joined(receive(2, bank(2, 1))), receive(2, bank(3, 2)), copy(bank(0, 3), out(3)),
                                reduce(bank(1, 0), out(0), side::left), combine({bank(2, 1), in(1)}, out(1)),
                                combine({in(2), bank(3, 2)}, out(2))});
}

TEST_CASE("parts that lie one after the other stay where they are") {
    const steps in_a_row{joined(receive(1, bank(0, 5))), receive(1, bank(1, 2)), joined(send(2, bank(0, 5))),
                         send(2, bank(1, 2))};
    CHECK(packed(in_a_row) == in_a_row);
    steps wider = in_a_row; // bank 0 holds more than the part
    wider.push_back(copy(in(6), bank(0, 6)));
    CHECK(packed(wider).size() == wider.size() + 4);
    const steps turned{joined(send(2, bank(1, 2))), send(2, bank(0, 5))};
    CHECK(packed(turned).size() == 4);
    const steps reduced{joined(receive_reduce(1, bank(0, 5), bank(0, 5), side::left)), receive(1, bank(1, 2))};
    CHECK(packed(reduced).size() == 4);
}

TEST_CASE("a plan starts each message once") {
    const steps list{joined(send(1, in(1))), send(1, in(0)), copy(in(0), out(0))};
    const plan p = compile(operation::allreduce, {0, 2, 0, false}, 2, 1, packed(list));
    CHECK(p.steps.size() == 5);
    CHECK(p.starts == 4);
    CHECK(p.ready == std::vector<std::uint32_t>{0, 1, 4});
    CHECK(p.windows.size() == 4);
}

TEST_CASE("what is packed can be lowered, and lowering packs") {
    const steps list{joined(receive_reduce(1, in(0), out(0), side::left)),
                     receive_reduce(1, in(1), out(1), side::left)};
    CHECK(lowered(list, false) == packed(list));
}

TEST_CASE("more parts than scratch banks can be numbered are refused") {
    static_assert(can_be_packed({send(1, in(0))}));
    steps list;
    for (int k = 0; k < 65'534; ++k) list.push_back(joined(send(1, in(0))));
    list.back().joined = false;
    CHECK(can_be_packed(list));
    CHECK_FALSE(can_be_lowered(list));
    list.front() = joined(send(1, bank(0)));
    CHECK_FALSE(can_be_packed(list));
}
