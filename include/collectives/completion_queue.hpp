// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "communicator.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tutti {

/// Calls a function for each request that is over: in the thread that asks for it, never where progress is made. So a
/// function may start and wait for further calls.
///
/// Threads: with progress::by_waiters any thread may add requests and call functions, as calls of a world in any case.
/// The destructor waits for the requests that are left, as theirs do, and calls nothing.
/// Cost: a look at each request in the queue as often as something moves.
///
/// @snippet reference.cpp completion_queue
class completion_queue {
public:
    /// The clock of deadlines.
    using clock = transport::clock;

    /// For requests of this world: of all communicators that were made from it.
    template <class Transport>
    explicit completion_queue(const communicator<Transport>& world) : in_(detail::access::kept_membership(world)) {}
    completion_queue(const completion_queue&) = delete;
    completion_queue& operator=(const completion_queue&) = delete;

    /// Takes the request over. Once it is over `f` is called, with the failure as a std::exception_ptr that is null
    /// where there is none; and, if it takes that, with request::source(). A function that takes nothing is called
    /// after a success alone: who would call it throws the failure instead.
    template <class Transport, class F>
    void add(request<Transport> r, F f) {
        static_assert(std::invocable<F&> || std::invocable<F&, std::exception_ptr> ||
                          std::invocable<F&, std::exception_ptr, int>,
                      "tutti: a completion_queue calls f(), f(std::exception_ptr) or f(std::exception_ptr, int)");
        r.want(true);
        auto made = std::make_unique<entry_of<Transport, F>>(std::move(r), std::move(f));
        {
            const std::lock_guard lock(mutex_);
            entries_.push_back(std::move(made));
        }
        in_->wake_waiters();
    }

    /// Calls the functions of the requests that are over, the first that was added first, and returns how many. Makes
    /// no progress: that is of communicator::step(), and of all calls. Throws what a function does; others stay.
    std::size_t dispatch() {
        std::size_t called = 0;
        for (; auto next = taken(); ++called) next->finish();
        return called;
    }
    /// Makes progress until a request is over, and calls its function. False: none is in the queue.
    bool run_one() { return run_one_until(clock::time_point::max()); }
    /// The same until a time by the clock of deadlines, or a twentieth of a second later; false if none is over then.
    bool run_one_until(clock::time_point end) {
        return run_one(end, [this] { return size() == 0; });
    }
    /// The same for so long at most.
    bool run_one_for(any_duration time) { return run_one_until(engine::later(in_->now(), time)); }
    /// Calls the functions of all requests, and, where other threads may add some, of those until close().
    void run() {
        const auto stops = [this] { return size() == 0 && (is_closed() || !in_->is_shared()); };
        while (run_one(clock::time_point::max(), stops)) {
        }
    }
    /// Nothing is added any more: run() ends with the last request.
    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        in_->wake_waiters();
    }
    /// How many requests it has, over or not.
    [[nodiscard]] std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return entries_.size();
    }

private:
    struct entry {
        virtual ~entry() = default;
        [[nodiscard]] virtual bool is_over() const noexcept = 0;
        virtual void finish() = 0;
    };
    template <class Transport, class F>
    struct entry_of final : entry {
        entry_of(request<Transport> r, F f) : of(std::move(r)), function(std::move(f)) {}
        bool is_over() const noexcept override { return of.has_ended(); }
        void finish() override {
            if constexpr (!std::invocable<F&>) {
                std::exception_ptr failed;
                try {
                    of.collect();
                } catch (const error&) {
                    failed = std::current_exception();
                }
                if constexpr (std::invocable<F&, std::exception_ptr, int>)
                    function(failed, of.source());
                else
                    function(failed);
            } else {
                of.collect();
                function();
            }
        }

        request<Transport> of;
        F function;
    };
    [[nodiscard]] static bool over(const std::unique_ptr<entry>& e) noexcept { return e->is_over(); }

    /// Until `stops()`, where no request is over.
    template <class Stops>
    bool run_one(clock::time_point end, const Stops& stops) {
        for (;;) {
            in_->wait_until([&] { return is_ready() || stops(); }, end);
            if (const auto next = taken()) return next->finish(), true;
            if (stops() || in_->now() >= end) return false; // else another thread was faster
        }
    }
    [[nodiscard]] std::unique_ptr<entry> taken() {
        in_->require_nobody(); // may throw, and must leave the request where it is
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(entries_.begin(), entries_.end(), over);
        if (found == entries_.end()) return nullptr;
        auto e = std::move(*found);
        entries_.erase(found);
        return e;
    }
    [[nodiscard]] bool is_ready() const {
        const std::lock_guard lock(mutex_);
        return std::any_of(entries_.begin(), entries_.end(), over);
    }
    [[nodiscard]] bool is_closed() const {
        const std::lock_guard lock(mutex_);
        return closed_;
    }

    std::shared_ptr<engine::membership> in_;
    mutable std::mutex mutex_; ///< never held while another one is taken
    std::vector<std::unique_ptr<entry>> entries_;
    bool closed_ = false;
};

} // namespace tutti
