// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "expect.hpp"

#include <collectives/completion_queue.hpp>

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace tutti::test {

/// A program's own event loop with a world in it: poll(2), and the functions of a queue.
template <class Communicator>
class event_loop {
public:
    event_loop(const Communicator& world, completion_queue& queue)
        : world_(world), queue_(queue), descriptor_(world.descriptor()) {}

    /// Sleeps also past next_deadline(): what comes must wake it soon. For a world whose connections are made.
    void by_descriptor_alone() noexcept { heeds_deadlines_ = false; }

    void run_until(const auto& done, const char* what) {
        using clock = transport::clock;
        for (const auto end = clock::now() + patience; !done();) {
            while (world_.step()) {
            }
            queue_.dispatch();
            if (done()) return;
            const auto now = clock::now();
            expect(now < end, std::string("the loop ends: ") + what);
            const auto until = heeds_deadlines_ ? std::min(end, world_.next_deadline()) : now + patience / 3;
            pollfd waits{descriptor_, POLLIN, 0};
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::max(until, now) - now);
            const int ready = ::poll(&waits, 1, static_cast<int>(left.count()));
            expect(ready == 1 || heeds_deadlines_, std::string("the loop is woken: ") + what);
        }
    }

private:
    const Communicator& world_;
    completion_queue& queue_;
    int descriptor_;
    bool heeds_deadlines_ = true;
};

} // namespace tutti::test
