// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "server_job.hpp"

#include "support/catch.hpp"

#include <limits>
#include <random>

namespace tutti::test::stores {
namespace {

using training::server::significant_changes;

TEST_CASE("changes wait until they come to more than the threshold, and none is lost") {
    significant_changes filter(4, 1);
    filter.add(0, std::vector<float>{0.6F, -2, 1});
    auto some = filter.take();
    CHECK(some.keys == std::vector<std::uint64_t>{1});
    CHECK(some.changes == std::vector<float>{-2});
    filter.add(0, std::vector<float>{0.6F, 0, 0});
    some = filter.take();
    CHECK(some.keys == std::vector<std::uint64_t>{0});
    CHECK(some.changes == std::vector<float>{0.6F + 0.6F});
    some = filter.take_all();
    CHECK(some.keys == std::vector<std::uint64_t>{2});
    CHECK(filter.take_all().keys.empty());
    filter.add(3, std::vector<float>{std::numeric_limits<float>::quiet_NaN()});
    CHECK(filter.take().keys == std::vector<std::uint64_t>{3});
}

TEST_CASE("a filter refuses what it cannot do") {
    const auto refused = [](const std::function<void()>& call) {
        return fault_of(call).why == cause::invalid_argument;
    };
    significant_changes filter(4, 0);
    CHECK(refused([] { significant_changes(4, -1); }));
    CHECK(refused([] { significant_changes(4, std::numeric_limits<float>::quiet_NaN()); }));
    CHECK(refused([&] { filter.add(3, std::vector<float>(2)); }));
    CHECK(refused([&] { filter.add(~std::uint64_t{0}, std::vector<float>(1)); }));
}

TEST_CASE("filtered changes come to the same sum, in fewer keys") {
    constexpr std::size_t keys = 200;
    run_store(apart(2, 1, keys), training::sgd{}, {}, [&](client& c, int) {
        std::mt19937 random(1);
        significant_changes filter(keys, 8);
        std::vector<float> sum(keys), got(keys);
        std::size_t sent = 0;
        for (int step = 0; step < 20; ++step) {
            std::vector<float> change(keys);
            for (std::size_t k = 0; k < keys; ++k) change[k] = static_cast<float>(random() % (k < 20 ? 9 : 2));
            for (std::size_t k = 0; k < keys; ++k) sum[k] += change[k];
            filter.add(0, change);
            const auto some = filter.take();
            sent += some.keys.size();
            c.add(some.keys, some.changes);
            c.get(0, got);
            for (std::size_t k = 0; k < keys; ++k)
                expect(sum[k] - got[k] <= 8, "no more than the threshold is missing");
        }
        const auto rest = filter.take_all();
        c.add(rest.keys, rest.changes);
        c.get(0, got);
        expect(got == sum, "the sum is whole");
        expect(sent < 20 * keys / 5, "few keys were sent");
    });
}

/// So many lists take turns at a server that keeps four of them.
void check_lists(std::size_t lists, bool stay_known) {
    constexpr std::size_t keys = 60;
    constexpr int rounds = 10;
    run_store(apart(1, 1, keys, 1, 1), training::sgd{}, {.key_lists = 4}, [&](client& c, int) {
        std::vector<float> expected(keys), got(keys);
        for (int round = 0; round < rounds; ++round)
            for (std::size_t l = 0; l < lists; ++l) {
                std::vector<std::uint64_t> some;
                for (std::size_t k = l; k < keys; k += lists) some.push_back(k);
                const std::vector<float> values(some.size(), static_cast<float>(l + 1));
                c.add(some, values); // twice, with both under way where the list is not known
                c.add(some, values);
                for (const std::uint64_t k : some) expected[k] += 2 * static_cast<float>(l + 1);
                std::vector<float> part(some.size());
                if (round % 2 == 0) c.get(some, part);
                for (std::size_t i = 0; round % 2 == 0 && i < some.size(); ++i)
                    expect(part[i] == expected[some[i]], "a list means its keys");
            }
        c.get(0, got);
        expect(got == expected, "each add counts once and in order");
        if (stay_known) expect(c.lists_saved() == lists * (2 * rounds + rounds / 2 - 1), "a list travels once");
    });
}
TEST_CASE("a list of keys that the server knows travels as its hash, and one that it has forgotten again") {
    check_lists(1, true);
    check_lists(4, true);
    check_lists(5, false);
    check_lists(13, false);
}

} // namespace
} // namespace tutti::test::stores
