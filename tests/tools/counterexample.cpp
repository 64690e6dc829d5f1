// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/counterexample.hpp"

#include "support/catch.hpp"

#include <cstddef>
#include <string>

namespace tutti::schedule {
namespace {

using Catch::Contains;
using tutti::tools::circle_of;
using tutti::tools::counterexample_svg;

constexpr place mine{buffer::input, 0, 1}, sum{buffer::output, 0, 1};
constexpr step add_from(int peer) { return receive_reduce(peer, sum, sum, side::right); }

/// An allreduce of `size` ranks, of which `waiting` receive from the next before they send to the one before. The
/// others wait for rank 0.
program hangs(int size, int waiting) {
    program p{operation::allreduce, size, 0, false, 1, {}};
    for (int r = 0; r < size; ++r) {
        auto& steps = p.ranks.emplace_back();
        steps.push_back(copy(mine, sum));
        if (r < waiting) {
            steps.push_back(add_from((r + 1) % waiting));
            steps.push_back(send((r + waiting - 1) % waiting, sum));
        } else {
            steps.push_back(add_from(0));
        }
    }
    return p;
}

std::size_t times_in(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
    return found;
}

} // namespace

TEST_CASE("ranks that wait for each other are told as a circle, with all of them") {
    const program p = hangs(5, 3);
    const auto circle = circle_of(p);
    REQUIRE(circle.size() == 3);
    for (std::size_t k = 0; k < circle.size(); ++k) {
        CHECK(circle[k].step == 1);
        CHECK(circle[k].peer == circle[(k + 1) % circle.size()].rank);
        CHECK(circle[k].rank < 3); // ranks 3 and 4 wait as well, but nobody waits for them
    }
    const std::string words = in_words(p, circle);
    CHECK_THAT(words, Contains("ranks 0, 1 and 2 wait for each other in a circle: rank 0, step 1 (") &&
                          Contains("waits for rank 1; rank 1, step 1 (") && Contains("waits for rank 0"));
    const auto found = (verify)(p);
    CHECK(found.fault.what == flaw::deadlock);
    const std::string svg = counterexample_svg(p, found.fault, "a circle");
    CHECK(times_in(svg, "<rect class=\"broken\"") == 3);
    CHECK(times_in(svg, "<circle class=\"broken\"") == 3);
    CHECK(times_in(svg, "<path class=\"circle\"") == 3);
    CHECK_THAT(svg, Contains("in a circle"));
}

TEST_CASE("what waits for nobody who waits for it is no circle") {
    program p{operation::allreduce, 2, 0, false, 1, {}};
    p.ranks = {{copy(mine, sum), add_from(1)}, {copy(mine, sum)}};
    CHECK(circle_of(p).empty());
}

TEST_CASE("the broken step of a schedule is red, and of many ranks and steps those around it are drawn") {
    program p{operation::allreduce, 2, 0, false, 1, {}}; // each has the other's data twice
    for (int r = 0; r < 2; ++r)
        p.ranks.push_back({copy(mine, sum), send(1 - r, mine), add_from(1 - r), send(1 - r, mine), add_from(1 - r)});
    const auto found = (verify)(p);
    CHECK(found.fault.what == flaw::doubled);
    const std::string svg = counterexample_svg(p, found.fault, "twice");
    CHECK(times_in(svg, "class=\"broken\"") == 1);
    CHECK_THAT(svg, Contains("twice") && Contains(message_of(found.fault).substr(0, 12)));
    CHECK(circle_of(p).empty());
    const program many = hangs(40, 40);
    const std::string wide = counterexample_svg(many, (verify)(many).fault, "many");
    CHECK_THAT(wide, Contains("16 of 40 ranks"));
}

} // namespace tutti::schedule
