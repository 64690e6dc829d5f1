// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../sockets/errors.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace tutti::transport::detail {

/// Lets any thread end the wait of the one that drives the transport.
class waker {
public:
    waker() : fd_(bootstrap::opened_within_limit([] { return ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); })) {
        if (fd_ < 0)
            bootstrap::bootstrap_failed("this process cannot make an eventfd: " + bootstrap::reason_in_words(errno));
    }
    waker(const waker&) = delete;
    waker& operator=(const waker&) = delete;
    ~waker() { ::close(fd_); }

    /// Any thread.
    void wake() noexcept {
        // Written by any thread, taken by the driving one. Release: the woken thread sees what the waker did before.
        woken_.store(true, std::memory_order_release);
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(fd_, &one, sizeof one); // fails only if it is readable anyway
    }

    /// The driving thread: was there a wake() since the last take()? Cheap if not, but for that the descriptor may stay
    /// readable; reset() after a sleep.
    [[nodiscard]] bool take() noexcept { return woken_.load(std::memory_order_relaxed) && reset(); }

    /// The driving thread: the same, and the descriptor is not readable any more.
    bool reset() noexcept {
        // The descriptor is emptied before the flag is lowered: a wake() in between leaves one of them up, and at worst
        // ends one wait too many.
        std::uint64_t count = 0;
        [[maybe_unused]] const auto read = ::read(fd_, &count, sizeof count);
        return woken_.exchange(false, std::memory_order_acquire);
    }

    /// Readable from a wake() to the reset().
    [[nodiscard]] int descriptor() const noexcept { return fd_; }

private:
    int fd_;
    std::atomic<bool> woken_{false};
};

} // namespace tutti::transport::detail
