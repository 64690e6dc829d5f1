// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/plan_cache.hpp>
#include <collectives/engine/plan_run.hpp>

#include <collectives/algorithm/preserves_order.hpp>
#include <collectives/algorithm/prove.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

using namespace tutti;
using tutti::test::expect;
using cache = engine::plan_cache;

namespace {

engine::call to_root(int root) {
    engine::call c{schedule::operation::reduce, algorithm::binomial_tree{}};
    c.root = root;
    return c;
}
void find_all(cache& plans, int first, int last, int size) {
    for (int root = first; root < last; ++root) static_cast<void>(plans.find(to_root(root), 1, size));
}

/// Does nothing.
class never final : public engine::executor {
    bool start(const engine::local_work&, transport::transfer&) override { return true; }
    bool progress() override { return false; }
    void stop(transport::transfer_queue&) noexcept override {}
};

/// Uses a scratch bank with a high number.
struct far_banks {
    static constexpr std::string_view name = "far_banks";
    static constexpr int chunks(int) { return 1; }
    static constexpr schedule::cost stated(schedule::operation, int) { return {}; }
    static constexpr void allreduce(const schedule::position& p, auto&& put) {
        algorithm::walk(algorithm::naive{}, schedule::operation::allreduce, p, put);
        put(schedule::copy({schedule::buffer::output, 0, 1}, {schedule::scratch(40'000), 0, 1}));
    }
};

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

TEST_CASE("a call with an executor has a plan of its own: nothing reduces what it receives, and nothing is viewed") {
    never e;
    const auto is_rr = [](const schedule::step& s) { return s.what == schedule::action::receive_reduce; };
    cache plans;
    int fused = 0, viewed = 0;
    for (const auto& how : algorithm::all(schedule::operation::allreduce, 2)) {
        engine::call c{schedule::operation::allreduce, how};
        const auto plain = plans.find(c, 1, 4).plan;
        c.by = &e;
        const auto& entry = plans.find(c, 1, 4);
        const auto lowered = entry.plan;
        CHECK(plain != lowered);
        CHECK(&plans.find(c, 1, 4) == &entry);
        CHECK(std::none_of(lowered->steps.begin(), lowered->steps.end(), is_rr));
        fused += std::any_of(plain->steps.begin(), plain->steps.end(), is_rr) ? 1 : 0;
        for (int i = 0; i < static_cast<int>(lowered->steps.size()); ++i)
            CHECK(lowered->dependencies.viewed.reader_of(i) == -1);
        for (int i = 0; i < static_cast<int>(plain->steps.size()); ++i)
            viewed += plain->dependencies.viewed.reader_of(i) >= 0 ? 1 : 0;
    }
    CHECK((fused > 5 && viewed > 0));
}

TEST_CASE("a schedule whose banks leave no room for those of an executor is refused with one") {
    engine::call c{schedule::operation::allreduce, far_banks{}};
    cache plans;
    CHECK_NOTHROW(plans.find(c, 0, 2));
    never e;
    c.by = &e;
    try {
        static_cast<void>(plans.find(c, 0, 2));
        FAIL("it is to be refused");
    } catch (const error& x) {
        CHECK(x.why() == cause::invalid_argument);
    }
}

TEST_CASE("the root counts only where there is one") {
    cache plans;
    engine::call c{schedule::operation::allreduce, algorithm::ring{}};
    auto& first = plans.find(c, 1, 4);
    c.root = 3;
    CHECK(&plans.find(c, 1, 4) == &first);
}

TEST_CASE("the plans of a thousand roots in turn are made once") {
    cache plans;
    find_all(plans, 0, 1000, 1000);
    CHECK(plans.size() == 1000);
    CHECK(plans.bytes() <= cache::most_bytes);
    std::vector<const schedule::plan*> made;
    for (int root = 0; root < 1000; ++root) made.push_back(plans.find(to_root(root), 1, 1000).plan.get());
    for (int round = 0; round < 3; ++round)
        for (int root = 0; root < 1000; ++root)
            CHECK(plans.find(to_root(root), 1, 1000).plan.get() == made[static_cast<std::size_t>(root)]);
    CHECK(plans.size() == 1000);
}

namespace {

/// Each some hundreds of kilobytes: as many as are kept in any case are more than the bound.
engine::call huge(int root) {
    engine::call c{schedule::operation::reduce, algorithm::naive{}};
    c.root = root;
    c.segments = 4;
    return c;
}
constexpr int many = 200;

} // namespace

TEST_CASE("beyond its memory the plan that was not used for longest goes, and a number of plans stays in any case") {
    cache plans;
    constexpr int least = static_cast<int>(cache::least);
    const auto find = [&](int root) -> auto& { return plans.find(huge(root), root, many); }; // the root's own is long
    auto& kept = find(0);
    std::weak_ptr<const schedule::plan> oldest = find(1).plan;
    for (int root = 2; root < least; ++root) static_cast<void>(find(root));
    CHECK(plans.bytes() > cache::most_bytes);
    CHECK_FALSE(oldest.expired());
    CHECK(&find(0) == &kept); // used again
    std::weak_ptr<const schedule::plan> next = find(2).plan;
    static_cast<void>(find(least));
    CHECK(oldest.expired());
    CHECK_FALSE(next.expired());
    for (int root = least + 1; root < 2 * least; ++root) static_cast<void>(find(root));
    CHECK(next.expired());
    CHECK(plans.size() == cache::least);
}

TEST_CASE("a plan in use stays, however many come") {
    cache plans;
    auto& used = plans.find(huge(0), 0, many);
    const auto* const plan = used.plan.get();
    ++used.in_use;
    for (int root = 1; root < many; ++root) static_cast<void>(plans.find(huge(root), root, many));
    CHECK(&plans.find(huge(0), 0, many) == &used);
    CHECK(used.plan.get() == plan);
    --used.in_use;
    for (int root = 1; root < many; ++root) static_cast<void>(plans.find(huge(root), root, many));
    CHECK(plans.find(huge(0), 0, many).plan != nullptr);
    CHECK(plans.size() == cache::least);
}

TEST_CASE("calls of far more kinds than the cache holds, some of them under way or prepared, all work") {
    test::run_world(3, [](test::communicator& world) {
        std::vector<int> held(100, 1), waited(50'000, 1), data(10);
        auto prepared = world.prepare().allreduce(held, sum, algorithm::butterfly{});
        auto request = world.async().allreduce(waited, sum, algorithm::naive{});
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
    template <class Put>
    static constexpr void allgather(const schedule::position& p, Put&& put) {
        algorithm::ring::allgather(p, put);
        put(schedule::send((p.rank + 1) % p.size, {schedule::buffer::output, p.size, 1}));
    }
};

/// Broadcasts, and combines what it has got with itself, for nothing.
struct reducing_broadcast : algorithm::naive {
    template <class Put>
    static constexpr void broadcast(const schedule::position& p, Put&& put) {
        algorithm::naive::broadcast(p, put);
        const schedule::place data{schedule::buffer::output, 0, 1}, nowhere{schedule::scratch(0), 0, 1};
        const std::array same{schedule::buffer::output};
        if (p.rank != p.root) put(schedule::reduce_many(data, same, nowhere));
    }
};

/// Keeps rank order up to 5 ranks only, which is as far as the compiler looks.
struct up_to_five {
    static constexpr std::string_view name = "up_to_five";
    static constexpr int chunks(int size) { return size > 5 ? size : 1; }
    static constexpr schedule::cost stated(schedule::operation, int) { return {}; }
    template <class Put>
    static constexpr void allreduce(const schedule::position& p, Put&& put) {
        if (p.size > 5)
            algorithm::walk(algorithm::ring{}, schedule::operation::allreduce, p, put);
        else
            algorithm::walk(algorithm::naive{}, schedule::operation::allreduce, p, put);
    }
};

/// Folds in rank order out of place, and the other way round in place.
struct turned_in_place : algorithm::naive {
    static constexpr std::string_view name = "turned_in_place";
    template <class Put>
    static constexpr void reduce(const schedule::position& p, schedule::buffer partial, Put&& put) {
        algorithm::naive::reduce(p, partial, [&](schedule::step s) {
            if (p.in_place && reduces(s)) s.other = schedule::side::left;
            put(s);
        });
    }
};

/// Right, for even numbers of ranks as it says, and on six as it does not say wrong. Counts how often it is walked.
struct for_even : algorithm::naive {
    static constexpr std::string_view name = "for_even";
    static inline std::atomic<int> walks{0}; ///< by all threads; a counter alone
    static constexpr bool runs_on(int size) { return size % 2 == 0; }
    template <class Put>
    static void reduce(const schedule::position& p, schedule::buffer partial, Put&& put) {
        ++walks;
        if (p.size != 6) algorithm::naive::reduce(p, partial, put);
    }
};

std::string refusal_of(schedule::operation what, const algorithm::any& how, int size) {
    cache plans;
    return test::fault_of([&] { static_cast<void>(plans.find({what, how}, 0, size)); }).detail;
}

} // namespace

TEST_CASE("an algorithm that is not for so many ranks is refused, with the numbers that it is for") {
    CHECK(refusal_of(schedule::operation::reduce, for_even{}, 3) ==
          "for_even is for 2, 4, 6, 8, 10, 12, 14, 16, ... ranks, not for 3");
    const algorithm::hierarchical<algorithm::ring, for_even> of_two{2};
    CHECK(of_two.runs_on(8));                                                                              // four nodes
    CHECK(refusal_of(schedule::operation::allreduce, of_two, 10).find("not for 10") != std::string::npos); // five nodes
}

TEST_CASE("what is not the library's is proven before it runs, once for all communicators of a process") {
    const auto wrong = refusal_of(schedule::operation::reduce, for_even{}, 6);
    CHECK(wrong ==
          "the schedule is not proven: reduce(for_even) on 6 ranks, root 0, out of place: no chain of messages "
          "joins rank 1 to rank 0");
    cache first, second;
    const engine::call c{schedule::operation::reduce, for_even{}};
    for_even::walks = 0;
    CHECK_NOTHROW(static_cast<void>(first.find(c, 0, 4)));
    CHECK(for_even::walks == 1 + 4 + 2 * 4); // its own, a count of the steps of all, and a proof of both modes
    CHECK_NOTHROW(static_cast<void>(first.find(c, 0, 4)));
    CHECK(for_even::walks == 13);
    CHECK_NOTHROW(static_cast<void>(second.find(c, 0, 4)));
    CHECK(for_even::walks == 14); // a plan of its own
}

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
    c.keeps_order = algorithm::detail::order_proofs<void>::of_call;
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
        CHECK_THROWS_AS(static_cast<void>(plans.find(c, 1, 3)), error); // ranks may differ in the mode: it has no proof
        c.keeps_order = algorithm::detail::order_proofs<void>::of_call;
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
