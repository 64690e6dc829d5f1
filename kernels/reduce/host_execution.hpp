// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "execution.hpp"

#include <tutti/base/joining_thread.hpp>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <list>
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
    /// The barrier orders the block's threads: writes before it happen before reads after it.
    void sync() const { together_->arrive_and_wait(); }

    [[nodiscard]] std::uint64_t load_acquire(const std::uint64_t* at) const noexcept {
        return word(at).load(std::memory_order_acquire);
    }
    [[nodiscard]] std::uint64_t load_relaxed(const std::uint64_t* at) const noexcept {
        return word(at).load(std::memory_order_relaxed);
    }
    void store_release(std::uint64_t* to, std::uint64_t value) const noexcept {
        word(to).store(value, std::memory_order_release);
    }
    void store_relaxed(std::uint64_t* to, std::uint64_t value) const noexcept {
        word(to).store(value, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t nanoseconds() const noexcept {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
    }
    void rest() const noexcept { std::this_thread::yield(); }

private:
    [[nodiscard]] static std::atomic_ref<std::uint64_t> word(const std::uint64_t* at) noexcept {
        return std::atomic_ref(*const_cast<std::uint64_t*>(at)); // of a const word there is none until C++26
    }

    geometry shape_;
    unsigned block_, thread_;
    std::barrier<>* together_;
};

static_assert(peer_execution<host_execution>);

/// Runs `body(here)` on every thread of every block, one block after the other; returns when all have ended. With one
/// thread a block a missing sync() is invisible. Cost: a thread of the host for each thread of a block, so for tests.
template <class Body>
void run_on_host(geometry shape, const Body& body) {
    for (unsigned block = 0; block < shape.blocks; ++block) {
        std::barrier<> together(static_cast<std::ptrdiff_t>(shape.threads));
        std::vector<tutti::detail::joining_thread> threads;
        for (unsigned thread = 0; thread < shape.threads; ++thread)
            threads.emplace_back([&, thread] { body(host_execution(shape, block, thread, together)); });
    }
}

/// Runs `body(rank, here)` on every thread of every block of each rank, all at once, as kernels run that meet each
/// other. Cost: ranks x blocks x threads threads of the host.
template <class Body>
void run_ranks_on_host(unsigned ranks, geometry shape, const Body& body) {
    std::list<std::barrier<>> together;
    std::vector<tutti::detail::joining_thread> threads;
    for (unsigned rank = 0; rank < ranks; ++rank)
        for (unsigned block = 0; block < shape.blocks; ++block) {
            auto& block_barrier = together.emplace_back(static_cast<std::ptrdiff_t>(shape.threads));
            for (unsigned thread = 0; thread < shape.threads; ++thread)
                threads.emplace_back([&body, &block_barrier, shape, rank, block, thread] {
                    body(rank, host_execution(shape, block, thread, block_barrier));
                });
        }
}

} // namespace tutti::kernels
