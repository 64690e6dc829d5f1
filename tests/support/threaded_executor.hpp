// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/engine/executor.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::test {

/// Does local work on a thread of its own: in any order, each piece in two parts, after random pauses. Now and then it
/// does a piece at once.
class threaded_executor final : public engine::executor {
public:
    explicit threaded_executor(unsigned seed, std::chrono::microseconds longest_pause = std::chrono::microseconds(40))
        : random_(seed), longest_pause_(longest_pause), thread_([this] { serve(); }) {}
    ~threaded_executor() override {
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    bool start(const engine::local_work& work, transport::transfer& x) override {
        const std::lock_guard lock(mutex_);
        ++started_;
        if (!is_held_ && below(4) == 0) {
            work.run();
            return true;
        }
        waiting_.push_back({work, &x, x.owner});
        changed_.notify_all();
        return false;
    }

    bool progress() override {
        const std::lock_guard lock(mutex_);
        for (const item& i : done_) transport::complete(*i.x);
        return !std::exchange(done_, {}).empty();
    }

    void stop(transport::transfer_queue& of) noexcept override {
        std::unique_lock lock(mutex_);
        ++stops_;
        const auto is_of = [&](const item& i) { return i.owner == &of; };
        std::erase_if(waiting_, is_of);
        std::erase_if(done_, is_of);
        if (at_work_on_ != &of) return;
        is_stopped_ = true;
        changed_.wait(lock, [&] { return at_work_on_ != &of; });
    }

    /// From now on nothing is done, until let_go().
    void hold() {
        const std::lock_guard lock(mutex_);
        is_held_ = true;
    }
    void let_go() {
        const std::lock_guard lock(mutex_);
        is_held_ = false;
        changed_.notify_all();
    }

    [[nodiscard]] std::size_t started() const { return count(started_); }
    [[nodiscard]] std::size_t stops() const { return count(stops_); }
    /// What it has, done or not.
    [[nodiscard]] std::size_t in_hand() const {
        const std::lock_guard lock(mutex_);
        return waiting_.size() + done_.size() + (at_work_on_ ? 1 : 0);
    }

private:
    struct item {
        engine::local_work work;
        transport::transfer* x;           ///< touched by the driving thread only
        transport::transfer_queue* owner; ///< only compared
    };

    [[nodiscard]] std::size_t count(const std::size_t& what) const {
        const std::lock_guard lock(mutex_);
        return what;
    }
    [[nodiscard]] std::size_t below(std::size_t n) { return random_() % n; }

    void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return is_over_ || (!is_held_ && !waiting_.empty()); });
            if (is_over_) return;
            const auto which = waiting_.begin() + static_cast<std::ptrdiff_t>(below(waiting_.size()));
            const item next = *which;
            waiting_.erase(which);
            at_work_on_ = next.owner;
            is_stopped_ = false;
            const std::size_t half = next.work.elements / 2;
            do_part(lock, next.work, 0, half);
            do_part(lock, next.work, half, next.work.elements - half);
            if (!is_stopped_) done_.push_back(next);
            at_work_on_ = nullptr;
            changed_.notify_all();
            lock.unlock();
            next.work.wake();
            lock.lock();
        }
    }
    void do_part(std::unique_lock<std::mutex>& lock, const engine::local_work& work, std::size_t first, std::size_t n) {
        const std::chrono::microseconds pause(
            below(4) == 0 ? below(static_cast<std::size_t>(longest_pause_.count()) + 1) : 0);
        if (is_stopped_) return;
        lock.unlock();
        if (pause.count() > 0) std::this_thread::sleep_for(pause);
        if (n > 0) work.run(first, n); // stop() waits for this thread meanwhile
        lock.lock();
    }

    mutable std::mutex mutex_; ///< all but thread_
    std::condition_variable changed_;
    std::minstd_rand random_;
    std::chrono::microseconds longest_pause_;
    std::vector<item> waiting_, done_;
    const transport::transfer_queue* at_work_on_ = nullptr; ///< whose piece the thread is doing, without the lock
    bool is_stopped_ = false;                               ///< that piece is not wanted any more
    bool is_held_ = false, is_over_ = false;
    std::size_t started_ = 0, stops_ = 0;
    std::thread thread_;
};

} // namespace tutti::test
