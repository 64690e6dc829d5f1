// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/buckets/bucket_plan.hpp>
#include <training/zero/buffer_pool.hpp>

#include "support/catch.hpp"

#include <random>

namespace tutti::test::bucket_plans {
namespace {

std::vector<training::parameter> of_lengths(const std::vector<std::size_t>& lengths) {
    std::vector<training::parameter> all;
    for (const std::size_t n : lengths) all.push_back({"p" + std::to_string(all.size()), n});
    return all;
}

} // namespace

TEST_CASE("buckets are filled from the last parameter on, the first one less than the others") {
    const training::bucket_plan plan(of_lengths({10, 20, 30, 5, 5, 4}), {.first = 40, .most = 240});
    REQUIRE(plan.buckets().size() == 3);
    CHECK(plan.buckets()[0].first == 4);
    CHECK(plan.buckets()[1].first == 1);
    CHECK(plan.buckets()[2].first == 0);
    CHECK(plan.buckets()[0].count == 9);
    CHECK(plan.buckets()[1].count == 55);
    CHECK(plan.begin(3) == 60);
    CHECK(plan.bucket_of(3) == 1);
}

TEST_CASE("a parameter that is larger than a bucket has one of its own, and no parameters have none") {
    const training::bucket_plan plan(of_lengths({1, 100, 1}), {.first = 16, .most = 16});
    CHECK(plan.buckets().size() == 3);
    CHECK(training::bucket_plan({}, {}).buckets().empty());
}

TEST_CASE("buckets cover all parameters once, without gaps") {
    std::mt19937 random(17);
    for (int k = 0; k < 200; ++k) {
        std::vector<std::size_t> lengths(random() % 20);
        for (auto& n : lengths) n = random() % 50;
        const training::bucket_plan plan(of_lengths(lengths), {.first = random() % 200, .most = random() % 400});
        std::size_t last = lengths.size(), end = plan.elements();
        for (const auto& b : plan.buckets()) {
            CHECK(b.last == last);
            CHECK(b.begin + b.count == end);
            CHECK(b.begin == plan.begin(b.first));
            last = b.first;
            end = b.begin;
        }
        CHECK((last == 0 && end == 0));
    }
}

TEST_CASE("a number that no parameter has is refused") {
    const training::bucket_plan plan(of_lengths({1, 2}), {});
    for (const auto& call : {&training::bucket_plan::begin, &training::bucket_plan::bucket_of})
        CHECK_THROWS_WITH((plan.*call)(2), Catch::Contains("there is no parameter 2, but 2 of them"));
    CHECK(plan.elements(1) == 2);
}

TEST_CASE("a pool of buffers lets no small bucket have the memory of a large one") {
    training::detail::buffer_pool pool;
    pool.give_back(pool.take(1000));
    for (const std::size_t small : {10, 6, 5}) {
        std::vector<float> buffer = pool.take(small);
        CHECK(buffer == std::vector<float>(small));
        std::ranges::fill(buffer, 1.0F);
        pool.give_back(std::move(buffer));
    }
    CHECK(pool.bytes() == (1000 + 10) * sizeof(float));
}

} // namespace tutti::test::bucket_plans
