// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "wait_set.hpp"

#include "../sockets/errors.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace tutti::transport::detail {

/// Throws std::system_error.
inline void await_in(int set, int operation, int descriptor, std::uint32_t events) {
    epoll_event e{};
    e.events = events;
    if (::epoll_ctl(set, operation, descriptor, &e) != 0 && errno != EEXIST)
        throw std::system_error(errno, std::generic_category(), "the system lets no event loop wait for this rank");
}

TUTTI_APART void wait_set::open() {
    if (set_) return;
    set_ = bootstrap::descriptor(bootstrap::opened_within_limit([] { return ::epoll_create1(EPOLL_CLOEXEC); }));
    called_ =
        bootstrap::descriptor(bootstrap::opened_within_limit([] { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }));
    if (!set_ || !called_) {
        const int why = errno;
        set_.reset();
        throw std::system_error(why, std::generic_category(), "an event loop needs two descriptors for this rank");
    }
    add(called_.get());
}

TUTTI_APART void wait_set::add(int descriptor) {
    if (descriptor >= 0) await_in(set_.get(), EPOLL_CTL_ADD, descriptor, EPOLLIN);
}

TUTTI_APART bool wait_set::arm(int control, bool to_write) {
    if (control != control_ || to_write != writes_) {
        if (control != control_ && control_ >= 0)
            ::epoll_ctl(set_.get(), EPOLL_CTL_DEL, std::exchange(control_, -1), nullptr); // fails where it is closed
        if (control >= 0)
            await_in(set_.get(), control_ >= 0 ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, control,
                     to_write ? EPOLLIN | EPOLLOUT : EPOLLIN);
        control_ = control;
        writes_ = to_write;
    }
    return !bell_.lie_down();
}

TUTTI_APART void wait_set::disarm() noexcept {
    call(false); // first: who made it readable had rung before
    bell_.get_up();
}

TUTTI_APART void wait_set::call(bool wanted) const noexcept {
    if (!is_open()) return;
    std::uint64_t count = 1;
    // Each fails only where nothing is to be done.
    [[maybe_unused]] const auto done =
        wanted ? ::write(called_.get(), &count, sizeof count) : ::read(called_.get(), &count, sizeof count);
}

} // namespace tutti::transport::detail
