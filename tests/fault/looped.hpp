// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "ranks.hpp"

#include "support/event_loop.hpp"

#include <collectives/asio.hpp>

#include <memory>
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

/// A rank that awaits its calls in an io_context, and throws the whole error of a code.
template <class Communicator>
class awaiting {
public:
    explicit awaiting(Communicator world) : world_(std::move(world)) { run_on(*context_, world_); }

    template <class... Arguments>
    void allreduce(Arguments&&... all) const {
        error_code failed;
        async_wait(world_.async().allreduce(all...), [&](const error_code& code) { failed = code; });
        context_->restart();
        context_->run();
        if (failed) throw error_of(failed).value();
    }

private:
    const std::unique_ptr<boost::asio::io_context> context_ = std::make_unique<boost::asio::io_context>();
    const Communicator world_;
};

/// How a rank enters a world whose calls it awaits.
template <class Enter>
[[nodiscard]] auto by_asio(const Enter& enter) {
    return [enter](int rank, int size, const reserved_port& at) { return awaiting(enter(rank, size, at)); };
}
/// How a rank enters a world that it waits for in a loop.
template <class Enter>
[[nodiscard]] auto by_loop(const Enter& enter) {
    return [enter](int rank, int size, const reserved_port& at) { return looped(enter(rank, size, at)); };
}

} // namespace tutti::test
