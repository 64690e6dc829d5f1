// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/draw/trees.hpp>

#include <collectives/algorithm/all.hpp>

#include "support/catch.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace tutti::schedule;
using draw::tree;

namespace {

draw::timeline timeline_for(std::string_view name, operation what, int size, int root = 0, int segments = 1) {
    return draw::timeline_of(tutti::algorithm::by_name(name, 2).write(what, size, root, false, segments));
}

std::vector<tree> trees_of(const draw::timeline& t) {
    const draw::routes ways = draw::routes_of(t);
    std::vector<tree> all;
    for (int route = 0; route < static_cast<int>(ways.chunks.size()); ++route)
        if (const auto found = draw::tree_of(t, ways, route)) all.push_back(*found);
    return all;
}

std::string refusal_of(const draw::timeline& t) {
    try {
        return draw::trees_svg(t, "t");
    } catch (const tutti::error& e) {
        return e.what();
    }
}

std::size_t occurrences(const std::string& text, std::string_view word) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size()) ++count;
    return count;
}

} // namespace

TEST_CASE("a binomial tree is one, upwards, downwards and both") {
    for (const operation what : {operation::allreduce, operation::reduce, operation::broadcast}) {
        const auto found = trees_of(timeline_for("binomial_tree", what, 8));
        REQUIRE(found.size() == 1);
        CHECK(found[0].parent == std::vector{-1, 0, 0, 2, 0, 4, 4, 6});
        CHECK(found[0].children[4] == std::vector{5, 6});
        CHECK((found[0].up[7].first > 0) == (what != operation::broadcast));
        CHECK((found[0].down[7].first > 0) == (what != operation::reduce));
    }
    CHECK(trees_of(timeline_for("binomial_tree", operation::reduce, 4, 3)).at(0).parent == std::vector{3, 3, 1, -1});
}

TEST_CASE("naive is a star around the root, and its rounds are one after the other") {
    const tree star = trees_of(timeline_for("naive", operation::broadcast, 5, 2)).at(0);
    CHECK((star.root == 2 && star.parent == std::vector{2, 2, -1, 2, 2}));
    CHECK((star.down[3].first == 1 && star.down[1].first == 4 && star.down[1].last == 4));
}

TEST_CASE("who is inside one of the double trees is a leaf of the other") {
    for (const int size : {2, 8, 20}) {
        const auto found = trees_of(timeline_for("double_binary_tree", operation::allreduce, size, 0, 3));
        REQUIRE(found.size() == 2);
        CHECK((found[0].root == 0 && found[1].root == size - 1));
        for (std::size_t r = 0; r < static_cast<std::size_t>(size); ++r)
            CHECK((found[0].children[r].empty() || found[1].children[r].empty()));
    }
}

TEST_CASE("what is no tree, or many, is refused") {
    using Catch::Contains;
    CHECK_THAT(refusal_of(timeline_for("butterfly", operation::allreduce, 8)),
               Contains("does not travel along a tree"));
    CHECK_THAT(refusal_of(timeline_for("one_shot", operation::allreduce, 3)), Contains("does not travel along a tree"));
    CHECK_THAT(refusal_of(timeline_for("ring", operation::allreduce, 8)), Contains("8 different ways"));
    CHECK(trees_of(timeline_for("ring", operation::allreduce, 2)).size() == 2); // a chain of two is a tree
    CHECK(trees_of(timeline_for("ring", operation::allreduce, 3)).empty());     // results go on round, not back
    CHECK(trees_of(timeline_for("ring", operation::reduce_scatter, 3)).size() == 3);
}

TEST_CASE("each edge of a tree is one arrow a direction, each rank a circle with its rounds") {
    const std::string both = draw::trees_svg(timeline_for("double_binary_tree", operation::allreduce, 8), "t");
    CHECK(occurrences(both, "<circle ") == 16);
    CHECK(occurrences(both, " up: round ") == 14);
    CHECK(occurrences(both, " down: round ") == 14);
    CHECK(occurrences(both, ">chunk 0</text>") + occurrences(both, ">chunk 1</text>") == 2);
    const std::string star = draw::trees_svg(timeline_for("naive", operation::broadcast, 32), "t");
    CHECK(occurrences(star, "<circle ") == 32);
    CHECK(occurrences(star, " up: round ") == 0);
    CHECK(occurrences(star, " down: round ") == 31);
    CHECK(occurrences(draw::trees_svg(timeline_for("naive", operation::allreduce, 1), "t"), "<circle ") == 1);
}

TEST_CASE("leaves stand side by side, and each parent above the middle of its children") {
    const auto t = timeline_for("binomial_tree", operation::reduce, 8);
    const draw::tree binomial = trees_of(t).at(0);
    const draw::detail::tree_layout l(binomial);
    CHECK((l.leaves() == 4 && l.levels() == 4));
    for (const int rank : {0, 2, 4, 6}) {
        const auto& below = binomial.children[static_cast<std::size_t>(rank)];
        CHECK(l.of(rank).x == (l.of(below.front()).x + l.of(below.back()).x) / 2);
        for (const int child : below) CHECK(l.of(child).y == l.of(rank).y + 1);
    }
}
