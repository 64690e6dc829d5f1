// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace tutti::kernels::detail {

/// Waits for the ends of other ranks' processes. One thread waits; any thread rings.
class process_watch {
public:
    /// `processes` by rank; `self` is this one's. Where the system has no descriptors of processes, no end is found.
    /// Throws std::system_error.
    process_watch(unsigned self, std::span<const std::int64_t> processes)
        : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (bell_ < 0) throw std::system_error(errno, std::generic_category(), "the watch over calls on streams");
        for (unsigned r = 0; r < processes.size(); ++r) {
            if (r == self) continue;
            const int fd = static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(processes[r]), 0));
            if (fd >= 0)
                watched_.push_back({fd, r});
            else if (errno == ESRCH)
                ended_.push_back(r);
        }
    }
    process_watch(const process_watch&) = delete;
    process_watch& operator=(const process_watch&) = delete;
    ~process_watch() {
        for (const watched& w : watched_) ::close(w.fd);
        ::close(bell_);
    }

    /// Ends the wait that is under way, or the next one.
    void ring() const noexcept {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto n = ::write(bell_, &one, sizeof one);
    }
    /// Waits until a process ends, or the bell rings, or the time is over; -1 milliseconds: it never is. The ranks
    /// whose processes have ended since the last call.
    [[nodiscard]] std::vector<unsigned> wait(int milliseconds) {
        std::vector<pollfd> fds{{bell_, POLLIN, 0}};
        for (const watched& w : watched_) fds.push_back({w.fd, POLLIN, 0});
        ::poll(fds.data(), fds.size(), ended_.empty() ? milliseconds : 0);
        std::uint64_t rung = 0;
        if (fds[0].revents != 0) {
            [[maybe_unused]] const auto n = ::read(bell_, &rung, sizeof rung);
        }
        for (std::size_t i = watched_.size(); i-- > 0;) {
            if (fds[i + 1].revents == 0) continue;
            ended_.push_back(watched_[i].rank);
            ::close(watched_[i].fd);
            watched_.erase(watched_.begin() + static_cast<std::ptrdiff_t>(i));
        }
        return std::exchange(ended_, {});
    }

private:
    struct watched {
        int fd;
        unsigned rank;
    };
    int bell_;
    std::vector<watched> watched_; ///< of the waiting thread alone, like what follows
    std::vector<unsigned> ended_;  ///< not told yet
};

} // namespace tutti::kernels::detail
