// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/signal_shield.hpp"
#include "../../world/backoff.hpp"

#include "../../../base/joining_thread.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tutti::transport::detail {

/// A function that is to run once, on any thread.
class simulated_work {
public:
    /// It must outlive the work.
    explicit simulated_work(const std::function<void()>& run) noexcept : run_(run) {}
    simulated_work(const simulated_work&) = delete;
    simulated_work& operator=(const simulated_work&) = delete;

private:
    friend class simulated_helpers;
    enum class standing : std::uint8_t { waiting, running, over };

    const std::function<void()>& run_;
    standing is_ = standing::waiting; ///< under the helpers' mutex
    std::exception_ptr failure_;      ///< written by who runs it, before it is over; read after that
    std::list<simulated_work*>::iterator place_;
};

/// Threads that run the work of a world's ranks while the thread of the world goes on. That thread alone calls.
/// The queue and the standing of each work are under the mutex, so what a work wrote is there for who sees that it is
/// over.
class simulated_helpers {
public:
    /// So many threads, which begin with the first work; where that is negative, one for each other processor. No more
    /// than there are ranks.
    simulated_helpers(int threads, int ranks) : wanted_(threads), most_(ranks) {}
    simulated_helpers(const simulated_helpers&) = delete;
    simulated_helpers& operator=(const simulated_helpers&) = delete;
    ~simulated_helpers() {
        {
            const std::scoped_lock lock{mutex_};
            stops_ = true;
        }
        more_.notify_all();
    }

    /// It may begin now, and must be finished.
    void begin(simulated_work& w) {
        if (threads_.empty() && wanted_ != 0) start();
        const std::scoped_lock lock{mutex_};
        w.place_ = queue_.insert(queue_.end(), &w);
        has_more_.store(true, std::memory_order_relaxed);
        if (idle_ > 0) more_.notify_one();
    }
    /// Until it is over. The caller runs work as well, so it need not wait for threads that have none to spare. Throws
    /// what the work threw.
    void finish(simulated_work& w) {
        std::unique_lock lock{mutex_};
        while (w.is_ != simulated_work::standing::over) {
            if (w.is_ == simulated_work::standing::running && queue_.empty()) {
                over_.wait(lock);
                continue;
            }
            is_working_ = true;
            run(w.is_ == simulated_work::standing::waiting ? w : *queue_.front(), lock);
            is_working_ = false;
        }
        if (w.failure_) std::rethrow_exception(w.failure_);
    }

    /// The thread of the world runs work.
    [[nodiscard]] bool is_working() const noexcept { return is_working_; }

private:
    void start() {
        if (wanted_ < 0) wanted_ = static_cast<int>(std::max(1U, std::thread::hardware_concurrency())) - 1;
        wanted_ = std::min(wanted_, most_);
        const signal_shield shield;
        try {
            for (; wanted_ > 0; --wanted_) threads_.emplace_back([this] { help(); });
        } catch (const std::system_error&) {
            wanted_ = 0; // it goes on with those that there are
        }
    }
    void help() {
        for (backoff poll(false, {}, backoff::shortest);;) {
            poll.begin();
            while (!has_more_.load(std::memory_order_relaxed) && poll.rest()) {
            }
            std::unique_lock lock{mutex_};
            ++idle_;
            more_.wait(lock, [this] { return stops_ || !queue_.empty(); });
            --idle_;
            poll.woke();
            poll.news();
            if (stops_) return;
            while (!queue_.empty()) run(*queue_.front(), lock);
        }
    }
    void run(simulated_work& w, std::unique_lock<std::mutex>& lock) {
        queue_.erase(w.place_);
        has_more_.store(!queue_.empty(), std::memory_order_relaxed);
        w.is_ = simulated_work::standing::running;
        lock.unlock();
        try {
            w.run_();
        } catch (...) {
            w.failure_ = std::current_exception();
        }
        lock.lock();
        w.is_ = simulated_work::standing::over;
        over_.notify_one();
    }

    int wanted_; ///< threads that are still to be started
    int most_;
    std::mutex mutex_;
    std::condition_variable more_, over_;
    std::list<simulated_work*> queue_;
    std::atomic<bool> has_more_ = false; ///< a hint, written under the mutex: polled before a thread blocks
    int idle_ = 0;                       ///< threads that wait for more
    bool stops_ = false;
    bool is_working_ = false;                            ///< of the world's thread alone
    std::vector<tutti::detail::joining_thread> threads_; ///< last: they use all above
};

} // namespace tutti::transport::detail
