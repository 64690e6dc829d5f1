// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/transport.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tutti::engine {

/// What threads wait by. Tests put steps in its place.
struct thread_primitives {
    using mutex = std::mutex;
    using lock = std::unique_lock<std::mutex>;
    using event = std::condition_variable;
    using thread = std::thread;
    template <class Value>
    using atomic = std::atomic<Value>;
};

/// Tells threads that sleep while another drives that their work has ended, and no others. Costs nothing where one
/// thread calls at a time.
template <class Primitives>
class basic_completion_signal {
public:
    using held = typename Primitives::lock;

    /// From now on several threads are concerned. Called before the second one comes.
    void share() noexcept { shared_ = true; }
    [[nodiscard]] bool shared() const noexcept { return shared_; }

    /// Guards the state of ended work.
    [[nodiscard]] held hold() { return shared_ ? held(mutex_) : held(); }
    /// Something has ended. Under the lock.
    void notify() {
        ++ends_;
        tell();
    }
    /// Those that sleep look at what they wait for. Under the lock.
    void tell() {
        for (sleeper* s = first_; s; s = s->next_)
            if (s->is_over()) s->woken.notify_one();
    }
    /// How often something has ended. For who drives.
    [[nodiscard]] unsigned ends() const noexcept { return ends_; }
    /// Sleeps until `ended`, which is evaluated under the lock, by the thread that drives too.
    void await(const auto& ended) {
        held lock(mutex_);
        sleeper me(*this, ended);
        me.woken.wait(lock, ended);
    }

protected:
    /// A thread that sleeps. Lives under the lock.
    class sleeper {
    public:
        template <class Ended>
        sleeper(basic_completion_signal& in, const Ended& ended, bool to_drive = false) noexcept
            : wants_turn(to_drive), ended_([](const void* e) { return (*static_cast<const Ended*>(e))(); }),
              what_(&ended), next_(in.first_), in_(in) {
            in.first_ = this;
        }
        sleeper(const sleeper&) = delete;
        sleeper& operator=(const sleeper&) = delete;
        ~sleeper() { leave(); }
        void leave() noexcept {
            sleeper** at = &in_.first_;
            while (*at && *at != this) at = &(*at)->next_;
            if (*at) *at = next_;
        }
        [[nodiscard]] bool is_over() const { return ended_(what_); }

        typename Primitives::event woken;
        const bool wants_turn; ///< as soon as none drives

    private:
        friend basic_completion_signal;
        bool (*ended_)(const void*);
        const void* what_;
        sleeper* next_;
        basic_completion_signal& in_;
    };
    /// None drives any more: tells one that wants to. False if none sleeps but those whose work has ended. Under the
    /// lock.
    bool notify_next() {
        bool any = false;
        for (sleeper* s = first_; s; s = s->next_) {
            if (s->is_over()) continue;
            any = true;
            if (!s->wants_turn) continue;
            s->woken.notify_one();
            break;
        }
        return any;
    }

private:
    bool shared_ = false;
    typename Primitives::mutex mutex_;
    sleeper* first_ = nullptr; ///< under the lock
    unsigned ends_ = 0;        ///< written by who drives
};
using completion_signal = basic_completion_signal<thread_primitives>;

} // namespace tutti::engine
