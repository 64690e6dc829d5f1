// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/reduce/host_execution.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>

namespace tutti::test {

/// A thread that now and then lets others go first, in the midst of what it does.
class hesitant_execution : public kernels::host_execution {
public:
    explicit hesitant_execution(const kernels::host_execution& thread) noexcept : host_execution(thread) {}

    [[nodiscard]] std::uint64_t load_acquire(const std::uint64_t* at) const {
        return hesitate(), host_execution::load_acquire(at);
    }
    [[nodiscard]] std::uint64_t load_relaxed(const std::uint64_t* at) const {
        return hesitate(), host_execution::load_relaxed(at);
    }
    void store_release(std::uint64_t* to, std::uint64_t value) const {
        hesitate(), host_execution::store_release(to, value);
    }
    void store_relaxed(std::uint64_t* to, std::uint64_t value) const {
        hesitate(), host_execution::store_relaxed(to, value);
    }
    void sync() const { hesitate(), host_execution::sync(); }

private:
    static void hesitate() {
        static std::atomic<unsigned> seed{1};
        thread_local std::minstd_rand random{seed.fetch_add(1)};
        const auto drawn = random() % 64;
        if (drawn < 6) std::this_thread::yield();
        if (drawn == 6) std::this_thread::sleep_for(std::chrono::microseconds(random() % 60));
    }
};

static_assert(kernels::peer_execution<hesitant_execution>);

} // namespace tutti::test
