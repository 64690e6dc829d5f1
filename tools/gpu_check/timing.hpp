// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/collectives.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace tutti::gpu_check {

/// Microseconds that the slowest rank takes. Collective.
template <class Communicator, class Work>
[[nodiscard]] double slowest_time(const Communicator& world, const Work& work) {
    world.barrier();
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    return world.allreduce(took.count(), maximum);
}

/// From what size on one way is faster than another, of sizes that grow.
class crossover {
public:
    void add(std::size_t bytes, double one, double other) {
        if (one > other)
            from_ = "never";
        else if (from_ == "never")
            from_ = std::to_string(bytes) + " bytes";
    }
    [[nodiscard]] const std::string& from() const noexcept { return from_; }

private:
    std::string from_ = "never";
};

} // namespace tutti::gpu_check
