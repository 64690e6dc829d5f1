// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/recording.hpp>
#include <collectives/schedule/lowering/pack.hpp>
#include <collectives/schedule/lowering/plan.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <map>
#include <utility>

using namespace tutti::test;
using tutti::schedule::activity;
namespace algorithm = tutti::algorithm;
namespace schedule = tutti::schedule;

namespace {

constexpr std::size_t plenty = 10'000;
using clock_type = communicator::clock;
using activities = std::vector<activity>;

/// The schedule of an allreduce in place, as the engine compiles it.
schedule::plan plan_of(const algorithm::any& how, const communicator& world) {
    const schedule::position at{world.rank(), world.size(), 0, true};
    std::vector<schedule::step> steps;
    how.walk(schedule::operation::allreduce, at, 1, steps);
    return schedule::compile(schedule::operation::allreduce, at, how.chunks(schedule::operation::allreduce, at.size), 1,
                             schedule::packed(std::move(steps)));
}

std::size_t elements_of_step(const schedule::step& s, const schedule::layout& cut) {
    const schedule::place chunks = receives(s) ? s.to : s.from;
    return cut.bound(chunks.first + chunks.count) - cut.bound(chunks.first);
}

/// That the activities are the steps of the plan, each once, with its peer and its bytes; a message is one with all of
/// its parts.
void expect_steps(const activities& list, const schedule::plan& plan, std::size_t count) {
    expect(list.size() == plan.starts, "as many activities as steps");
    const schedule::layout cut = plan.cut(count);
    std::size_t i = 0;
    for (const activity& a : list) {
        const schedule::step& s = plan.steps[i];
        std::size_t elements = 0;
        for (std::size_t k = schedule::parts_from(plan.steps, i); k-- > 0;)
            elements += elements_of_step(plan.steps[i + k], cut);
        expect(a.rank == plan.where.rank && a.step == static_cast<int>(i) && a.what == s.what, "the step itself");
        i += schedule::parts_from(plan.steps, i);
        expect(a.peer == (communicates(s) ? plan.peers[static_cast<std::size_t>(s.peer)] : -1), "its peer");
        expect(a.bytes == elements * sizeof(int), "its bytes");
        expect(0 <= a.begin_s && a.begin_s <= a.end_s && a.end_s < patience.count(), "times since the origin");
    }
}

/// That nothing begins before the data that it needs, or overwrites, is done with, nor before its turn on its channel.
void expect_order(const activities& recorded, const schedule::order& order) {
    activities list(order.waits.size());
    for (const activity& a : recorded) list[static_cast<std::size_t>(a.step)] = a;
    for (std::size_t i = 0; i < list.size(); ++i) {
        for (std::uint32_t f = order.first[i]; f < order.first[i + 1]; ++f)
            expect(list[i].end_s <= list[order.followers[f]].begin_s, "data is done with before it is used again");
        if (const int next = order.next_on_channel[i]; next >= 0)
            expect(list[i].begin_s <= list[static_cast<std::size_t>(next)].begin_s, "channels start in order");
    }
}

/// Each channel's sends and receives, in the order of the ranks' traces.
struct channel {
    activities sends, receives;
};
using channels = std::map<std::pair<int, int>, channel>;

void add(channels& to, const activities& list) {
    for (const activity& a : list)
        if (a.what == schedule::action::send)
            to[{a.rank, a.peer}].sends.push_back(a);
        else if (a.peer >= 0)
            to[{a.peer, a.rank}].receives.push_back(a);
}

/// How many messages there are; all of them have both ends.
std::size_t expect_matched(const channels& all) {
    std::size_t messages = 0;
    for (const auto& [ends, c] : all) {
        expect(c.sends.size() == c.receives.size(), "a receive for each send");
        for (std::size_t k = 0; k < c.sends.size(); ++k) {
            expect(c.sends[k].bytes == c.receives[k].bytes, "both ends agree on the bytes");
            expect(c.sends[k].begin_s <= c.receives[k].end_s, "nothing is received before it is sent");
        }
        messages += c.sends.size();
    }
    return messages;
}

} // namespace

TEST_CASE("a recording has every step of the schedule once, in an order that the data allows, its messages matched") {
    for (const int size : {1, 2, 5})
        for (const auto& how : algorithm::all(tutti::schedule::operation::allreduce, 2)) {
            const auto origin = clock_type::now();
            std::mutex lock;
            channels all;
            run_world(size, [&](communicator& world) {
                constexpr std::size_t count = 1001;
                std::vector<int> data(count, 1);
                auto recording = world.record(plenty, origin);
                world.allreduce(data, tutti::sum, how);
                const auto trace = recording.stop();
                expect(data[count - 1] == size && trace.missed_calls == 0, "the sum, nothing missed");
                const auto plan = plan_of(how, world);
                expect_steps(trace.activities, plan, count);
                expect_order(trace.activities, plan.dependencies);
                const std::lock_guard held(lock);
                add(all, trace.activities);
            });
            CHECK((expect_matched(all) == 0) == (size == 1));
        }
}

TEST_CASE("messages of calls that overlap are matched by their order in the traces") {
    const auto origin = clock_type::now();
    std::mutex lock;
    channels all;
    run_world(3, [&](communicator& world) {
        std::vector<std::vector<int>> data;
        for (std::size_t k = 0; k < 12; ++k) data.emplace_back(k % 3 == 0 ? 200'000 : 10 * k, 1); // small ones overtake
        auto recording = world.record(plenty, origin);
        std::vector<request> requests;
        for (auto& d : data) requests.push_back(world.async().allreduce(d, tutti::sum, algorithm::ring{}));
        for (auto r = requests.rbegin(); r != requests.rend(); ++r) r->wait();
        const auto trace = recording.stop();
        const std::lock_guard held(lock);
        add(all, trace.activities);
    });
    CHECK(expect_matched(all) == 12 * 3 * 4); // each rank of a ring sends 2(P - 1) messages a call
}

TEST_CASE("calls that do not fit are counted, not recorded, and give their results") {
    run_world(2, [](communicator& world) {
        std::vector<int> data(100, 1);
        const std::size_t steps = plan_of(algorithm::ring{}, world).steps.size();
        for (const std::size_t fit : {std::size_t{0}, std::size_t{2}}) {
            auto recording = world.record(fit * steps + steps - 1);
            for (int k = 0; k < 5; ++k) world.allreduce(data, tutti::maximum, algorithm::ring{});
            const auto trace = recording.stop();
            expect(trace.activities.size() == fit * steps, "those that fit");
            expect(trace.missed_calls == 5 - fit, "the others");
        }
        expect(data[99] == 1, "the maximum");
    });
}

TEST_CASE("a recording begins and ends when it says so, one at a time on a communicator") {
    run_world(2, [](communicator& world) {
        auto recording = world.record(plenty);
        world.barrier();
        const auto second = fault_of([&] { static_cast<void>(world.record(plenty)); });
        expect(second.why == tutti::cause::invalid_argument, "a second one is refused");
        const auto other = world.duplicate();
        auto of_other = other.record(plenty);
        other.barrier();
        other.barrier();
        const std::size_t one = plan_of(algorithm::butterfly{}, world).steps.size();
        expect(recording.stop().activities.size() == one, "one barrier");
        expect(of_other.stop().activities.size() == 2 * one, "communicators are recorded apart");
        world.barrier();
        expect(recording.stop().activities.empty(), "a second stop has nothing");
        { const auto forgotten = world.record(plenty); }
        world.barrier();
        expect(world.record(plenty).stop().activities.empty(), "nothing since it began");
    });
}

TEST_CASE("what is under way when a recording ends is in it up to then, whoever makes progress") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters}) {
        gate stopped(2);
        run_new_world(
            2,
            [&](communicator& world) {
                std::vector<int> data(10, 1);
                auto recording = world.record(plenty);
                world.barrier();
                if (world.rank() == 1) stopped.pass();
                auto request = world.async().allreduce(data, tutti::sum, algorithm::ring{});
                const auto trace = recording.stop();
                const auto received =
                    std::ranges::count(trace.activities, schedule::action::receive_reduce, &activity::what);
                if (world.rank() == 0) {
                    expect(received == 1, "the barrier's message alone: the other one cannot have come");
                    stopped.pass();
                }
                request.wait();
                expect(data[9] == 2, "the sum");
            },
            by);
    }
}

TEST_CASE("any thread may record where the library's own makes progress") {
    run_new_world(
        3,
        [](communicator& world) {
            std::vector<int> data(1000, 1);
            auto recording = world.record(plenty);
            for (int k = 0; k < 20; ++k) world.allreduce(data, tutti::maximum, algorithm::ring{});
            activities list;
            std::thread([&] { list = recording.stop().activities; }).join();
            expect(list.size() == 20 * plan_of(algorithm::ring{}, world).steps.size(), "all steps of all calls");
        },
        tutti::progress::by_waiters);
}
