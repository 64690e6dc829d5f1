// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../sockets/socket.hpp"
#include "doorbell.hpp"

#include <atomic>

namespace tutti::transport::detail {

/// What a program's own event loop waits for in a rank's stead: one descriptor, which can be read when one of several
/// is ready. It takes no descriptor before it is opened. One thread, but for wake() and call().
///
/// While armed it stands for `sources_`, a set within the set. Otherwise these do not count, since another thread may
/// drive, and leave them ready for long.
class wait_set {
public:
    /// Opens it for these to be added, if it is not. Throws std::system_error.
    void open();
    /// It waits for that one, too. -1: none. Throws std::system_error.
    void add(int descriptor);
    /// All have been added.
    void publish() noexcept { is_open_.store(true, std::memory_order_release); } // what open() has made
    [[nodiscard]] bool is_open() const noexcept { return is_open_.load(std::memory_order_acquire); }
    [[nodiscard]] int descriptor() const noexcept { return set_.get(); }

    /// Any thread: makes it readable while armed; else the next arm() tells of it.
    void wake() noexcept {
        if (is_open() && bell_.ring()) call(true);
    }
    /// Any thread: makes it readable until it is disarmed by a step; or takes that back, and the sources out.
    void call(bool wanted) noexcept;
    /// The loop is to sleep now, until the control connection, too, can be read, or written where that is awaited.
    /// True: it has been woken before.
    [[nodiscard]] bool arm(int control, bool to_write);
    /// For a step; else it can be read until the next one.
    void disarm(bool to_step) noexcept;

private:
    /// Whether the sources count.
    void await_sources(bool wanted) noexcept;

    bootstrap::descriptor set_, sources_, called_;
    doorbell bell_;
    std::atomic<bool> is_open_{false};
    std::atomic<bool> awaits_sources_{false}; ///< exchanged by who changes it
    /// `called_` may have to be read. Stored after it is written, and relaxed: where it is seen too late the loop wakes
    /// once more. It reads each eighth time in any case, since who calls may be held up before it stores this.
    std::atomic<bool> is_called_{false};
    unsigned unread_ = 0; ///< of the loop
    int control_ = -1;
    bool writes_ = false;
};

} // namespace tutti::transport::detail
