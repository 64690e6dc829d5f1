// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

#include <atomic>
#include <ctime>
#include <thread>

namespace tutti::test {

/// A wake before a wait ends that wait; one from another thread ends the wait under way.
template <contract_fixture Fixture>
void wakes_end_waits() {
    Fixture{}.run(1, [](auto& t) {
        const auto deadline = transport::clock::now() + patience;
        t.wake();
        t.wait(deadline);
        expect(transport::clock::now() < deadline, "a wake is kept for the next wait");
        for (int i = 0; i < 20; ++i) {
            std::atomic<bool> woken{false};
            std::thread other{[&] {
                std::this_thread::sleep_for(std::chrono::milliseconds{i % 4});
                woken = true;
                t.wake();
            }};
            while (!woken && transport::clock::now() < deadline) t.wait(deadline);
            other.join();
            expect(transport::clock::now() < deadline, "another thread's wake ends a wait");
        }
    });
}

/// The time this thread has spent on a core.
inline std::chrono::nanoseconds thread_cpu_time() {
    std::timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec};
}

/// Where nothing happens, waits end at their deadline, and sleep meanwhile: also with a receive pending. A deadline in
/// the past ends at once.
template <contract_fixture Fixture>
void waits_keep_their_deadline_asleep() {
    constexpr std::chrono::milliseconds time{300};
    Fixture{}.run(2, [&](auto& t) {
        courier c{t};
        std::byte in{};
        if (t.rank() == 0) c.receive({1, 0}, 1, &in, 1);
        c.linger(std::chrono::milliseconds{100});

        const auto begin = transport::clock::now();
        const auto cpu = thread_cpu_time();
        while (transport::clock::now() < begin + time)
            if (!t.progress()) t.wait(begin + time);
        expect(thread_cpu_time() - cpu < time / 10, "a wait sleeps");
        expect(transport::clock::now() < begin + time + patience / 3, "a wait ends at its deadline");

        const auto now = transport::clock::now();
        t.wait(now - std::chrono::seconds{1});
        expect(transport::clock::now() < now + patience / 3, "a deadline in the past ends a wait");
        t.close({1, 0});
    });
}

/// A wait that is woken for nothing goes on as it was: it sleeps.
template <contract_fixture Fixture>
void vain_wakes_burn_no_core() {
    constexpr std::chrono::milliseconds time{400}, between{10}; // longer than a wait spins
    Fixture{}.run(2, [&](auto& t) {
        courier c{t};
        std::byte in{};
        if (t.rank() != 0) return c.linger(2 * time);
        c.receive({1, 0}, 1, &in, 1);
        c.linger(std::chrono::milliseconds{100});
        const auto end = transport::clock::now() + time;
        std::thread other{[&] {
            for (; transport::clock::now() < end; std::this_thread::sleep_for(between)) t.wake();
        }};
        const auto cpu = thread_cpu_time();
        c.linger(time);
        const auto used = thread_cpu_time() - cpu;
        other.join();
        expect(used < time / 4, "wakes for nothing let a wait sleep");
        t.close({1, 0});
    });
}

/// A message ends the wait of its receiver, and its receive that of a sender without credit, every time.
template <contract_fixture Fixture>
void arrivals_end_waits() {
    constexpr int rounds = 30;
    Fixture{}.run(2, [](auto& t) {
        courier c{t};
        const bytes out(1'000'000);
        bytes in(out.size());
        for (int i = 0; i < rounds; ++i) {
            const bool first = (t.rank() + i) % 2 == 0;
            if (first) std::this_thread::sleep_for(std::chrono::milliseconds{2});
            if (first)
                c.send({1, 0}, 1 - t.rank(), out.data(), i % 3 == 0 ? out.size() : 8);
            else
                c.receive({1, 0}, 1 - t.rank(), in.data(), i % 3 == 0 ? in.size() : 8);
            c.finish("round " + std::to_string(i) + " wakes its sleeper");
        }
    });
}

} // namespace tutti::test
