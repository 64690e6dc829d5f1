// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/plan_cache.ipp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <array>
#include <string>

using namespace tutti;
using tutti::test::expect;
using cache = engine::plan_cache<transport::memory>;

namespace {

engine::call to_root(int root) {
    engine::call c{schedule::operation::reduce, algorithm::binomial_tree{}};
    c.root = root;
    return c;
}
void find_all(cache& plans, int first, int last, int size) {
    for (int root = first; root < last; ++root) static_cast<void>(plans.find(to_root(root), 1, size));
}

} // namespace

TEST_CASE("a plan is found again by all that it depends on, and by nothing else") {
    cache plans;
    auto& first = plans.find(to_root(0), 1, 100);
    auto again = to_root(0);
    again.count = 1'000'000;
    again.type = 5;
    CHECK(&plans.find(again, 1, 100) == &first);
    CHECK(&plans.find(to_root(1), 1, 100) != &first);
    auto other = to_root(0);
    other.in_place = true;
    CHECK(&plans.find(other, 1, 100) != &first);
    other = to_root(0);
    other.segments = 2;
    CHECK(&plans.find(other, 1, 100) != &first);
    other = to_root(0);
    other.how = algorithm::naive{};
    CHECK(&plans.find(other, 1, 100) != &first);
    other.what = schedule::operation::broadcast;
    CHECK(&plans.find(other, 1, 100) != &first);
    CHECK(&plans.find(to_root(0), 1, 100) == &first);
}

TEST_CASE("the root counts only where there is one") {
    cache plans;
    engine::call c{schedule::operation::allreduce, algorithm::ring{}};
    auto& first = plans.find(c, 1, 4);
    c.root = 3;
    CHECK(&plans.find(c, 1, 4) == &first);
}

TEST_CASE("beyond its capacity the plan that was not used for longest goes") {
    cache plans;
    constexpr int capacity = static_cast<int>(cache::capacity);
    auto& kept = plans.find(to_root(0), 1, 200);
    std::weak_ptr<const schedule::plan> oldest = plans.find(to_root(1), 1, 200).plan;
    find_all(plans, 2, capacity, 200);
    CHECK_FALSE(oldest.expired());
    CHECK(&plans.find(to_root(0), 1, 200) == &kept); // used again
    std::weak_ptr<const schedule::plan> next = plans.find(to_root(2), 1, 200).plan;
    find_all(plans, capacity, capacity + 1, 200);
    CHECK(oldest.expired());
    CHECK_FALSE(next.expired());
    find_all(plans, capacity + 1, 190, 200);
    CHECK(next.expired());
}

TEST_CASE("a plan in use stays, however many come") {
    cache plans;
    auto& used = plans.find(to_root(0), 1, 400);
    ++used.in_use;
    find_all(plans, 1, 300, 400);
    CHECK(&plans.find(to_root(0), 1, 400) == &used);
    --used.in_use;
    find_all(plans, 1, 300, 400);
    CHECK(plans.find(to_root(0), 1, 400).plan != nullptr);
}

TEST_CASE("calls of far more kinds than the cache holds, some of them under way or prepared, all work") {
    test::run_world(3, [](test::communicator& world) {
        std::vector<int> held(100, 1), waited(50'000, 1), data(10);
        auto prepared = world.prepare_allreduce(held, sum, algorithm::butterfly{});
        auto request = world.allreduce_async(waited, sum, algorithm::naive{});
        for (int nodes = 1; nodes <= 200; ++nodes) {
            std::fill(data.begin(), data.end(), 1);
            world.allreduce(data, sum, algorithm::hierarchical<algorithm::ring, algorithm::ring>{nodes});
            expect(data[9] == 3, "the sum");
        }
        prepared.run();
        request.wait();
        expect(held[99] == 3 && waited[49'999] == 3, "the sums that were held");
    });
}

namespace {

/// A ring whose last step names a chunk that is none.
struct off_by_one : algorithm::ring {
    template <class Emit>
    static constexpr void allgather(const schedule::position& p, Emit&& emit) {
        algorithm::ring::allgather(p, emit);
        emit(schedule::send((p.rank + 1) % p.size, {schedule::buffer::output, p.size, 1}));
    }
};

/// Broadcasts, and combines what it has got with itself, for nothing.
struct reducing_broadcast : algorithm::naive {
    template <class Emit>
    static constexpr void broadcast(const schedule::position& p, Emit&& emit) {
        algorithm::naive::broadcast(p, emit);
        const schedule::place data{schedule::buffer::output, 0, 1}, nowhere{schedule::scratch(0), 0, 1};
        const std::array same{schedule::buffer::output};
        if (p.rank != p.root) emit(schedule::reduce_many(data, same, nowhere));
    }
};

/// Keeps rank order up to 5 ranks only, which is as far as the compiler looks.
struct up_to_five {
    static constexpr std::string_view name = "up_to_five";
    static constexpr int chunks(int size) { return size > 5 ? size : 1; }
    static constexpr schedule::cost stated(schedule::operation, int) { return {}; }
    template <class Emit>
    static constexpr void allreduce(const schedule::position& p, Emit&& emit) {
        if (p.size > 5)
            algorithm::walk(algorithm::ring{}, schedule::operation::allreduce, p, emit);
        else
            algorithm::walk(algorithm::naive{}, schedule::operation::allreduce, p, emit);
    }
};

/// Folds in rank order out of place, and the other way round in place.
struct turned_in_place : algorithm::naive {
    static constexpr std::string_view name = "turned_in_place";
    template <class Emit>
    static constexpr void reduce(const schedule::position& p, schedule::buffer partial, Emit&& emit) {
        algorithm::naive::reduce(p, partial, [&](schedule::step s) {
            if (p.in_place && reduces(s)) s.other = schedule::side::left;
            emit(s);
        });
    }
};

} // namespace

TEST_CASE("a schedule that would harm memory is refused when its plan is made") {
    cache plans;
    try {
        static_cast<void>(plans.find({schedule::operation::allgather, off_by_one{}}, 1, 4));
        FAIL("no such plan");
    } catch (const error& e) {
        CHECK(e.why() == cause::invalid_argument);
        CHECK(std::string(e.what()).find("rank 1, step 6 (send chunk 4 of output to rank 2): chunk 4 is "
                                         "outside") != std::string::npos);
    }
}

TEST_CASE("a schedule that reduces where the call has no operator is refused by the rank that would") {
    cache plans;
    try {
        static_cast<void>(plans.find({schedule::operation::broadcast, reducing_broadcast{}}, 1, 2));
        FAIL("no such plan");
    } catch (const error& e) {
        CHECK(e.why() == cause::invalid_argument);
        CHECK(std::string(e.what()).find("in an operation that has no operator") != std::string::npos);
    }
}

TEST_CASE("an operator that needs rank order gets no plan without it, whatever the number of ranks") {
    cache five, six;
    engine::call c{schedule::operation::allreduce, up_to_five{}};
    c.keeps_order = engine::proves_rank_order;
    CHECK_NOTHROW(static_cast<void>(five.find(c, 1, 5)));
    CHECK_THROWS_AS(static_cast<void>(six.find(c, 1, 6)), error);
    c.keeps_order = nullptr;
    CHECK_NOTHROW(static_cast<void>(six.find(c, 1, 6)));
}

TEST_CASE("rank order that holds in one mode alone is none: all ranks are refused alike, in either mode") {
    for (const bool in_place : {false, true}) {
        cache plans;
        engine::call c{schedule::operation::allreduce, turned_in_place{}};
        c.in_place = in_place;
        CHECK_NOTHROW(static_cast<void>(plans.find(c, 1, 3)));
        c.keeps_order = engine::proves_rank_order;
        for (int rank = 0; rank < 3; ++rank) CHECK_THROWS_AS(static_cast<void>(plans.find(c, rank, 3)), error);
    }
}

TEST_CASE("an operator that needs rank order meets none that depends on the mode, whichever mode each rank is in") {
    test::run_world(3, [](test::communicator& world) {
        const auto digits = non_commutative([](int a, int b) { return 10 * a + b; });
        const algorithm::any how{turned_in_place{}};
        for (const int apart : {0, 1, 2, 3}) { // which rank is not in place; 3: none
            std::vector<int> data{world.rank() + 1}, out{0};
            const auto f = test::fault_of([&] {
                if (world.rank() == apart)
                    world.allreduce(data, out, digits, how);
                else
                    world.allreduce(data, digits, how);
            });
            expect(f.why == cause::invalid_argument, "an invalid argument, not: " + message_of(f));
            expect(data[0] == world.rank() + 1 && out[0] == 0, "nothing has changed");
        }
    });
}
