// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "ranks.hpp"

#include "support/event_loop.hpp"

#include <utility>

namespace tutti::test {

/// A rank that waits for its calls in an event loop of its own.
template <class Communicator>
class looped {
public:
    explicit looped(Communicator world) : world_(std::move(world)), queue_(world_), loop_(world_, queue_) {}

    template <class... Arguments>
    void allreduce(Arguments&&... all) const {
        auto request = world_.async().allreduce(all...);
        loop_.run_until([&] { return request.is_over(); }, "a call is over");
        request.wait();
    }

private:
    const Communicator world_;
    mutable completion_queue queue_;
    mutable event_loop<Communicator> loop_;
};

/// How a rank enters a world that it waits for in a loop.
template <class Enter>
[[nodiscard]] auto by_loop(const Enter& enter) {
    return [enter](int rank, int size, const reserved_port& at) { return looped(enter(rank, size, at)); };
}

} // namespace tutti::test
