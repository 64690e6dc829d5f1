// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/element.hpp>

#include "support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace sample {
struct record {
    int value;
};
} // namespace sample

namespace {

struct point {
    float x, y, z;
};

struct other_point {
    float x, y, z;
};

class no_default {
public:
    explicit no_default(int v) : value_(v) {}
    [[nodiscard]] int value() const { return value_; }

private:
    int value_;
};

enum class colour : std::uint16_t { red, green };

using tutti::element;
using tutti::type_id;
using tutti::type_name;

static_assert(element<float> && element<bool> && element<char> && element<long double> && element<unsigned long long>);
static_assert(element<point> && element<no_default> && element<colour> && element<std::byte>);
static_assert(!element<int*> && !element<int point::*> && !element<std::nullptr_t> && !element<void (*)()>);
static_assert(!element<std::string> && !element<std::vector<int>>);
static_assert(!element<const int> && !element<volatile int> && !element<int&> && !element<int[3]> && !element<void>);

} // namespace

TEST_CASE("integers of one size and sign are one type, whatever they are called") {
    STATIC_REQUIRE(sizeof(long) != sizeof(long long) || type_id<long>() == type_id<long long>());
    STATIC_REQUIRE(type_id<signed char>() == type_id<std::int8_t>());
    STATIC_REQUIRE(type_id<unsigned long>() == type_id<std::size_t>());
}

TEST_CASE("types that differ in kind or size have different identities") {
    const std::set<std::uint64_t> ids{type_id<bool>(),          type_id<std::int8_t>(),  type_id<std::uint8_t>(),
                                      type_id<char8_t>(),       type_id<std::int16_t>(), type_id<std::uint16_t>(),
                                      type_id<char16_t>(),      type_id<std::int32_t>(), type_id<std::uint32_t>(),
                                      type_id<char32_t>(),      type_id<wchar_t>(),      type_id<std::int64_t>(),
                                      type_id<std::uint64_t>(), type_id<float>(),        type_id<double>(),
                                      type_id<long double>(),   type_id<point>(),        type_id<other_point>(),
                                      type_id<no_default>(),    type_id<colour>(),       type_id<std::byte>()};
    REQUIRE(ids.size() == (std::is_signed_v<wchar_t> ? 21 : 20)); // on ARM a wchar_t is a char32_t
}

TEST_CASE("a plain char is a character of its own sign, and neither int8 nor uint8") {
    STATIC_REQUIRE(type_id<char>() != type_id<signed char>());
    STATIC_REQUIRE(type_id<char>() != type_id<unsigned char>());
    STATIC_REQUIRE((type_id<char>() == type_id<char8_t>()) == !std::is_signed_v<char>);
}

TEST_CASE("a record is known by its name, without what compilers put around it") {
    STATIC_REQUIRE(tutti::detail::compiler_name_of<sample::record>() == "sample::record");
}

TEST_CASE("the hash is FNV-1a") {
    STATIC_REQUIRE(tutti::detail::hash("") == 0xcbf29ce484222325);
    STATIC_REQUIRE(tutti::detail::hash("a") == 0xaf63dc4c8601ec8c);
    STATIC_REQUIRE(tutti::detail::hash("foobar") == 0x85944171f73967e8);
}

TEST_CASE("types have names that people know") {
    REQUIRE(type_name<float>() == "float32");
    REQUIRE(type_name<double>() == "float64");
    REQUIRE(type_name<std::int32_t>() == "int32");
    REQUIRE(type_name<long long>() == "int64");
    REQUIRE(type_name<std::uint8_t>() == "uint8");
    REQUIRE(type_name<bool>() == "bool");
    REQUIRE(type_name<char16_t>() == "char16");
    REQUIRE(type_name<char>() == (std::is_signed_v<char> ? "signed char8" : "char8"));
    REQUIRE(type_name<point>() == "record of 12 bytes");
    REQUIRE(type_name<std::byte>() == "record of 1 byte");
    if (std::numeric_limits<long double>::digits == 64) REQUIRE(type_name<long double>() == "float80");
}
