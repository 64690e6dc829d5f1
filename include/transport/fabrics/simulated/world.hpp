// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/any_duration.hpp"
#include "../../../base/error.hpp"
#include "../../contract/transport.hpp"
#include "options.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace tutti::transport {

class simulated;

/// A world in virtual time: its ranks are fibers of the thread that calls run(). Nothing of it may be used by other
/// threads, nor by work that compute() is given.
class simulated_world {
public:
    /// A world of ranks 0 to o.size-1. Throws `error` (invalid_argument) when there is none.
    [[nodiscard]] static std::shared_ptr<simulated_world> create(simulated_options o);
    simulated_world(const simulated_world&) = delete;
    simulated_world& operator=(const simulated_world&) = delete;

    /// How many ranks.
    [[nodiscard]] int size() const noexcept;

    /// Runs `program` on all ranks until all have returned, once. Then throws what that of the lowest rank threw, if
    /// any did. A program waits by calls of the library and compute(); one that waits otherwise for another rank waits
    /// for ever.
    void run(const std::function<void(simulated)>& program);

    /// From a rank's program: it computes for so long. Only the virtual clock moves; messages that come meanwhile wait.
    /// Throws `error` (invalid_argument) for a negative time, for one beyond a hundred years of the world, and from
    /// elsewhere.
    void compute(any_duration time);
    /// The same, and work() has run when it returns: on this thread, or on a helper while other ranks go on. So work
    /// must not use the library, what other ranks use, or variables and rounding modes of a thread. When it runs does
    /// not change what ranks do. No work is the same as the call without. Throws also what work() throws.
    void compute(any_duration time, const std::function<void()>& work);
    /// How long the world has been running, by the virtual clock.
    [[nodiscard]] std::chrono::nanoseconds now() const noexcept;

    /// Rank `rank` is from now on dead to the others, as if its process had been killed; it may not have begun. Its own
    /// calls move nothing any more, and throw. With rank 0 dies the coordinator: others then judge by themselves.
    /// Throws `error` (invalid_argument) where there is no such rank.
    void kill(int rank);
    /// The same when the world has been running for so long, which must not be over.
    void kill_at(int rank, any_duration when);

protected:
    simulated_world() = default;
    ~simulated_world() = default; // only as detail::simulated_ranks, which it always is
};

} // namespace tutti::transport
