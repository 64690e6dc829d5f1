// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/fabrics/simulated/scheduler.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using tutti::transport::detail::fiber;
using tutti::transport::detail::scheduler;

namespace {

constexpr std::size_t small_stack = 256 * 1024;

/// Suspends its fiber while an exception is under way, as the destructor of a communicator may.
struct suspends_at_last {
    fiber& on;
    ~suspends_at_last() { on.suspend(); }
};

} // namespace

TEST_CASE("a fiber goes on where it was suspended") {
    std::string said;
    fiber* self = nullptr;
    fiber f(small_stack, [&] {
        said += "a";
        self->suspend();
        said += "b";
    });
    self = &f;
    f.resume();
    said += "-";
    CHECK_FALSE(f.is_over());
    f.resume();
    CHECK(f.is_over());
    CHECK(said == "a-b");
}

TEST_CASE("numbers in registers outlast a suspension") {
    std::vector<std::unique_ptr<fiber>> fibers;
    std::vector<double> found(3);
    for (std::size_t k = 0; k < 3; ++k)
        fibers.push_back(std::make_unique<fiber>(small_stack, [&, k] {
            double x = 1.5 * static_cast<double>(k + 1), y = x * x;
            std::size_t n = k;
            fibers[k]->suspend();
            found[k] = x + y;
            x *= 3, y -= x, n += 7;
            fibers[k]->suspend();
            found[k] += x * y + static_cast<double>(n);
        }));
    for (int i = 0; i < 3; ++i)
        for (const auto& f : fibers) f->resume();
    for (std::size_t k = 0; k < 3; ++k) {
        const double x = 1.5 * static_cast<double>(k + 1), y = x * x;
        CHECK(found[k] == x + y + 3 * x * (y - 3 * x) + static_cast<double>(k + 7));
    }
}

TEST_CASE("each fiber has exceptions of its own") {
    std::vector<std::unique_ptr<fiber>> fibers;
    std::vector<std::string> caught(3);
    for (std::size_t k = 0; k < 3; ++k)
        fibers.push_back(std::make_unique<fiber>(small_stack, [&, k] {
            try {
                const suspends_at_last here{*fibers[k]};
                throw std::runtime_error("of " + std::to_string(k));
            } catch (const std::exception&) {
                try {
                    fibers[k]->suspend();
                    throw;
                } catch (const std::exception& again) {
                    caught[k] = again.what();
                }
            }
        }));
    for (const std::size_t k : {0, 1, 2, 2, 0, 1, 1, 0, 2}) {
        fibers[k]->resume();
        CHECK(std::uncaught_exceptions() == 0);
    }
    CHECK(caught == std::vector<std::string>{"of 0", "of 1", "of 2"});
    for (const auto& f : fibers) CHECK(f->is_over());
}

TEST_CASE("a fiber that has not begun can be dropped") {
    bool begun = false;
    {
        const fiber f(small_stack, [&] { begun = true; });
    }
    CHECK_FALSE(begun);
}

TEST_CASE("events happen by their times, and then in the order in which they were asked for") {
    const auto begin = tutti::transport::clock::now();
    scheduler s(begin);
    std::string said;
    s.spawn(small_stack, [&] {
        s.at(begin + 2s, [&] { said += "d"; });
        s.at(begin + 1s, [&] { said += "b"; });
        s.at(begin + 1s, [&] { said += "c"; });
        s.at(begin - 1s, [&] { said += "a"; });
        s.sleep_until(begin + 1h);
        said += "e";
    });
    s.run();
    CHECK(said == "abcde");
    CHECK(s.now() == begin + 1h);
}

TEST_CASE("fibers sleep by the virtual clock") {
    const auto begin = tutti::transport::clock::now();
    scheduler s(begin);
    std::vector<int> woken;
    for (int k = 0; k < 100; ++k)
        s.spawn(small_stack, [&, k] {
            for (int i = 0; i < 10; ++i) s.sleep_until(s.now() + std::chrono::hours(1 + k * 7 % 100));
            woken.push_back(k * 7 % 100);
        });
    s.run();
    REQUIRE(woken.size() == 100);
    CHECK(std::is_sorted(woken.begin(), woken.end()));
    CHECK(s.now() == begin + 1000h);
}
