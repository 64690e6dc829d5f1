// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "kernels/engine/device_plan.hpp"
#include "schedule/random_program.hpp"

#include <collectives/algorithm/all.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace tutti;
using namespace tutti::test;
using kernels::detail::device_orders;
using schedule::operation;

namespace {

/// For which all chunks are equal.
constexpr std::size_t count_of_orders = 6720;

/// A program's orders, and the plans of each.
class orders_of {
public:
    explicit orders_of(const schedule::program& p) : program_(schedule::unjoined(p)), finder(program_) {}

    [[nodiscard]] auto walk(const device_orders& orders) const {
        const auto plans = kernels::detail::device_planner(program_, count_of_orders, sizeof(float)).plans(orders);
        return kernels::detail::plans_walk(plans).run(count_of_orders);
    }
    [[nodiscard]] auto walk_as_written() const { return walk(kernels::detail::as_written(program_)); }
    /// Each step once, those that wait for others behind them, and channels as they are written.
    [[nodiscard]] bool fits(const device_orders& orders) const {
        for (int r = 0; r < program_.size; ++r)
            if (!fits(schedule::order_of(program_, r), orders[static_cast<std::size_t>(r)])) return false;
        return true;
    }

private:
    [[nodiscard]] static bool fits(const schedule::order& o, const std::vector<std::uint32_t>& steps) {
        if (steps.size() != o.waits.size()) return false;
        std::vector<std::size_t> at(steps.size(), steps.size());
        for (std::size_t k = 0; k < steps.size(); ++k) at[steps[k]] = k;
        for (std::uint32_t i = 0; i < steps.size(); ++i) {
            if (at[i] == steps.size()) return false;
            for (const std::uint32_t f : o.followers_of(i))
                if (at[f] < at[i]) return false;
            if (o.next_on_channel[i] >= 0 && at[static_cast<std::size_t>(o.next_on_channel[i])] < at[i]) return false;
        }
        return true;
    }
    schedule::program program_;

public:
    kernels::detail::order_finder finder;
};

double rounds_of(const char* name, operation what, int size, int segments) {
    const auto p = algorithm::by_name(name, 1).write(what, size, 0, true, segments);
    return kernels::device_rounds_of(kernels::device_plans_of(p, count_of_orders, sizeof(float)), count_of_orders);
}

} // namespace

TEST_CASE("every order that is found has all steps, each behind those that it waits for, and nobody waits for ever") {
    int proven = 0, lists_that_wait = 0;
    const auto check = [&](const schedule::program& p) {
        orders_of all(p);
        for (const auto& orders : {all.finder.by_segment(), all.finder.by_way()}) {
            REQUIRE(all.fits(orders));
            if (p.what != operation::alltoall) REQUIRE(all.walk(orders).stuck < 0); // steps there may go over blocks
        }
        if (p.what != operation::alltoall) lists_that_wait += all.walk_as_written().stuck >= 0;
        ++proven;
    };
    for (unsigned seed = 1; seed <= effort(3000U); ++seed) {
        const schedule::program p = random_program(seed).write();
        if (!schedule::verify(p, nullptr, schedule::bits::may_differ).proven) continue;
        INFO("seed " << seed);
        check(p);
    }
    CHECK(proven > effort(500));
    CHECK(lists_that_wait > 0);
    for (int size = 1; size <= 8; ++size)
        for (const operation what : schedule::operations)
            for (const algorithm::any& how : algorithm::all(what, 2)) {
                INFO(how.name() << ", " << schedule::name_of(what) << ", " << size << " ranks");
                check(how.write(what, size, size / 2, size % 2 == 0, 1 + size % 3 * 2));
            }
}

TEST_CASE("what overwrites a message comes behind those that its acknowledgement waits for") {
    using namespace schedule;
    const auto bank = [](int number) { return place{scratch(number), 0, 1}; };
    const place in{buffer::input, 0, 1};
    const std::array other{scratch(3)};
    auto p = algorithm::by_name("naive").write(operation::allreduce, 4);
    // Rank 1 reads rank 0's first message late, and so acknowledges the second one late. Its reader needs what rank 0
    // passes on behind the copy that overwrites the second one.
    const std::vector<std::vector<step>> more{
        {copy(in, bank(1)), send(1, in), send(1, bank(1)), copy(in, bank(1)), receive(3, bank(2)), send(2, bank(2))},
        {receive(0, bank(1)), receive(0, bank(2)), receive(2, bank(3)), reduce_many(bank(1), other, bank(4))},
        {send(3, in), receive(0, bank(1)), send(1, bank(1))},
        {receive(2, bank(1)), send(0, bank(1))}};
    for (std::size_t r = 0; r < 4; ++r) p.ranks[r].insert(p.ranks[r].begin(), more[r].begin(), more[r].end());
    p.parts.clear();
    REQUIRE(verify(p, nullptr, bits::may_differ).proven);
    orders_of all(p);
    CHECK(all.walk_as_written().stuck == 0);
    CHECK(all.walk(all.finder.by_segment()).stuck < 0);
    CHECK(all.walk(all.finder.by_way()).stuck < 0);
    CHECK_NOTHROW(kernels::device_plans_of(p, count_of_orders, sizeof(float)));
}

TEST_CASE("the order that is taken is never dearer than the list as it is written") {
    for (const int size : {3, 5, 8})
        for (const algorithm::any& how : algorithm::all(operation::allreduce, 2)) {
            const auto p = how.write(operation::allreduce, size, 0, false, 4);
            orders_of all(p);
            const auto written = all.walk_as_written();
            const auto plans = kernels::device_plans_of(p, count_of_orders, sizeof(float));
            INFO(how.name() << ", " << size << " ranks");
            CHECK((written.stuck >= 0 || kernels::detail::plans_walk(plans).run(count_of_orders).time <= written.time));
        }
}

TEST_CASE("rounds are those of the formulas where every rank reads all the time") {
    for (const int size : {2, 3, 4, 5, 6, 7, 8}) {
        const double shards = 2.0 * (size - 1) / size;
        CAPTURE(size);
        for (const char* name : {"ring", "direct"})
            for (const int segments : {1, 5})
                CHECK(rounds_of(name, operation::allreduce, size, segments) == Approx(shards).epsilon(1e-3));
        CHECK(rounds_of("one_shot", operation::allreduce, size, 1) == Approx(size - 1));
    }
    CHECK(rounds_of("halving_doubling", operation::allreduce, 8, 1) == Approx(1.75));
}

TEST_CASE("ranks that read from one rank share its port") {
    CHECK(rounds_of("naive", operation::broadcast, 4, 1) == Approx(3));
    CHECK(rounds_of("naive", operation::reduce, 4, 1) == Approx(3));
    CHECK(rounds_of("binomial_tree", operation::reduce, 4, 1) == Approx(2)); // the two of the first round at once
    CHECK(rounds_of("chain", operation::scan, 4, 1) == Approx(3));
}

TEST_CASE("segments make trees shorter") {
    for (const int size : {4, 8})
        for (const char* name : {"binomial_tree", "double_binary_tree"}) {
            CAPTURE(size, name);
            const double whole = rounds_of(name, operation::allreduce, size, 1);
            CHECK(rounds_of(name, operation::allreduce, size, 16) < 0.85 * whole);
        }
    CHECK(rounds_of("double_binary_tree", operation::allreduce, 8, 16) < 3);   // as it is written: 9
    CHECK(rounds_of("double_binary_tree", operation::broadcast, 8, 16) < 1.3); // 6
}
