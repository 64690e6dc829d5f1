// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "execution.hpp"

#include <barrier>
#include <thread>
#include <vector>

namespace tutti::kernels {

/// A thread of the host that stands for a thread of a block.
class host_execution {
public:
    host_execution(geometry shape, unsigned block, unsigned thread, std::barrier<>& together) noexcept
        : shape_(shape), block_(block), thread_(thread), together_(&together) {}

    [[nodiscard]] unsigned thread() const noexcept { return thread_; }
    [[nodiscard]] unsigned threads() const noexcept { return shape_.threads; }
    [[nodiscard]] unsigned block() const noexcept { return block_; }
    [[nodiscard]] unsigned blocks() const noexcept { return shape_.blocks; }
    /// The barrier orders the block's threads: what each wrote before it happens before what each reads after it.
    void sync() const { together_->arrive_and_wait(); }

private:
    geometry shape_;
    unsigned block_, thread_;
    std::barrier<>* together_;
};

static_assert(execution<host_execution>);

/// Runs `body(here)` on every thread of every block, one block after the other; returns when all have ended. With one
/// thread a block a missing sync() is invisible. Cost: a thread of the host for each thread of a block, so for tests.
template <class Body>
void run_on_host(geometry shape, const Body& body) {
    for (unsigned block = 0; block < shape.blocks; ++block) {
        std::barrier<> together(static_cast<std::ptrdiff_t>(shape.threads));
        std::vector<std::jthread> threads;
        for (unsigned thread = 0; thread < shape.threads; ++thread)
            threads.emplace_back([&, thread] { body(host_execution(shape, block, thread, together)); });
    }
}

} // namespace tutti::kernels
