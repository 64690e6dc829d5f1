// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/operators.hpp>

#include "support/catch.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>

namespace {

constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

constexpr std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
constexpr std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
constexpr float from_bits(std::uint32_t x) { return std::bit_cast<float>(x); }

constexpr std::uint32_t canonical_nan = 0x7fc00000;

struct without_operators {
    int x;
};

constexpr auto lambda = [](int a, int b) { return a + b; };
struct mutable_functor {
    int operator()(int a, int b) { return a + b; }
};
struct takes_reference {
    int operator()(int& a, int& b) const { return a + b; }
};
int function(int a, int b) { return a > b ? a : b; }

using tutti::is_commutative_v;
using tutti::operator_id;
using tutti::operator_name;
using tutti::operator_on;
template <class Op, class T>
constexpr bool on(const Op&, T) {
    return operator_on<Op, T>;
}

} // namespace

TEST_CASE("signed integers wrap on overflow") {
    constexpr int low = std::numeric_limits<int>::min();
    constexpr int high = std::numeric_limits<int>::max();
    STATIC_REQUIRE(tutti::sum(high, 1) == low);
    STATIC_REQUIRE(tutti::sum(low, -1) == high);
    STATIC_REQUIRE(tutti::product(high, 2) == -2);
    STATIC_REQUIRE(tutti::product(low, -1) == low);
    STATIC_REQUIRE(tutti::sum(std::int8_t{127}, std::int8_t{1}) == -128);
    STATIC_REQUIRE(tutti::product(std::uint16_t{65535}, std::uint16_t{65535}) == 1);
    STATIC_REQUIRE(tutti::product(std::numeric_limits<std::int64_t>::max(), std::int64_t{2}) == -2);
}

TEST_CASE("an operator gives the element type, not what integers are promoted to") {
    STATIC_REQUIRE(std::is_same_v<decltype(tutti::sum(std::int8_t{}, std::int8_t{})), std::int8_t>);
    STATIC_REQUIRE(std::is_same_v<decltype(tutti::bitwise_or(std::uint16_t{}, std::uint16_t{})), std::uint16_t>);
    STATIC_REQUIRE(std::is_same_v<decltype(tutti::maximum(char{}, char{})), char>);
}

TEST_CASE("minimum and maximum propagate NaN from either side") {
    const float sides[] = {nan_f, -nan_f, from_bits(0x7f800001), from_bits(0xffc12345)};
    for (const float nan : sides) {
        for (const float x : {1.0F, -0.0F, std::numeric_limits<float>::infinity(), nan}) {
            CHECK(bits(tutti::minimum(nan, x)) == canonical_nan);
            CHECK(bits(tutti::minimum(x, nan)) == canonical_nan);
            CHECK(bits(tutti::maximum(nan, x)) == canonical_nan);
            CHECK(bits(tutti::maximum(x, nan)) == canonical_nan);
        }
    }
}

TEST_CASE("NaN is stored in one form by sum, product and average") {
    const float odd = from_bits(0xffc12345);
    CHECK(bits(tutti::sum(odd, 1.0F)) == canonical_nan);
    CHECK(bits(tutti::product(2.0F, odd)) == canonical_nan);
    CHECK(bits(tutti::average(odd, odd)) == canonical_nan);
    CHECK(bits(tutti::sum(inf, -inf)) == 0x7ff8000000000000);
    CHECK(bits(tutti::product(inf, 0.0)) == 0x7ff8000000000000);
}

TEST_CASE("minus zero is less than plus zero, whichever comes first") {
    CHECK(bits(tutti::minimum(0.0F, -0.0F)) == bits(-0.0F));
    CHECK(bits(tutti::minimum(-0.0F, 0.0F)) == bits(-0.0F));
    CHECK(bits(tutti::maximum(0.0F, -0.0F)) == bits(0.0F));
    CHECK(bits(tutti::maximum(-0.0F, 0.0F)) == bits(0.0F));
    CHECK(bits(tutti::maximum(-0.0, -0.0)) == bits(-0.0));
    CHECK(bits(tutti::minimum(0.0, 0.0)) == bits(0.0));
    CHECK(std::signbit(tutti::minimum(0.0L, -0.0L)));
    CHECK_FALSE(std::signbit(tutti::maximum(-0.0L, 0.0L)));
}

TEST_CASE("on bool, minimum is the logical and, maximum the logical or") {
    STATIC_REQUIRE(tutti::maximum(true, false) && !tutti::maximum(false, false));
    STATIC_REQUIRE(!tutti::minimum(true, false) && tutti::minimum(true, true));
    STATIC_REQUIRE(!tutti::bitwise_xor(true, true) && tutti::bitwise_or(true, false));
}

TEST_CASE("which operator works on which element is known at compile time") {
    STATIC_REQUIRE(on(tutti::sum, 1) && on(tutti::sum, 'a') && on(tutti::sum, 1.0L));
    STATIC_REQUIRE(!on(tutti::sum, true) && !on(tutti::product, true) && on(tutti::maximum, true));
    STATIC_REQUIRE(on(tutti::average, 1.0F) && !on(tutti::average, 1));
    STATIC_REQUIRE(on(tutti::bitwise_and, 1U) && !on(tutti::bitwise_and, 1.0F));
    STATIC_REQUIRE(!on(tutti::sum, without_operators{}) && !on(tutti::minimum, without_operators{}));
    STATIC_REQUIRE(on(lambda, 1) && on(tutti::non_commutative(lambda), 1) && on(function, 1) && on(&function, 1));
    STATIC_REQUIRE(on(lambda, 1.0) && !on(lambda, without_operators{}));
    STATIC_REQUIRE(!operator_on<mutable_functor, int> && !operator_on<takes_reference, int>);
    STATIC_REQUIRE(!operator_on<tutti::sum_operator, const int>);
}

TEST_CASE("everything commutes but non_commutative(f)") {
    STATIC_REQUIRE(is_commutative_v<decltype(tutti::sum)> && is_commutative_v<decltype(lambda)>);
    STATIC_REQUIRE(is_commutative_v<int(int, int)>);
    STATIC_REQUIRE(!is_commutative_v<decltype(tutti::non_commutative(lambda))>);
    STATIC_REQUIRE(!is_commutative_v<const tutti::non_commutative<int (*)(int, int)>&>);
}

TEST_CASE("non_commutative keeps the sides") {
    constexpr auto minus = tutti::non_commutative([](int a, int b) { return a - b; });
    STATIC_REQUIRE(minus(5, 3) == 2);
}

TEST_CASE("operators have names") {
    const int big[2] = {1, 2};
    const auto stateful = [big](int a, int b) { return a + b + big[0]; };
    CHECK(operator_name(tutti::sum) == "sum");
    CHECK(operator_name(tutti::product) == "product");
    CHECK(operator_name(tutti::minimum) == "minimum");
    CHECK(operator_name(tutti::maximum) == "maximum");
    CHECK(operator_name(tutti::average) == "average");
    CHECK(operator_name(tutti::bitwise_and) == "bitwise_and");
    CHECK(operator_name(tutti::bitwise_or) == "bitwise_or");
    CHECK(operator_name(tutti::bitwise_xor) == "bitwise_xor");
    CHECK(operator_name(lambda) == "functor of 1 byte");
    CHECK(operator_name(stateful) == "functor of 8 bytes");
    CHECK(operator_name(function) == operator_name(&function));
    CHECK(operator_name(tutti::non_commutative(stateful)) == "non_commutative(functor of 8 bytes)");
}

TEST_CASE("operators that differ in name, size or commutativity have different identities") {
    std::int64_t eight = 8;
    const auto stateful = [eight](int a, int b) { return static_cast<int>(a + b + eight); };
    const std::set<std::uint64_t> ids{operator_id(tutti::sum),
                                      operator_id(tutti::product),
                                      operator_id(tutti::minimum),
                                      operator_id(tutti::maximum),
                                      operator_id(tutti::average),
                                      operator_id(tutti::bitwise_and),
                                      operator_id(tutti::bitwise_or),
                                      operator_id(tutti::bitwise_xor),
                                      operator_id(lambda),
                                      operator_id(stateful),
                                      operator_id(tutti::non_commutative(lambda)),
                                      operator_id(tutti::non_commutative(tutti::sum))};
    CHECK(ids.size() == 12);
    CHECK(operator_id(lambda) == operator_id([](float a, float) { return a; }));
    CHECK(operator_id(function) == operator_id(&function));
}

namespace {

struct of_my_own {
    static constexpr std::string_view name = "my own";
    int operator()(int x, int y) const noexcept { return x + y; }
};

} // namespace

TEST_CASE("an operator that has a name is told from others by it, on ranks and in words") {
    const auto clamped = [](int a, int b) noexcept { return a + b < 100 ? a + b : 100; };
    const auto wrapped = [](int a, int b) noexcept { return (a + b) % 100; };
    CHECK(operator_id(clamped) == operator_id(wrapped)); // all that is known of them is their size
    const auto a = tutti::named<"clamped sum">(clamped);
    const auto b = tutti::named<"wrapped sum">(wrapped);
    CHECK(operator_id(a) != operator_id(b));
    CHECK(operator_id(a) != operator_id(clamped));
    CHECK(operator_id(a) == operator_id(tutti::named<"clamped sum">(clamped)));
    CHECK(operator_name(a) == "clamped sum");
    CHECK(a(70, 70) == 100);

    CHECK(operator_name(of_my_own{}) == "my own");
    CHECK(operator_name(tutti::non_commutative{a}) == "non_commutative(clamped sum)");
}

namespace {

struct has_a_member_called_name {
    std::string name;
    float operator()(float a, float b) const { return a + b; }
};
struct has_a_name_that_is_no_constant {
    static inline const std::string name = "made when the program starts";
    float operator()(float a, float b) const { return a + b; }
};

} // namespace

TEST_CASE("a functor's member that only happens to be called name is none") {
    CHECK(tutti::operator_name<has_a_member_called_name>().starts_with("functor of "));
    CHECK(tutti::operator_name<has_a_name_that_is_no_constant>() == "functor of 1 byte");
    CHECK(tutti::operator_id<has_a_member_called_name>() != tutti::operator_id<has_a_name_that_is_no_constant>());
}

TEST_CASE("a name takes nothing from what is known of an operator") {
    const auto f = [](int a, int) noexcept { return a; };
    using either = decltype(tutti::named<"first">(f));
    using ordered = decltype(tutti::named<"first">(tutti::non_commutative{f}));
    STATIC_REQUIRE(tutti::is_commutative_v<either>);
    STATIC_REQUIRE_FALSE(tutti::is_commutative_v<ordered>);
    CHECK(operator_id<either>() != operator_id<ordered>());
    CHECK(operator_name<ordered>() == "non_commutative(first)");
}
