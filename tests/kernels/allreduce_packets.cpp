// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "hesitant_execution.hpp"
#include "host_group.hpp"
#include "host_launch.hpp"

#include "support/catch.hpp"
#include "support/effort.hpp"

#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

using namespace tutti;
using namespace tutti::test;

namespace {

template <class T, class Op>
kernels::reduction<T, Op, kernels::stored<T>> from_to(const std::vector<T>& in, std::vector<T>& out) {
    return {{in.data()}, 1, in.size(), {{out.data()}, 1}};
}

template <class T, class Op>
void check_packets(unsigned ranks, std::size_t count) {
    CAPTURE(ranks, count);
    host_group group(ranks, {2, 2}, 512);
    for (unsigned call = 0; call < 4; ++call) {
        const allreduce_case<T, Op> c(ranks, count, call);
        auto data = c.in; // in place
        group.packets([&](unsigned r) { return from_to<T, Op>(data[r], data[r]); });
        for (const auto& mine : data) REQUIRE(same_bits(mine, c.expected));
    }
    REQUIRE_FALSE(group.has_failed());
}

} // namespace

TEST_CASE("allreduce by packets has the bits of the definition, on all ranks") {
    for (const unsigned ranks : {1U, 2U, 3U, 8U})
        for (const std::size_t count : {0, 1, 2, 3, 7, 33}) {
            check_packets<float, sum_operator>(ranks, count);
            check_packets<bfloat16, sum_operator>(ranks, count);
            check_packets<float8_e5m2, maximum_operator>(ranks, count);
            check_packets<std::int64_t, product_operator>(ranks, count);
        }
}

TEST_CASE("packets hold whole elements") {
    CHECK(kernels::packets_of<std::int8_t>(5) == 2);
    CHECK(kernels::packets_of<bfloat16>(5) == 3);
    CHECK(kernels::packets_of<float>(5) == 5);
    CHECK(kernels::packets_of<double>(5) == 10);
}

// Three epochs, of which two are used between cleanings. What lay in a box long ago has the epoch of a call that comes,
// since calls differ in length and type.
TEST_CASE("an epoch that comes again is not taken for what it was, over random calls") {
    const unsigned ranks = 3;
    for (unsigned seed = 0; seed < 4; ++seed) {
        std::mt19937 random{seed};
        host_group<hesitant_execution> group(ranks, {2, 2}, 64);
        for (int call = 0; call < effort(150); ++call) {
            CAPTURE(seed, call);
            const std::size_t count = random() % 30;
            const auto check = [&]<class T>(T) {
                const allreduce_case<T, sum_operator> c(ranks, count, static_cast<unsigned>(random() % 100));
                std::vector<std::vector<T>> out(ranks, std::vector<T>(count));
                if (random() % 4 == 0) {
                    group.shot(3, [&](unsigned r) {
                        auto what = from_to<T, sum_operator>(c.in[0], out[r]);
                        for (what.sources = 0; what.sources < ranks; ++what.sources)
                            what.from[what.sources] = c.in[what.sources].data();
                        return what;
                    });
                } else {
                    group.template packets<2>([&](unsigned r) { return from_to<T, sum_operator>(c.in[r], out[r]); });
                }
                for (const auto& mine : out) REQUIRE(same_bits(mine, c.expected));
            };
            random() % 2 == 0 ? check(float{}) : check(bfloat16{});
        }
        REQUIRE_FALSE(group.has_failed());
    }
}

TEST_CASE("different calls by packets are found before anyone waits for what never comes") {
    host_group group(3, {2, 2}, 64);
    std::vector<std::vector<float>> data(3, std::vector<float>(40));
    const auto what_of = [&](unsigned r) {
        auto what = from_to<float, sum_operator>(data[r], data[r]);
        if (r == 1) what.count = 3;
        return what;
    };
    const auto signature_of = [](unsigned r) { return r == 1 ? 3U : 40U; };
    group.packets(signature_of, what_of, group.everyone); // the first call meets, which finds it
    for (unsigned r = 0; r < 3; ++r) CHECK(group.failure_of(r).why == kernels::group_failure::mismatch);

    host_group second(3, {2, 2}, 64);
    second.packets([&](unsigned r) { return from_to<float, sum_operator>(data[r], data[r]); });
    REQUIRE_FALSE(second.has_failed());
    second.packets(signature_of, what_of, second.everyone);
    for (unsigned r = 0; r < 3; ++r) {
        CAPTURE(r);
        CHECK(second.failure_of(r).why == kernels::group_failure::mismatch);
    }
}

TEST_CASE("a rank that sends no packets ends the call of the others") {
    host_group group(3, {2, 2}, 64, std::chrono::seconds(30));
    std::vector<std::vector<float>> data(3, std::vector<float>(40, 1.0F));
    const auto what_of = [&](unsigned r) { return from_to<float, sum_operator>(data[r], data[r]); };
    group.packets(what_of);
    REQUIRE_FALSE(group.has_failed());
    for (auto& g : group.groups) g.timeout_ns = 2'000'000'000;
    const auto signature_of = [](unsigned) { return 7U; };
    group.packets(signature_of, what_of, [](unsigned r) { return r != 2; });
    for (const unsigned r : {0U, 1U}) {
        CHECK(group.failure_of(r).why == kernels::group_failure::timeout);
        CHECK(group.failure_of(r).peer == 2);
    }
    // All that it needs is in its box when it comes: it must not take that for a call.
    CHECK(group.failure_of(2) == kernels::failure_word{});
    const auto before = data[2];
    group.packets(signature_of, what_of, [](unsigned r) { return r == 2; });
    CHECK(group.failure_of(2).why == kernels::group_failure::timeout);
    CHECK(same_bits(data[2], before));
}

TEST_CASE("what does not fit into the boxes is refused") {
    host_group group(2, {1, 1}, 10);
    std::vector<float> ten(10), eleven(11);
    CHECK_NOTHROW(kernels::check_packets(group.groups[0], group.boxes, from_to<float, sum_operator>(ten, ten)));
    CHECK_THROWS_AS(kernels::check_packets(group.groups[0], group.boxes, from_to<float, sum_operator>(eleven, eleven)),
                    error);
    auto two = from_to<float, sum_operator>(ten, ten);
    two.from[1] = two.from[0];
    two.sources = 2;
    CHECK_THROWS_AS(kernels::check_packets(group.groups[0], group.boxes, two), error);
}
