// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/sockets/wait_ready.hpp>

#include <cerrno>
#include <climits>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace tutti::tools {

/// Where whole lines go out without ever waiting for whoever reads them: what cannot be written now is kept, and the
/// owner polls for the moment when it can. SIGPIPE must be ignored.
class outlet {
public:
    explicit outlet(int to) noexcept : to_(to) {}

    [[nodiscard]] int get() const noexcept { return to_; }
    /// Whether all has been written. While it has not, nothing more should be added: that bounds what is kept.
    [[nodiscard]] bool empty() const noexcept { return kept_.empty(); }
    [[nodiscard]] bool same_file(const outlet& other) const {
        struct stat mine;
        struct stat its;
        return fstat(to_, &mine) == 0 && fstat(other.to_, &its) == 0 && mine.st_dev == its.st_dev &&
               mine.st_ino == its.st_ino;
    }

    void add(std::string_view lines) {
        if (closed_) return;
        kept_ += lines;
        flush();
    }
    /// Writes what can be written now.
    void flush() {
        std::string_view rest = kept_;
        while (!rest.empty() && transport::bootstrap::wait_ready(to_, POLLOUT, {})) {
            const std::string_view piece = next_piece(rest);
            const ssize_t put = write(to_, piece.data(), piece.size());
            if (put >= 0) {
                rest.remove_prefix(static_cast<std::size_t>(put));
            } else if (errno == EAGAIN) {
                break;
            } else if (errno != EINTR) {
                error_ = errno;
                return drop();
            }
        }
        kept_.erase(0, kept_.size() - rest.size());
    }
    /// Forgets what is kept, and all that is still to come.
    void drop() noexcept {
        kept_.clear();
        closed_ = true;
    }
    /// Why the last flush could not write, once; 0 if it could.
    [[nodiscard]] int take_error() noexcept { return std::exchange(error_, 0); }

private:
    // A pipe that polls writable takes this much at once and without waiting. Whole lines where they fit, so that
    // others who write there do not come between.
    [[nodiscard]] static std::string_view next_piece(std::string_view rest) {
        const std::string_view most = rest.substr(0, PIPE_BUF);
        const std::size_t end = most.rfind('\n');
        return end == most.npos ? most : most.substr(0, end + 1);
    }

    int to_;
    std::string kept_;
    bool closed_ = false;
    int error_ = 0;
};

} // namespace tutti::tools
