// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/step.hpp>

#include "support/catch.hpp"

#include <array>
#include <span>

using namespace tutti::schedule;

namespace {

constexpr place here{buffer::input, 1, 2}, there{buffer::output, 1, 2};
constexpr step sending = send(3, here), receiving = receive(3, there),
               reducing_on_arrival = receive_reduce(3, here, there, side::left), copying = copy(here, there),
               reducing = reduce(here, there, side::right);

} // namespace

TEST_CASE("an action has the name that it has in the code") {
    STATIC_REQUIRE(name_of(action::send) == "send");
    STATIC_REQUIRE(name_of(action::receive_reduce) == "receive_reduce");
    STATIC_REQUIRE(name_of(action::copy) == "copy");
    STATIC_REQUIRE(name_of(action::reduce_many) == "reduce_many");
}

TEST_CASE("a send hands its place to the peer and changes nothing here") {
    STATIC_REQUIRE(sending == step{action::send, side::right, 3, here, {}});
    STATIC_REQUIRE((sends(sending) && !receives(sending) && communicates(sending)));
    STATIC_REQUIRE((reads_from(sending) && !reads_to(sending) && !writes_to(sending)));
    STATIC_REQUIRE(width(sending) == 2);
}

TEST_CASE("a receive overwrites its place and reads nothing") {
    STATIC_REQUIRE(receiving == step{action::receive, side::right, 3, {}, there});
    STATIC_REQUIRE((!sends(receiving) && receives(receiving) && communicates(receiving)));
    STATIC_REQUIRE((!reads_from(receiving) && !reads_to(receiving) && writes_to(receiving)));
    STATIC_REQUIRE(width(receiving) == 2);
}

TEST_CASE("a receive_reduce combines the incoming with from into to, the incoming on the side that it names") {
    STATIC_REQUIRE(reducing_on_arrival == step{action::receive_reduce, side::left, 3, here, there});
    STATIC_REQUIRE((receives(reducing_on_arrival) && communicates(reducing_on_arrival)));
    STATIC_REQUIRE((reads_from(reducing_on_arrival) && !reads_to(reducing_on_arrival)));
    STATIC_REQUIRE(writes_to(reducing_on_arrival));
    STATIC_REQUIRE(width(reducing_on_arrival) == 2);
}

TEST_CASE("copy and reduce stay on the rank; only reduce reads where it writes") {
    STATIC_REQUIRE(copying == step{action::copy, side::right, -1, here, there});
    STATIC_REQUIRE(reducing == step{action::reduce, side::right, -1, here, there});
    STATIC_REQUIRE((!communicates(copying) && !communicates(reducing)));
    STATIC_REQUIRE((reads_from(copying) && !reads_to(copying) && writes_to(copying)));
    STATIC_REQUIRE((reads_from(reducing) && reads_to(reducing) && writes_to(reducing)));
    STATIC_REQUIRE((width(copying) == 2 && width(reducing) == 2));
}

TEST_CASE("a reduce_many reads one range of chunks in several buffers, from 2 to 8") {
    constexpr std::array banks{scratch(4), buffer::output, scratch(0)};
    constexpr step many = reduce_many(here, banks, there);
    STATIC_REQUIRE((!communicates(many) && reads_from(many) && !reads_to(many) && writes_to(many)));
    STATIC_REQUIRE((width(many) == 2 && sources(many) == 4));
    STATIC_REQUIRE(source(many, 0) == here);
    STATIC_REQUIRE(source(many, 1) == place{scratch(4), 1, 2});
    STATIC_REQUIRE(source(many, 2) == place{buffer::output, 1, 2});
    STATIC_REQUIRE(source(many, 3) == place{scratch(0), 1, 2});
    STATIC_REQUIRE(many != reduce_many(here, std::span(banks).first(2), there));
    STATIC_REQUIRE((sources(reducing) == 1 && source(reducing, 0) == here && sources(sending) == 1));
    STATIC_REQUIRE((sources(receiving) == 0 && sources(reducing_on_arrival) == 1));
}

TEST_CASE("a reduce_many of too many operands stays recognisable as one") {
    constexpr std::array<buffer, 9> banks{};
    STATIC_REQUIRE(reduce_many(here, std::span(banks).first(7), there).extra == 7);
    STATIC_REQUIRE(reduce_many(here, std::span(banks).first(8), there).extra == 8);
    STATIC_REQUIRE(reduce_many(here, banks, there).extra == 8);
    STATIC_REQUIRE(reduce_many(here, {}, there).extra == 0);
}

TEST_CASE("scratch banks are numbered after input and output, up to 65,533") {
    STATIC_REQUIRE(scratch(0) == buffer::first_scratch);
    STATIC_REQUIRE((index_of(buffer::input) == 0 && index_of(buffer::output) == 1));
    STATIC_REQUIRE(index_of(scratch(7)) == 9);
    STATIC_REQUIRE(index_of(scratch(65'533)) == 65'535);
}
