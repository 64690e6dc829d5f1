// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/run/unison.hpp"

#include "support/catch.hpp"

using tutti::tools::unison;

namespace {

const unison::clock::time_point begin{};

} // namespace

TEST_CASE("what several ranks say alike as they end comes out once, with all of them in front") {
    unison all(5);
    for (const int rank : {3, 0, 2, 1})
        CHECK(all.take(rank, "terminate called after throwing an instance of 'X'\n  what():  gone\n", begin).empty());
    CHECK(all.release() == "[0-3] terminate called after throwing an instance of 'X'\n[0-3]   what():  gone\n");
    CHECK(all.release().empty());
}

TEST_CASE("numbers that differ are all told, in the order of the ranks") {
    unison all(4);
    CHECK(all.take(0, "tutti: lost peer, step 3, rank 2: 1000 bytes sent and received\n", begin).empty());
    CHECK(all.take(1, "tutti: lost peer, step 15, rank 2: 70 bytes sent and received\n", begin).empty());
    CHECK(all.take(3, "tutti: lost peer, step 3, rank 2: 70 bytes sent and received\n", begin).empty());
    CHECK(all.release() == "[0-1,3] tutti: lost peer, step {3,15,3}, rank 2: {1000,70,70} bytes sent and received\n");
}

TEST_CASE("what differs in words comes out apart, and each rank's lines in order") {
    unison all(3);
    CHECK(all.take(0, "  what():  a\nlast of 0\n", begin).empty());
    CHECK(all.take(1, "  what():  b\n  what():  a\n", begin).empty());
    CHECK(all.take(2, "  what():  a\n", begin).empty());
    CHECK(all.release() == "[0,2]   what():  a\n[0] last of 0\n[1]   what():  b\n[1]   what():  a\n");
}

TEST_CASE("other lines go out at once, but not before what their rank has said") {
    unison all(2);
    CHECK(all.take(0, "step 1\n\nstep 2\n", begin) == "[0] step 1\n[0] \n[0] step 2\n");
    CHECK(all.take(0, "step 3\ntutti: lost\nstep 4\n", begin) == "[0] step 3\n");
    CHECK(all.take(0, "step 5\n", begin).empty());
    CHECK(all.take(1, "step 1\n", begin) == "[1] step 1\n");
    CHECK(all.release() == "[0] tutti: lost\n[0] step 4\n[0] step 5\n");
    CHECK(all.take(0, "step 6\n", begin) == "[0] step 6\n");
}

TEST_CASE("what is held back is due half a second after the first of it") {
    unison all(2);
    CHECK(all.due() == unison::clock::time_point::max());
    CHECK(all.take(0, "tutti: a\n", begin).empty());
    CHECK(all.take(1, "tutti: a\n", begin + unison::window / 2).empty());
    CHECK(all.due() == begin + unison::window);
    static_cast<void>(all.release());
    CHECK(all.due() == unison::clock::time_point::max());
}

TEST_CASE("a rank that ends with many words is not held back without bounds") {
    unison all(1);
    const std::string line = "tutti: " + std::string(1000, 'x') + '\n';
    std::size_t in = 0, out = 0;
    for (int i = 0; i < 5000; ++i) {
        out += all.take(0, line, begin).size();
        in += line.size() + 4; // "[0] "
    }
    CHECK(in - out <= unison::most_bytes + 10'000);
    CHECK(out + all.release().size() == in);
}
