// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "kernels/reduce_many.hpp"

#include "host_launch.hpp"

#include <collectives/reduction/kernel.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <random>
#include <vector>

using namespace tutti;
using kernels::stored;

namespace {

/// Elements of any bits, between others that must not change.
template <class T>
struct arrays {
    static constexpr std::size_t margin = 32;
    std::vector<std::vector<T>> all;

    arrays(unsigned number, std::size_t count, std::mt19937& random) {
        for (unsigned a = 0; a < number; ++a) {
            std::vector<T> one(count + 2 * margin);
            for (T& x : one) {
                std::uint32_t bits[4] = {};
                if (random() % 8 != 0) std::generate(std::begin(bits), std::end(bits), std::ref(random));
                std::memcpy(&x, bits, sizeof x);
            }
            all.push_back(std::move(one));
        }
    }
    T* at(unsigned a, std::size_t offset) { return all[a].data() + margin / 2 + offset; }
};

/// What the host's own kernel makes of the same sources, two or more.
constexpr auto by_host_kernel = []<class T, class Op>(T* to, const kernels::reduction<T, Op, stored<T>>& what) {
    const reducer r = make_reducer<T>(what.op);
    const std::byte* from[kernels::most_sources];
    for (unsigned s = 0; s < what.sources; ++s) from[s] = reinterpret_cast<const std::byte*>(what.from[s]);
    r.combine_many(reinterpret_cast<std::byte*>(to), from, what.sources, what.count, r.state);
};

/// The widest access and the narrowest alone: all widths are compiled for a few types only.
template <class T, class Op>
void launch_wide_or_single(const kernels::reduction<T, Op, stored<T>>& what) {
    using namespace kernels;
    constexpr unsigned wide = lanes_of<reduction<T, Op, stored<T>>>;
    access_width how = access_of(what);
    if (how.lanes < wide) how = {};
    run_on_host({2, 3}, [&](const host_execution& here) {
        if (how.lanes == wide)
            kernels::reduce_many<wide, most_sources>(what, how, here);
        else
            kernels::reduce_many<1, most_sources>(what, how, here);
    });
}

template <class T, class Op>
void compare(const Op& op, unsigned sources, std::size_t count, bool one_offset, const auto& expect, const auto& run,
             std::mt19937& random) {
    arrays<T> data(sources + 1, count, random);
    kernels::reduction<T, Op, stored<T>> what;
    what.sources = sources;
    what.count = count;
    what.op = op;
    const std::size_t offset = random() % 16;
    for (unsigned s = 0; s < sources; ++s) what.from[s] = data.at(s, one_offset ? offset : random() % 16);
    T* const to = data.at(sources, one_offset ? offset : random() % 16);
    what.last.to[0] = to;
    auto expected = data.all;
    expect(expected[sources].data() + (to - data.all[sources].data()), what);
    run(what);
    INFO(type_name<T>() << ", " << operator_name<Op>() << ", " << sources << " sources of " << count);
    for (unsigned a = 0; a <= sources; ++a) REQUIRE(test::same_bits(data.all[a], expected[a]));
}

template <class T, class Op>
void compare_all(const Op& op) {
    std::mt19937 random{7};
    for (const unsigned sources : {2U, 3U, 5U, 8U})
        for (const std::size_t count : {0, 1, 15, 16, 77})
            for (const bool one_offset : {true, false})
                compare<T>(op, sources, count, one_offset, test::by_definition, launch_wide_or_single<T, Op>, random);
}

template <class T>
void compare_operators() {
    if constexpr (tutti::detail::number<T>) {
        compare_all<T>(sum);
        compare_all<T>(product);
    }
    compare_all<T>(minimum);
    compare_all<T>(maximum);
    if constexpr (std::integral<T>) {
        compare_all<T>(bitwise_and);
        compare_all<T>(bitwise_or);
        compare_all<T>(bitwise_xor);
    }
}

} // namespace

TEMPLATE_TEST_CASE("reduce_many reduces in the order of its sources, by every operator", "", float, double, float16,
                   bfloat16, float8_e4m3, float8_e5m2, std::int8_t, std::uint16_t, std::int32_t, std::uint64_t) {
    compare_operators<TestType>();
}

TEMPLATE_TEST_CASE("its bits are those of the host's kernel, with every number of sources, access and geometry", "",
                   float, bfloat16, float8_e4m3, std::int64_t) {
    std::mt19937 random{11};
    for (unsigned sources = 2; sources <= kernels::most_sources; ++sources)
        for (const std::size_t count : {1, 31, 32, 100, 1003})
            for (const kernels::geometry shape : {kernels::geometry{1, 1}, {1, 5}, {4, 2}})
                for (const bool one_offset : {true, false})
                    compare<TestType>(
                        sum, sources, count, one_offset, by_host_kernel,
                        [&](const auto& what) { static_cast<void>(test::launch_on_host(what, shape)); }, random);
}

TEST_CASE("a functor takes elements as they are, of types of 16 bits and records too") {
    std::mt19937 random{13};
    const auto plain = [](const auto& what) { static_cast<void>(test::launch_on_host(what, {2, 2})); };
    const auto halves = [](bfloat16 a, bfloat16 b) { return bfloat16(a * 0.5F + b); };
    compare<bfloat16>(halves, 5, 333, true, test::by_definition, plain, random);

    struct record {
        std::int32_t low, high;
        std::int32_t sum;
    };
    const auto join = [](const record& a, const record& b) {
        return record{std::min(a.low, b.low), std::max(a.high, b.high), a.sum / 2 + b.sum / 2};
    };
    compare<record>(join, 4, 50, true, test::by_definition, plain, random);
}

TEST_CASE("one source is copied, or converted; a NaN of 16 or 8 bits gets its one form") {
    std::mt19937 random{17};
    const auto plain = [](const auto& what) { static_cast<void>(test::launch_on_host(what, {2, 2})); };
    compare<float16>(sum, 1, 100, true, test::by_definition, plain, random);
    compare<double>(sum, 1, 100, false, test::by_definition, plain, random);
}

TEST_CASE("a destination may be a source, and sources may be equal") {
    std::vector<float> a(100, 3.0F), b(100, 4.0F);
    kernels::reduction<float, sum_operator, stored<float>> what;
    what.from[0] = what.from[2] = a.data();
    what.from[1] = b.data();
    what.sources = 3;
    what.count = a.size();
    what.last.to[0] = a.data();
    CHECK(test::launch_on_host(what, {2, 4}).lanes == 4);
    CHECK(a == std::vector<float>(100, 10.0F));
}

TEST_CASE("no source, nine sources and a misaligned pointer are refused before anything runs") {
    alignas(16) std::byte bytes[64]{};
    kernels::reduction<float, sum_operator, stored<float>> what;
    what.count = 4;
    what.last.to[0] = reinterpret_cast<float*>(bytes);
    CHECK_THROWS_AS(kernels::access_of(what), error);
    what.sources = 9;
    CHECK_THROWS_AS(kernels::access_of(what), error);
    what.sources = 1;
    what.from[0] = reinterpret_cast<const float*>(reinterpret_cast<std::uintptr_t>(bytes) + 2);
    CHECK_THROWS_WITH(kernels::access_of(what), Catch::Contains("a source is not aligned"));
}

TEST_CASE("a launch has a thread for each access, as far as a launch goes") {
    kernels::reduction<float, sum_operator, stored<float>> what;
    what.count = 1;
    CHECK(kernels::geometry_of(what, {4, 0}) == kernels::geometry{1, 256});
    what.count = 4096;
    CHECK(kernels::geometry_of(what, {4, 0}) == kernels::geometry{5, 256});
    what.count = std::size_t{1} << 44;
    CHECK(kernels::geometry_of(what, {4, 0}) == kernels::geometry{0x7fff'ffff, 256});
}
