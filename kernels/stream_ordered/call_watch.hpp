// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "call_page.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <system_error>
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
        : page_(page), rank_(rank), deadline_(deadline), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (bell_ < 0) throw std::system_error(errno, std::generic_category(), "the watch over calls on streams");
        watched_.push_back({{bell_, POLLIN, 0}, rank});
        for (unsigned r = 0; r < processes.size(); ++r) {
            if (r == rank) continue;
            // Where the kernel has no such descriptors, a lost rank is found by the deadline.
            const int fd = static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(processes[r]), 0));
            if (fd >= 0)
                watched_.push_back({{fd, POLLIN, 0}, r});
            else if (errno == ESRCH)
                lost_.push_back(r);
        }
        size_ = static_cast<unsigned>(processes.size());
        thread_ = std::thread([this] { serve(); });
    }
    call_watch(const call_watch&) = delete;
    call_watch& operator=(const call_watch&) = delete;
    ~call_watch() {
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
        }
        ring();
        thread_.join();
        for (const watched& w : watched_) ::close(w.fd.fd);
    }

    /// The call is put into this rank's stream. Its time begins now, or when the call before it has ended.
    void begun(std::uint64_t call) {
        const std::lock_guard lock(mutex_);
        if (waiting_.empty()) {
            ring();
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
    struct watched {
        pollfd fd;
        unsigned rank;
    };

    void ring() const noexcept {
        const std::uint64_t one = 1;
        static_cast<void>(::write(bell_, &one, sizeof one));
    }
    void serve() {
        while (!is_stopped()) {
            std::vector<pollfd> fds;
            for (const watched& w : watched_) fds.push_back(w.fd);
            ::poll(fds.data(), fds.size(), is_busy() ? 2 : -1);
            std::uint64_t rung = 0;
            if (fds[0].revents != 0) static_cast<void>(::read(bell_, &rung, sizeof rung));
            for (std::size_t i = fds.size(); i-- > 1;)
                if (fds[i].revents != 0) note_lost(i);
            look();
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
    void note_lost(std::size_t i) {
        const std::lock_guard lock(mutex_);
        lost_.push_back(watched_[i].rank);
        ::close(watched_[i].fd.fd);
        watched_.erase(watched_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    void look() {
        const std::lock_guard lock(mutex_);
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
    unsigned rank_, size_ = 0;
    std::chrono::nanoseconds deadline_; ///< of a call
    int bell_;
    std::vector<watched> watched_; ///< of the thread alone, once it runs; the bell comes first
    std::mutex mutex_;             ///< guards what follows
    std::vector<unsigned> lost_;
    std::deque<std::uint64_t> waiting_; ///< calls under way
    clock::time_point since_;           ///< the time of the first of them began
    bool stop_ = false;
    std::thread thread_;
};

} // namespace tutti::kernels::detail
