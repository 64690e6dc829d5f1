// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../transport/contract/process_fence.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>
#include <utility>

namespace tutti::engine {

/// Which thread is inside the calls of one rank, where they are not shared: one at a time may be.
///
/// The usual way in is by the door: a load, a store and a load. That is no lock, which would cost a small message
/// several atomic operations. It finds every thread that comes while another is inside; two that enter within the same
/// nanoseconds are found when one of them leaves. Functions that cannot fail exclude all others and wait for
/// them, and they for it; it takes microseconds.
/// Leaving is a release and entering an acquire: the next thread sees everything that this one did inside.
class TUTTI_SHARED serialized_access {
    using place = std::atomic<const void*>; ///< an address of the thread that has it; null if none has

public:
    serialized_access() noexcept { transport::detail::process_fence::prepare(); }

    /// As long as it lives the thread is inside.
    class [[nodiscard]] visit {
    public:
        visit() = default;
        explicit visit(place& p) noexcept : place_(&p) {}
        visit(visit&& other) noexcept : place_(std::exchange(other.place_, nullptr)) {}
        visit& operator=(visit&&) = delete;
        ~visit() {
            if (place_) leave(*place_);
        }

    private:
        place* place_ = nullptr;
    };

    /// Throws invalid_argument if a thread is inside. May wait for one that entered at last.
    [[nodiscard]] visit enter() {
        require_nobody();
        return enter_by(door_);
    }
    [[nodiscard]] bool occupied() const noexcept { return door_.load(std::memory_order_acquire); }
    void require_nobody() const {
        if (const void* const who = door_.load(std::memory_order_acquire)) refuse(who);
    }
    /// For the end of a call, which cannot fail: by the door if it is free, else as enter_alone().
    [[nodiscard]] visit enter_at_last() noexcept {
        if (door_.load(std::memory_order_acquire)) return enter_alone();
        return enter_by(door_);
    }
    /// For destructors: waits until no other thread is inside, at most as long as its call may take; others wait until
    /// this one has left. Ends the process if it is this thread that is inside, which would wait for itself.
    [[gnu::noinline]] visit enter_alone() noexcept {
        int rests = 0;
        for (const void* who = nullptr; !awaited_.compare_exchange_weak(who, this_thread(), std::memory_order_acquire);
             who = nullptr)
            rest_unless_mine(who, rests);
        transport::detail::process_fence::issue();
        while (const void* const who = door_.load(std::memory_order_acquire)) rest_unless_mine(who, rests);
        return visit(awaited_);
    }

    [[noreturn]] static void end_operator() noexcept { give_up("an operator used the world that runs it"); }
    [[noreturn]] static void refuse_operator() {
        reject({}, "an operator calls into the world that runs it", "let operators work on their operands alone");
    }

private:
    /// Either this thread sees that another awaits the place, or that one sees this thread, by the fence in
    /// enter_alone().
    [[nodiscard]] visit enter_by(place& door) noexcept {
        door.store(this_thread(), std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (!awaited_.load(std::memory_order_acquire)) return visit(door);
        door.store(nullptr, std::memory_order_release);
        return enter_alone();
    }
    /// Yields at first, then sleeps: the other's call may take long.
    static void rest_unless_mine(const void* who, int& rests) noexcept {
        constexpr int most_yields = 100;
        if (who == this_thread()) end_operator();
        if (++rests < most_yields) return std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }

    [[nodiscard]] static const void* this_thread() noexcept {
        static thread_local const char mark = 0;
        return &mark;
    }
    [[noreturn]] static void refuse(const void* who) {
        if (who == this_thread()) refuse_operator();
        reject({}, "another thread is inside a call of this world",
               "call from one thread at a time, or make the communicator with tutti::progress::by_waiters");
    }
    [[noreturn]] static void give_up(const char* why) noexcept {
        std::fprintf(stderr, "tutti: %s, so this process ends\n", why);
        std::terminate();
    }
    static void leave(place& p) noexcept {
        if (p.load(std::memory_order_relaxed) != this_thread())
            give_up("two threads were inside calls of one world at once, which needs tutti::progress::by_waiters");
        p.store(nullptr, std::memory_order_release);
    }

    place door_{nullptr};
    place awaited_{nullptr}; ///< by a thread that waits until the door is free, or is inside alone
};

} // namespace tutti::engine
