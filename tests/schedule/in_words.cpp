// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/in_words.hpp>

#include "hand_made.hpp"

using namespace tutti::schedule;
using namespace tutti::test;

TEST_CASE("every kind of step is told in words") {
    CHECK(in_words(send(3, out(0, 2))) == "send chunks 0-1 of output to rank 3");
    CHECK(in_words(receive(1, bank(2, 7))) == "receive chunk 7 from rank 1 into scratch 2");
    CHECK(in_words(copy(in(4), out(4))) == "copy chunk 4 of input to output");
    CHECK(in_words(receive_reduce(1, in(0), out(0), side::right)) ==
          "receive chunk 0 from rank 1, reduce it with input into output");
    CHECK(in_words(receive_reduce(1, in(0), out(0), side::left)) ==
          "receive chunk 0 from rank 1, reduce it with input into output, incoming left");
    CHECK(in_words(reduce(bank(0, 1, 3), out(1, 3), side::right)) == "reduce chunks 1-3 of scratch 0 into output");
    CHECK(in_words(reduce(in(0), out(0), side::left)) == "reduce chunk 0 of input into output, from the left");
    CHECK(in_words(combine({in(0), bank(1, 0), bank(0, 0)}, out(0))) ==
          "reduce chunk 0 of input, scratch 1 and scratch 0 into output");
}

TEST_CASE("what is no range, or no number of operands, is told by its figures") {
    CHECK(in_words(send(0, in(3, 0))) == "send 0 chunks from chunk 3 of input to rank 0");
    CHECK(in_words(send(0, in(2147483647, 2147483647))) == "send chunks 2147483647-4294967293 of input to rank 0");
    CHECK(in_words(combine({in(0)}, out(0))) == "reduce chunk 0 of input into output");
    const place x = bank(0, 0);
    CHECK(in_words(combine({x, x, x, x, x, x, x, x, x}, out(0))).find("scratch 0, scratch 0") != std::string::npos);
}
