// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../base/any_duration.hpp"
#include "../base/error.hpp"
#include "../base/joining_thread.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

/// Stochastic descent by threads that share their weights.
namespace tutti::training {

/// How threads share.
enum class sharing : std::uint8_t {
    without_locks, ///< Hogwild: each reads and adds whenever it likes
    locked,        ///< one lock for a whole step, reading included
    round_robin,   ///< each reads whenever it likes, and adds when it is its turn
};

/// Weights that several threads read and add to. All accesses are atomic and relaxed. A thread may so read some weights
/// before and some after another thread's step, but never a torn number, and no addend is lost.
///
/// Why relaxed is enough: a weight orders nothing else, and each addition is one read-modify-write. What threads have
/// added is complete for whoever joins them.
class shared_weights {
public:
    /// So many zeros.
    explicit shared_weights(std::size_t count) : all_(count) {}
    /// How many there are.
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    /// One of them, as it is now.
    [[nodiscard]] float operator[](std::size_t i) const noexcept { return all_[i].load(std::memory_order_relaxed); }
    /// Adds to one of them.
    void add(std::size_t i, float x) noexcept { all_[i].fetch_add(x, std::memory_order_relaxed); }

private:
    std::vector<std::atomic<float>> all_;
};

/// What a step adds to: some weights, each with its gradient. Its memory is used again.
struct sparse_step {
    std::vector<std::uint32_t> indices; ///< of weights, in any order
    std::vector<float> gradients;       ///< theirs
    /// Appends one.
    void put(std::uint32_t index, float gradient) {
        indices.push_back(index);
        gradients.push_back(gradient);
    }
    /// Nothing.
    void clear() noexcept {
        indices.clear();
        gradients.clear();
    }
};

/// How hogwild() runs.
struct hogwild_options {
    int threads = 1;                                   ///< 1 or more
    std::size_t steps = 0;                             ///< of each thread
    float rate = 0.1F;                                 ///< the learning rate
    sharing by = sharing::without_locks;               ///< how they share
    any_duration most_wait = std::chrono::seconds(30); ///< for a turn
};

namespace detail {

/// Lets threads in one at a time, and stops all when one has failed. `next_` and `failure_` are guarded by the mutex.
class turns {
public:
    turns(int threads, std::chrono::nanoseconds most_wait) : threads_(threads), most_wait_(most_wait) {}

    /// Runs `act` when it is this thread's turn, and passes the turn on.
    template <class Act>
    void in_turn(int thread, const Act& act) {
        std::unique_lock lock(mutex_);
        constexpr std::chrono::hours a_year{24 *
                                            365}; // the end of a longer wait could lie beyond the clock's last point
        const auto most = std::min<std::chrono::nanoseconds>(most_wait_, a_year);
        if (!changed_.wait_for(lock, most, [&] { return failure_ || next_ == thread; }))
            reject("hogwild", "a thread has waited too long for its turn");
        if (failure_) return;
        act();
        next_ = (next_ + 1) % threads_;
        changed_.notify_all();
    }
    /// Runs `act` while no other thread runs its own.
    template <class Act>
    void alone(const Act& act) {
        const std::lock_guard lock(mutex_);
        act();
    }
    void fail(std::exception_ptr why) noexcept {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::move(why);
        is_stopped_.store(true, std::memory_order_relaxed);
        changed_.notify_all();
    }
    /// A thread has failed. Set once by it, and read by all others. Relaxed: nothing follows from it but that they end.
    [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_.load(std::memory_order_relaxed); }
    /// Precondition: all threads have been joined.
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    const int threads_;
    const std::chrono::nanoseconds most_wait_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int next_ = 0;
    std::exception_ptr failure_;
    std::atomic<bool> is_stopped_ = false;
};

} // namespace detail

/// Stochastic descent by threads on shared weights. Each thread makes its steps: gradient(thread, step, weights, to)
/// puts the gradient by one sample, of the weights that it depends on, into `to`, which is empty at first. Then these
/// weights change by -rate x gradient. Returns when all threads have ended.
///
/// With one thread it is serial descent. With several, the order of steps is not determined, but for round_robin, where
/// additions are in the order of threads. Unless they are locked, a gradient may be of older weights than it changes.
///
/// `gradient` is called by several threads at once, but for sharing::locked. What it throws stops all threads, and is
/// thrown here. Throws invalid_argument for no threads, and where a turn does not come within `most_wait`.
/// Source: Hogwild, Niu, Recht, Re and Wright 2011; round robin: Langford, Smola and Zinkevich, Slow learners are fast,
/// 2009.
template <class Gradient>
void hogwild(shared_weights& weights, const hogwild_options& o, const Gradient& gradient) {
    if (o.threads < 1) reject("hogwild", "there is one thread at least");
    detail::turns turns(o.threads, o.most_wait);
    const auto work = [&](int thread) {
        sparse_step step;
        const auto apply = [&] {
            for (std::size_t i = 0; i < step.indices.size(); ++i)
                weights.add(step.indices[i], -o.rate * step.gradients[i]);
        };
        for (std::size_t k = 0; k < o.steps && !turns.is_stopped(); ++k) {
            step.clear();
            const auto compute = [&] { gradient(thread, k, std::as_const(weights), step); };
            if (o.by == sharing::locked) {
                turns.alone([&] { compute(), apply(); });
                continue;
            }
            compute();
            if (o.by == sharing::round_robin)
                turns.in_turn(thread, apply);
            else
                apply();
        }
    };
    {
        const auto guarded = [&turns](const auto& act) {
            try {
                act();
            } catch (...) {
                turns.fail(std::current_exception());
            }
        };
        std::vector<tutti::detail::joining_thread> threads;
        guarded([&] { // where a thread cannot be started, the others are not left waiting for its turn
            for (int t = 0; t < o.threads; ++t) threads.emplace_back([&, t] { guarded([&] { work(t); }); });
        });
    }
    turns.rethrow();
}

} // namespace tutti::training
