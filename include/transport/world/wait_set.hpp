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
    /// Any thread: makes it readable until the next disarm(), or takes that back.
    void call(bool wanted) const noexcept;
    /// The loop is to sleep now, until the control connection, too, can be read, or written where that is awaited.
    /// True: it has been woken before.
    [[nodiscard]] bool arm(int control, bool to_write);
    void disarm() noexcept;

private:
    bootstrap::descriptor set_, called_;
    doorbell bell_;
    std::atomic<bool> is_open_{false};
    int control_ = -1;
    bool writes_ = false;
};

} // namespace tutti::transport::detail
