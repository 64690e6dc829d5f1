// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "process_watch.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>

namespace tutti::kernels::detail {

/// Tells that another rank's process has ended, on a thread of its own, until this goes.
class lost_ranks {
public:
    /// Errors: as of process_watch.
    lost_ranks(unsigned self, std::span<const std::int64_t> processes, std::function<void(unsigned rank)> tell)
        : watch_(self, processes), thread_([this, tell] {
              while (!stop_.load(std::memory_order_relaxed)) // the bell orders nothing: no data go with it
                  for (const unsigned rank : watch_.wait(-1)) tell(rank);
          }) {}
    lost_ranks(const lost_ranks&) = delete;
    lost_ranks& operator=(const lost_ranks&) = delete;
    ~lost_ranks() {
        stop_.store(true, std::memory_order_relaxed);
        watch_.ring();
        thread_.join();
    }

private:
    process_watch watch_;
    std::atomic<bool> stop_{false}; ///< stored by the destructor, loaded by the thread
    std::thread thread_;
};

} // namespace tutti::kernels::detail
