// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transport.hpp"
#include "../../control/coordinator.hpp"
#include "../../control/stderr_writer.hpp"
#include "../../world/doorbell.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

/// The coordinator, a mailbox and a bell for each rank. Every function may be called from any thread.
class control_plane {
public:
    explicit control_plane(int size) : coordinator_(size), desks_(static_cast<std::size_t>(size)) {}
    control_plane(const control_plane&) = delete;
    control_plane& operator=(const control_plane&) = delete;
    ~control_plane() { voice_.finish(std::chrono::seconds(1)); }

    [[nodiscard]] doorbell& bell(int rank) noexcept { return desk_of(rank).bell; }

    void ring_all() {
        for (desk& d : desks_) d.bell.ring();
    }

    void tell(int from, notice n) {
        const std::lock_guard lock{mutex_};
        coordinator_.take(from, std::move(n), clock::now());
        deliver();
        for (const auto& c : coordinator_.complaints()) voice_.say(c);
    }

    void lose(int rank, std::string how) {
        const std::lock_guard lock{mutex_};
        coordinator_.lost(rank, std::move(how), clock::now());
        deliver();
    }

    [[nodiscard]] bool has_mail(int rank) const noexcept {
        // Only a hint: the mutex guards the mail. A deliverer sets it and then rings. A rank that the ring wakes sees
        // it, since the bell synchronizes; a rank that looks earlier is rung afterwards.
        return desks_[static_cast<std::size_t>(rank)].has_mail.load(std::memory_order_relaxed);
    }

    [[nodiscard]] bool fetch(int rank, notice& n) {
        if (!has_mail(rank)) return false;
        const auto taken = take(desk_of(rank));
        if (taken) n = *taken;
        return taken != nullptr;
    }

    /// The time of the next tick(). A rank that would sleep past it is rung when it is moved forward.
    [[nodiscard]] clock::time_point next_tick() const noexcept {
        // Relaxed: a hint, as has_mail.
        return clock::time_point{clock::duration{next_tick_.load(std::memory_order_relaxed)}};
    }

    /// Lets the coordinator make the decisions that are due, if any.
    void tick(clock::time_point now) {
        if (now < next_tick()) return;
        const std::lock_guard lock{mutex_};
        coordinator_.tick(now);
        deliver();
    }

private:
    struct alignas(64) desk {
        doorbell bell;
        std::atomic<bool> has_mail{false};
        std::deque<std::shared_ptr<const notice>> mail;
    };

    [[nodiscard]] desk& desk_of(int rank) noexcept { return desks_[static_cast<std::size_t>(rank)]; }

    [[nodiscard]] std::shared_ptr<const notice> take(desk& d) {
        const std::lock_guard lock{mutex_};
        if (d.mail.empty()) return nullptr;
        auto first = std::move(d.mail.front());
        d.mail.pop_front();
        d.has_mail.store(!d.mail.empty(), std::memory_order_relaxed);
        return first;
    }
    static void put(desk& d, const std::shared_ptr<const notice>& what) {
        d.mail.push_back(what);
        d.has_mail.store(true, std::memory_order_relaxed);
        d.bell.ring();
    }

    void deliver() {
        for (auto& [to, what] : coordinator_.drain()) {
            const auto shared = std::make_shared<const notice>(std::move(what));
            for (const int rank : to) put(desk_of(rank), shared);
        }
        const auto before = next_tick();
        const auto next = coordinator_.next_tick();
        next_tick_.store(next.time_since_epoch().count(), std::memory_order_relaxed);
        if (next < before) ring_all();
    }

    std::mutex mutex_; ///< guards the coordinator, the mail and the voice
    bootstrap::coordinator coordinator_;
    bootstrap::stderr_writer voice_;
    std::vector<desk> desks_;
    std::atomic<clock::rep> next_tick_{clock::time_point::max().time_since_epoch().count()};
};

} // namespace tutti::transport::detail
