// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/built_in.hpp>

#include <collectives/reduction/kernel.hpp>

#include "bytes.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

using tutti::test::bytes;
using tutti::test::put;
__extension__ using wide = unsigned __int128;

template <class T>
T quiet(T x) {
    return std::isnan(x) ? std::numeric_limits<T>::quiet_NaN() : x;
}

/// The operators once more, written for reading and not for speed.
struct reference {
    template <class T>
    static T of(tutti::sum_operator, T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
            return quiet(a + b);
        else
            return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b));
    }
    template <class T>
    static T of(tutti::average_operator, T a, T b) {
        return quiet(a + b);
    }
    template <class T>
    static T of(tutti::product_operator, T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
            return quiet(a * b);
        else
            return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b));
    }
    template <class T>
    static bool before(T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
            return a < b || (a == b && std::signbit(a) && !std::signbit(b));
        else
            return a < b;
    }
    template <class T>
    static bool is_nan(T x) {
        if constexpr (std::is_floating_point_v<T>)
            return std::isnan(x);
        else
            return false;
    }
    template <class T>
    static T of(tutti::minimum_operator, T a, T b) {
        if (is_nan(a) || is_nan(b)) return std::numeric_limits<T>::quiet_NaN();
        return before(a, b) ? a : b;
    }
    template <class T>
    static T of(tutti::maximum_operator, T a, T b) {
        if (is_nan(a) || is_nan(b)) return std::numeric_limits<T>::quiet_NaN();
        return before(a, b) ? b : a;
    }
    template <class T>
    static T of(tutti::bitwise_and_operator, T a, T b) {
        return static_cast<T>(static_cast<wide>(a) & static_cast<wide>(b));
    }
    template <class T>
    static T of(tutti::bitwise_or_operator, T a, T b) {
        return static_cast<T>(static_cast<wide>(a) | static_cast<wide>(b));
    }
    template <class T>
    static T of(tutti::bitwise_xor_operator, T a, T b) {
        return static_cast<T>(static_cast<wide>(a) ^ static_cast<wide>(b));
    }
};

/// Values at which arithmetic goes wrong first.
template <class T>
std::vector<T> corners() {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<T, bool>) {
        return {false, true};
    } else if constexpr (std::is_floating_point_v<T>) {
        const T nan = limits::quiet_NaN();
        return {T(0),
                -T(0),
                T(1),
                -T(1.5),
                limits::max(),
                limits::min(),
                limits::lowest(),
                limits::infinity(),
                -limits::infinity(),
                limits::denorm_min(),
                nan,
                -nan,
                limits::signaling_NaN(),
                T(1) / T(3),
                -T(7) / T(11)};
    } else {
        return {T(0), T(1), T(-1), limits::min(), limits::max(), static_cast<T>(limits::max() - 1), T(2), T(3), T(85)};
    }
}

/// `count` elements of `from`, `offset` bytes into a buffer whose other bytes are marked.
bytes framed(const bytes& from, std::size_t count, std::size_t element_bytes, std::size_t offset) {
    bytes to(offset + count * element_bytes + 16, std::byte{0xa5});
    std::copy_n(from.begin(), count * element_bytes, to.begin() + static_cast<std::ptrdiff_t>(offset));
    return to;
}

constexpr std::size_t most = 1001;

/// Operands and the results that are expected of them; `doubled` is what left with itself gives.
struct operands {
    bytes left, right, expected, doubled;
};

/// Runs the kernel once, in each place where the result may lie.
bool agrees(const tutti::reducer& r, const operands& s, std::size_t count, std::size_t offset) {
    const auto frame = [&](const bytes& b) { return framed(b, count, r.element_bytes, offset); };
    bytes apart = frame(s.right), on_left = frame(s.left), on_right = frame(s.right), on_both = frame(s.left);
    const bytes left = frame(s.left), right = frame(s.right), expected = frame(s.expected);
    const auto run = [&](bytes& to, const bytes& a, const bytes& b) {
        r.combine(to.data() + offset, a.data() + offset, b.data() + offset, count, r.state);
    };
    run(apart, left, right);
    run(on_left, on_left, right);
    run(on_right, left, on_right);
    run(on_both, on_both, on_both);
    return apart == expected && on_left == expected && on_right == expected && on_both == frame(s.doubled) &&
           left == frame(s.left) && right == frame(s.right);
}

void check_everywhere(const tutti::reducer& r, const operands& s) {
    const std::size_t offsets[] = {0, 1, 3, 8};
    const std::size_t counts[] = {0, 1, 2, 7, 31, 255, 256, 257, most};
    for (const std::size_t offset : offsets) {
        for (const std::size_t count : counts) {
            CAPTURE(offset, count);
            if (!agrees(r, s, count, offset)) FAIL("the kernel and the reference differ");
        }
    }
    SUCCEED();
}

/// Every corner meets every corner.
template <class T, class Op>
void check(const Op& op) {
    const std::vector<T> values = corners<T>();
    const std::size_t n = values.size();
    const bytes blank(most * sizeof(T));
    operands s{blank, blank, blank, blank};
    for (std::size_t i = 0; i < most; ++i) {
        const T a = values[i % n];
        const T b = values[(i / n + i) % n];
        put(s.left, i * sizeof(T), a);
        put(s.right, i * sizeof(T), b);
        put(s.expected, i * sizeof(T), reference::of(op, a, b));
        put(s.doubled, i * sizeof(T), reference::of(op, a, a));
    }
    const tutti::reducer r = tutti::make_reducer<T>(op);
    CAPTURE(tutti::type_name<T>(), tutti::operator_name(op));
    REQUIRE((r.element_bytes == sizeof(T) && r.state == nullptr));
    check_everywhere(r, s);
}

template <class T>
void check_all() {
    check<T>(tutti::minimum);
    check<T>(tutti::maximum);
    if constexpr (!std::is_same_v<T, bool>) check<T>(tutti::sum);
    if constexpr (!std::is_same_v<T, bool>) check<T>(tutti::product);
    if constexpr (std::is_floating_point_v<T>) check<T>(tutti::average);
    if constexpr (!std::is_floating_point_v<T>) {
        check<T>(tutti::bitwise_and);
        check<T>(tutti::bitwise_or);
        check<T>(tutti::bitwise_xor);
    }
}

} // namespace

TEST_CASE("built-in operators agree with the reference on signed integers") {
    check_all<std::int8_t>();
    check_all<std::int16_t>();
    check_all<std::int32_t>();
    check_all<long>();
    check_all<long long>();
}

TEST_CASE("built-in operators agree with the reference on unsigned integers") {
    check_all<std::uint8_t>();
    check_all<std::uint16_t>();
    check_all<std::uint32_t>();
    check_all<unsigned long>();
    check_all<unsigned long long>();
}

TEST_CASE("built-in operators agree with the reference on bool and characters") {
    check_all<bool>();
    check_all<char>();
    check_all<wchar_t>();
    check_all<char8_t>();
    check_all<char16_t>();
    check_all<char32_t>();
}

TEST_CASE("built-in operators agree with the reference on floating-point numbers") {
    check_all<float>();
    check_all<double>();
    check_all<long double>();
}
