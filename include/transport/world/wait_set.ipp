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
    const auto made = [](auto open) {
        bootstrap::descriptor d(bootstrap::opened_within_limit(open));
        if (!d) throw std::system_error(errno, std::generic_category(), "an event loop needs three descriptors");
        return d;
    };
    auto set = made([] { return ::epoll_create1(EPOLL_CLOEXEC); });
    auto sources = made([] { return ::epoll_create1(EPOLL_CLOEXEC); });
    auto called = made([] { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); });
    await_in(set.get(), EPOLL_CTL_ADD, called.get(), EPOLLIN);
    await_in(set.get(), EPOLL_CTL_ADD, sources.get(), 0);
    set_ = std::move(set);
    sources_ = std::move(sources);
    called_ = std::move(called);
}

TUTTI_APART void wait_set::add(int descriptor) {
    if (descriptor >= 0) await_in(sources_.get(), EPOLL_CTL_ADD, descriptor, EPOLLIN);
}

TUTTI_APART bool wait_set::arm(int control, bool to_write) {
    if (control != control_ || to_write != writes_) {
        if (control != control_ && control_ >= 0)
            ::epoll_ctl(sources_.get(), EPOLL_CTL_DEL, std::exchange(control_, -1),
                        nullptr); // fails where it is closed
        if (control >= 0)
            await_in(sources_.get(), control_ >= 0 ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, control,
                     to_write ? EPOLLIN | EPOLLOUT : EPOLLIN);
        control_ = control;
        writes_ = to_write;
    }
    await_sources(true);
    return !bell_.lie_down();
}

TUTTI_APART void wait_set::disarm(bool to_step) noexcept {
    if (!to_step) await_sources(false);
    std::uint64_t count = 1;
    // First: who made it readable had rung before. Each fails only where nothing is to be done.
    [[maybe_unused]] const auto done =
        to_step ? ::read(called_.get(), &count, sizeof count) : ::write(called_.get(), &count, sizeof count);
    if (!to_step) is_called_.store(true, std::memory_order_relaxed);
    bell_.get_up();
}

TUTTI_APART void wait_set::call(bool wanted) noexcept {
    if (!is_open()) return;
    if (!wanted) await_sources(false);
    if (!wanted && !is_called_.exchange(false, std::memory_order_relaxed) && ++unread_ % 8 != 0) return;
    std::uint64_t count = 1;
    [[maybe_unused]] const auto done =
        wanted ? ::write(called_.get(), &count, sizeof count) : ::read(called_.get(), &count, sizeof count);
    if (wanted) is_called_.store(true, std::memory_order_relaxed);
}

TUTTI_APART void wait_set::await_sources(bool wanted) noexcept {
    if (awaits_sources_.exchange(wanted, std::memory_order_relaxed) == wanted) return;
    epoll_event e{};
    e.events = wanted ? EPOLLIN : 0U;
    ::epoll_ctl(set_.get(), EPOLL_CTL_MOD, sources_.get(), &e); // takes no memory
}

} // namespace tutti::transport::detail
