// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

#include "bytes.hpp"
#include "support/captured_stderr.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/has.hpp"

#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using tutti::test::bytes;
using tutti::test::put;

template <class T, class Op>
std::vector<T> combined(const Op& op, const std::vector<T>& left, const std::vector<T>& right) {
    std::vector<T> to = left;
    const tutti::reducer r = tutti::make_reducer<T>(op);
    r.combine(reinterpret_cast<std::byte*>(to.data()), reinterpret_cast<const std::byte*>(left.data()),
              reinterpret_cast<const std::byte*>(right.data()), to.size(), r.state);
    return to;
}

/// Three bytes, no default constructor, no assignment.
class fraction {
public:
    constexpr fraction(std::uint8_t top, std::uint8_t bottom) : top_(top), bottom_(bottom) {}
    fraction(const fraction&) = default;
    fraction& operator=(const fraction&) = delete;
    [[nodiscard]] fraction times(const fraction& o) const {
        return {static_cast<std::uint8_t>(top_ * o.top_), static_cast<std::uint8_t>(bottom_ * o.bottom_)};
    }
    friend bool operator==(const fraction&, const fraction&) = default;

private:
    std::uint8_t top_, bottom_, tag_ = 7;
};

int larger(int a, int b) { return a < b ? b : a; }

} // namespace

TEST_CASE("a functor carries its state, and takes elements by value or by reference") {
    int offset = 100;
    const auto shifted = [&offset](int a, const int& b) { return a + b + offset; };
    const tutti::reducer r = tutti::make_reducer<int>(shifted);
    REQUIRE(r.state == &shifted);
    REQUIRE(combined<int>(shifted, {1, 2, 3}, {10, 20, 30}) == std::vector{111, 122, 133});
}

TEST_CASE("a functor that cannot be copied is used where it is") {
    struct scaled {
        explicit scaled(int by) : factor(std::make_unique<int>(by)) {}
        int operator()(int a, int b) const { return *factor * (a + b); }
        std::unique_ptr<int> factor;
    };
    REQUIRE(combined<int>(scaled(3), {1, 2}, {10, 20}) == std::vector{33, 66});
}

TEST_CASE("a lambda without captures needs no state") {
    const auto plus = [](auto a, auto b) { return a + b; };
    REQUIRE(tutti::make_reducer<short>(plus).state == nullptr);
    REQUIRE(combined<short>(plus, {1, 2}, {3, 4}) == std::vector<short>{4, 6});
    REQUIRE(tutti::make_reducer<int>(tutti::non_commutative(plus)).state == nullptr);
}

TEST_CASE("functions and pointers to them are functors") {
    int (*const pointer)(int, int) = larger;
    REQUIRE(combined<int>(larger, {1, 9}, {5, 2}) == std::vector{5, 9});
    REQUIRE(combined<int>(pointer, {1, 9}, {5, 2}) == std::vector{5, 9});
}

TEST_CASE("left stays left and right stays right, in place too") {
    const auto minus = tutti::non_commutative([](int a, int b) { return a - b; });
    REQUIRE(combined<int>(minus, {10, 20, 30}, {1, 2, 3}) == std::vector{9, 18, 27});

    const std::vector<int> left(301, 50);
    std::vector<int> right(301, 8);
    const tutti::reducer r = tutti::make_reducer<int>(minus);
    auto* to = reinterpret_cast<std::byte*>(right.data());
    r.combine(to, reinterpret_cast<const std::byte*>(left.data()), to, right.size(), r.state);
    REQUIRE(right == std::vector<int>(301, 42));
}

TEST_CASE("a record without default constructor reduces at any address") {
    const auto times = [](const fraction& a, const fraction& b) { return a.times(b); };
    const tutti::reducer r = tutti::make_reducer<fraction>(times);
    REQUIRE(r.element_bytes == 3);
    bytes left(1 + 5 * 3), right(1 + 5 * 3);
    for (std::size_t i = 0; i < 5; ++i) {
        put(left, 1 + i * 3, fraction(static_cast<std::uint8_t>(i + 1), 2));
        put(right, 1 + i * 3, fraction(3, static_cast<std::uint8_t>(i + 2)));
    }
    r.combine(left.data() + 1, left.data() + 1, right.data() + 1, 5, r.state);
    for (std::size_t i = 0; i < 5; ++i) {
        const fraction expected(static_cast<std::uint8_t>(3 * (i + 1)), static_cast<std::uint8_t>(2 * (i + 2)));
        REQUIRE(tutti::detail::load<fraction>(left.data() + 1 + i * 3) == expected);
    }
}

TEST_CASE("nothing is read or written for a count of zero") {
    const tutti::reducer r = tutti::make_reducer<double>(tutti::sum);
    r.combine(nullptr, nullptr, nullptr, 0, r.state);
    tutti::finisher_of<tutti::average_operator, double>()(nullptr, 0, 4);
    SUCCEED();
}

TEST_CASE("average ends with one multiplication by 1/P") {
    constexpr auto finish = tutti::finisher_of<decltype(tutti::average), float>();
    const std::size_t offsets[] = {0, 1};
    for (const std::size_t offset : offsets) {
        bytes data(offset + 131 * sizeof(float));
        for (std::size_t i = 0; i < 131; ++i) put(data, offset + i * sizeof(float), static_cast<float>(i) * 0.7F);
        put(data, offset, -std::numeric_limits<float>::quiet_NaN());
        finish(data.data() + offset, 131, 3);
        const auto at = [&](std::size_t i) { return tutti::detail::load<float>(data.data() + offset + i * 4); };
        REQUIRE(std::isnan(at(0)));
        REQUIRE_FALSE(std::signbit(at(0)));
        for (std::size_t i = 1; i < 131; ++i) REQUIRE(at(i) == static_cast<float>(i) * 0.7F * (1.0F / 3.0F));
    }
}

TEST_CASE("only average has a last stage") {
    STATIC_REQUIRE(tutti::finisher_of<tutti::sum_operator, float>() == nullptr);
    STATIC_REQUIRE(tutti::finisher_of<tutti::average_operator, int>() == nullptr);
    REQUIRE(tutti::finisher_of<const tutti::non_commutative<tutti::average_operator>&, double>() != nullptr);
}

TEST_CASE("an exception that leaves an operator ends the process, and says so") {
    const tutti::test::captured_stderr said;
    const auto ended = tutti::test::in_child([] {
        std::signal(SIGABRT, SIG_DFL);
        combined<int>([](int a, int) -> int { throw std::runtime_error("cannot add " + std::to_string(a)); }, {1}, {2});
    });
    REQUIRE(ended == "signal 6");
    REQUIRE(tutti::test::has(said.text(), "tutti: an operator threw an exception"));
    REQUIRE(tutti::test::has(said.text(), "cannot add 1"));
}
