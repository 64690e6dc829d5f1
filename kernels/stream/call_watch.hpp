// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "call_page.hpp"
#include "process_watch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace tutti::kernels::detail {

/// Watches one rank's stream-ordered calls, on a thread of its own, by the page alone: it calls neither CUDA nor the
/// communicator. It finds that a deadline has passed, or that another rank's process has ended while a call is under
/// way. Then the group has failed, and every stream is released.
class call_watch {
public:
    using clock = std::chrono::steady_clock;

    /// `processes` by rank. The page outlives it. Throws std::system_error.
    call_watch(call_page& page, unsigned rank, std::span<const std::int64_t> processes,
               std::chrono::nanoseconds deadline)
        : page_(page), rank_(rank), size_(static_cast<unsigned>(processes.size())), deadline_(deadline),
          processes_(rank, processes), thread_([this] { serve(); }) {}
    call_watch(const call_watch&) = delete;
    call_watch& operator=(const call_watch&) = delete;
    ~call_watch() {
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
        }
        processes_.ring();
        thread_.join();
    }

    /// The call is put into this rank's stream. Its time begins now, or when the call before it has ended.
    void begun(std::uint64_t call) {
        const std::lock_guard lock(mutex_);
        if (waiting_.empty()) {
            processes_.ring();
            since_ = clock::now();
        }
        waiting_.push_back(call);
    }

    /// Its process has ended.
    [[nodiscard]] bool has_lost(unsigned rank) {
        const std::lock_guard lock(mutex_);
        return std::find(lost_.begin(), lost_.end(), rank) != lost_.end();
    }

private:
    void serve() {
        while (!is_stopped()) {
            const auto ended = processes_.wait(is_busy() ? 2 : -1);
            look(ended);
        }
    }
    [[nodiscard]] bool is_stopped() {
        const std::lock_guard lock(mutex_);
        return stop_;
    }
    /// Calls are under way. A group that has failed stays busy as long as it is there.
    [[nodiscard]] bool is_busy() {
        const std::lock_guard lock(mutex_);
        return !waiting_.empty() || page_.failure.load() != 0;
    }
    void look(const std::vector<unsigned>& ended) {
        const std::lock_guard lock(mutex_);
        lost_.insert(lost_.end(), ended.begin(), ended.end());
        // Read after a rank was found lost: one that has left after its last call saw `done` first.
        const std::uint64_t done = page_.done.load();
        for (; !waiting_.empty() && waiting_.front() <= done; waiting_.pop_front()) since_ = clock::now();
        if (!waiting_.empty() && !lost_.empty()) fail(group_failure::lost, lost_.front());
        if (!waiting_.empty() && clock::now() - since_ >= deadline_)
            fail(group_failure::timeout, late_rank(waiting_.front()));
        if (page_.failure.load() != 0) release();
    }
    void fail(group_failure why, unsigned peer) noexcept {
        page_.failure.store_first(packed({why, static_cast<std::uint8_t>(rank_), static_cast<std::uint8_t>(peer)}));
    }
    /// The first rank whose stream has not come to the call; if all have, the leader, whose kernel has not ended.
    [[nodiscard]] unsigned late_rank(std::uint64_t call) noexcept {
        for (unsigned r = 0; r < size_; ++r)
            if (page_.ready[r].load() < call) return r;
        return 0;
    }
    void release() noexcept {
        for (auto& r : page_.ready) r.store(released);
        page_.done.store(released);
    }

    call_page& page_;
    unsigned rank_, size_;
    std::chrono::nanoseconds deadline_; ///< of a call
    process_watch processes_;
    std::mutex mutex_; ///< guards what follows
    std::vector<unsigned> lost_;
    std::deque<std::uint64_t> waiting_; ///< calls under way
    clock::time_point since_;           ///< the time of the first of them began
    bool stop_ = false;
    std::thread thread_;
};

} // namespace tutti::kernels::detail
