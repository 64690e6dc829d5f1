// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/algorithm.hpp>

#include <collectives/algorithm/all.hpp>
#include <collectives/algorithm/prove.hpp>

#include "support/catch.hpp"

using namespace tutti::algorithm;
using tutti::schedule::operation;

// Near misses: each lacks one thing of what makes an algorithm.
namespace {

struct named { // one constant for all: an unused one is a warning
    static constexpr std::string_view name = "named";
};
struct whole : named {
    static constexpr int chunks(int) { return 1; }
    static constexpr cost stated(operation, int) { return {}; }
    template <class Put>
    static constexpr void allreduce(const position&, Put&&) {}
};
struct nameless {
    static constexpr int chunks(int) { return 1; }
    static constexpr cost stated(operation, int) { return {}; }
    template <class Put>
    static constexpr void allreduce(const position&, Put&&) {}
};
struct without_cost : named {
    static constexpr int chunks(int) { return 1; }
    template <class Put>
    static constexpr void allreduce(const position&, Put&&) {}
};
struct unsigned_chunks : named {
    static constexpr unsigned chunks(int) { return 1; }
    static constexpr cost stated(operation, int) { return {}; }
    template <class Put>
    static constexpr void allreduce(const position&, Put&&) {}
};
struct without_schedule : named {
    static constexpr int chunks(int) { return 1; }
    static constexpr cost stated(operation, int) { return {}; }
};
struct without_partial : named { // reduce must be told where sums on their way live
    static constexpr int chunks(int) { return 1; }
    static constexpr cost stated(operation, int) { return {}; }
    template <class Put>
    static constexpr void reduce(const position&, Put&&) {}
};

template <class Base>
struct with_broadcast : Base {
    template <class Put>
    static constexpr void broadcast(const position&, Put&&) {}
};
struct only_reduce : named {
    static constexpr int chunks(int) { return 1; }
    static constexpr cost stated(operation, int) { return {}; }
    template <class Put>
    static constexpr void reduce(const position&, buffer, Put&&) {}
};

} // namespace

TEST_CASE("an algorithm has a name, chunks, a stated cost and a schedule for something") {
    STATIC_REQUIRE(algorithm<whole>);
    STATIC_REQUIRE_FALSE(algorithm<nameless>);
    STATIC_REQUIRE_FALSE(algorithm<without_cost>);
    STATIC_REQUIRE_FALSE(algorithm<unsigned_chunks>);
    STATIC_REQUIRE_FALSE(algorithm<without_schedule>);
    STATIC_REQUIRE_FALSE(algorithm<without_partial>);
    STATIC_REQUIRE_FALSE(algorithm<int>);
}

TEST_CASE("an allreduce is offered by those that have one, or both halves of one") {
    STATIC_REQUIRE(offers<whole>(operation::allreduce));
    STATIC_REQUIRE_FALSE(offers<only_reduce>(operation::allreduce));
    STATIC_REQUIRE(offers<with_broadcast<only_reduce>>(operation::allreduce));
    STATIC_REQUIRE((offers<only_reduce>(operation::reduce) && !offers<only_reduce>(operation::broadcast)));
    STATIC_REQUIRE_FALSE(offers<with_broadcast<without_schedule>>(operation::allreduce));
}

TEST_CASE("what is no algorithm is not taken for any") {
    STATIC_REQUIRE(std::is_convertible_v<whole, any>);
    STATIC_REQUIRE_FALSE(std::is_constructible_v<any, without_schedule>);
    STATIC_REQUIRE_FALSE(std::is_constructible_v<any, int>);
}
