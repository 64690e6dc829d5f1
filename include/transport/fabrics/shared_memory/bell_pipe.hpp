// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../sockets/mapping.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace tutti::transport::detail::shm {

/// Makes a doorbell a descriptor that becomes readable: the owner awaits a pipe of its own, ringers open the same pipe
/// through /proc/PID/fd, as they open its segment. An eventfd could not be opened there, and to fetch one out of the
/// owner's process (pidfd_getfd) takes the right to trace it, which many systems give to parents alone.
class bell_pipe {
public:
    bell_pipe() = default;

    /// The owner's. Throws std::system_error.
    [[nodiscard]] static bell_pipe made() {
        std::array<int, 2> ends{};
        if (bootstrap::opened_within_limit([&] { return ::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC); }) != 0)
            throw std::system_error(errno, std::generic_category(), "the system gives no pipe");
        bell_pipe own;
        own.end_ = bootstrap::descriptor{ends[0]};
        own.other_end_ = bootstrap::descriptor{ends[1]};
        return own;
    }
    /// That of another process, under this number there, if it is that file still. False in a condition: it cannot be
    /// opened, see errno.
    [[nodiscard]] static bell_pipe opened(std::int64_t process, int number, std::uint64_t file) {
        bell_pipe theirs;
        // For reading too: then there is always a reader, and no write raises SIGPIPE when the owner has ended.
        theirs.end_ = open_file(process, number, O_NONBLOCK);
        if (theirs && theirs.file() != file) {
            theirs.end_.reset();
            errno = ESRCH;
        }
        return theirs;
    }
    /// Which file it is; 0: no pipe.
    [[nodiscard]] std::uint64_t file() const noexcept {
        struct stat facts {};
        return ::fstat(end_.get(), &facts) == 0 && S_ISFIFO(facts.st_mode) ? facts.st_ino : 0;
    }
    [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(end_); }

    /// The owner awaits that it can be read.
    [[nodiscard]] int descriptor() const noexcept { return end_.get(); }

    /// Any thread. Makes it readable.
    void ring() const noexcept {
        constexpr char byte = 0;
        const int to = other_end_ ? other_end_.get() : end_.get();
        [[maybe_unused]] const auto written = ::write(to, &byte, 1); // fails only where it is full: readable anyway
    }
    /// The owner: not readable any more, but for rings that come meanwhile.
    void empty() const noexcept {
        std::array<char, 64> bytes;
        while (::read(end_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
        }
    }

private:
    bootstrap::descriptor end_;
    bootstrap::descriptor other_end_; // the owner's for writing: without one it would hang up
};

} // namespace tutti::transport::detail::shm
