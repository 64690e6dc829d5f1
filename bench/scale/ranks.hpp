// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "memory_by_owner.hpp"

#include <barrier>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace scale {

using clock = std::chrono::steady_clock;

/// Ranks that are threads of this process and go through phases together.
class ranks {
public:
    explicit ranks(int size) : size_(size), gate_(size) {}

    [[nodiscard]] int size() const noexcept { return size_; }

    /// Runs body(rank) on each, in a thread of its own. Throws what the first that failed threw.
    void run(const std::function<void(int)>& body) {
        std::vector<std::thread> threads;
        for (int r = 0; r < size_; ++r)
            threads.emplace_back([&, r] {
                this_owner = r == 0 ? owner::rank_zero : owner::other_rank;
                try {
                    body(r);
                } catch (const std::exception& e) {
                    failed(r, e.what());
                }
            });
        for (auto& t : threads) t.join();
        if (!failure_.empty()) throw std::runtime_error(failure_);
    }

    /// All ranks come here and go on at once; one of them says what has been in between. To be called by all.
    void meet(const std::function<void()>& once = {}) {
        gate_.arrive_and_wait();
        if (!once) return;
        const std::lock_guard lock(mutex_);
        if (met_++ % size_ == 0) once();
    }

private:
    void failed(int rank, const char* why) {
        const std::lock_guard lock(mutex_);
        if (failure_.empty()) failure_ = "rank " + std::to_string(rank) + ": " + why;
        gate_.arrive_and_drop();
    }

    int size_;
    std::barrier<> gate_;
    std::mutex mutex_; ///< guards what follows
    int met_ = 0;
    std::string failure_;
};

/// From when the first rank begins until the last is done.
class span_of_all {
public:
    void begin() { note(first_, clock::now(), true); }
    void end() { note(last_, clock::now(), false); }
    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(last_ - first_).count(); }

private:
    void note(clock::time_point& kept, clock::time_point now, bool earlier) {
        const std::lock_guard lock(mutex_);
        if (kept == clock::time_point{} || (earlier ? now < kept : now > kept)) kept = now;
    }

    std::mutex mutex_;
    clock::time_point first_{}, last_{};
};

} // namespace scale
