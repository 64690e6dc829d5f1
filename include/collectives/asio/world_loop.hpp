// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../base/own_process.hpp"
#include "../../transport/contract/signal_shield.hpp"
#include "../engine/membership.hpp"
#include "awaited.hpp"
#include "library.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace tutti::detail {
inline namespace TUTTI_ASIO_NAMESPACE {

class world_loop;

/// The loops of a context, which are told when it ends. The lock is of all contexts: a loop takes it when its world
/// ends, be it that its context ends at the same time.
class loops_of_context final : public net::execution_context::service {
public:
    using key_type = loops_of_context;
    static inline net::execution_context::id id;
    static inline std::mutex ends;

    explicit loops_of_context(net::execution_context& of) : net::execution_context::service(of) {}
    /// Under the lock.
    /// @{
    void add(world_loop* loop) { loops_.push_back(loop); }
    void remove(world_loop* loop) noexcept { std::erase(loops_, loop); }
    /// @}

private:
    void shutdown() override;

    const tutti::detail::own_process process_;
    std::vector<world_loop*> loops_;
};

/// A context of the library's own, and its thread.
class own_context {
public:
    own_context() : context_(1), work_(context_.get_executor()) {}

    [[nodiscard]] net::io_context& context() noexcept { return context_; }
    static void start(const std::shared_ptr<own_context>& own) {
        const transport::signal_shield none_on_the_thread;
        own->thread_ = std::thread([own] { own->context_.run(); });
    }
    /// The thread ends with what was posted to it: before this returns, unless this is that thread.
    void stop() {
        work_.reset();
        if (thread_.joinable()) thread_.get_id() == std::this_thread::get_id() ? thread_.detach() : thread_.join();
    }

private:
    net::io_context context_;
    net::executor_work_guard<net::io_context::executor_type> work_;
    std::thread thread_;
};

/// What steps a world in a context: a descriptor, a timer, and the requests that are awaited. The world owns it, and is
/// not kept by it, but by requests.
///
/// Threads: whichever runs the context steps, one at a time. `io_` guards the world, and what belongs to the context:
/// it is held while a step is made, and by who ends the world or the context. `mutex_` guards the rest. Locks are taken
/// in the order of contexts', `io_`, `mutex_`.
///
/// The descriptor and the timer do not count as work of the context, which thus ends when nothing is awaited: each
/// takes back what its wait has added, and adds it again before its handler is over.
class world_loop final : public engine::attached_loop, public std::enable_shared_from_this<world_loop> {
public:
    using executor_type = net::io_context::executor_type;
    using membership = engine::membership;
    using clock = transport::clock;

    /// From now on the context steps the world. Throws invalid_argument.
    static void run(net::io_context& context, const membership& world) {
        const std::lock_guard lock(makes);
        if (const auto before = attached(world)) {
            net::io_context* const runs = before->context();
            if (runs == &context) return;
            if (runs)
                reject("run_on",
                       before->own_ ? "a thread of the library's runs this world since it was first awaited"
                                    : "another context runs this world",
                       "call run_on once, before any async_wait, and let that io_context live as long as the world");
        }
        attach("run_on", world, [&] { return std::make_shared<world_loop>(context, world, nullptr); });
    }
    /// What looks after requests of the world, for that function; where any thread may call, at need with a thread of
    /// the library's. Throws invalid_argument.
    [[nodiscard]] static std::shared_ptr<world_loop> of(const char* by, const membership& world) {
        auto found = attached(world);
        if (!found && world.is_shared()) found = of_own_thread(by, world);
        if (!found)
            reject(by, "no context runs this world",
                   "call run_on(io_context, world), or make the world with progress::by_waiters");
        if (!found->context())
            reject(by, "the context that ran this world is gone", "call run_on with another, or wait()");
        return found;
    }

    world_loop(net::io_context& context, const membership& world, std::shared_ptr<own_context> own)
        : engine::attached_loop(&which), world_(world.world().get()), context_(&context),
          executor_(context.get_executor()), own_(std::move(own)), descriptor_(std::in_place, context),
          timer_(std::in_place, context) {
        const int copy = ::fcntl(world.descriptor(), F_DUPFD_CLOEXEC, 0);
        if (copy < 0) throw std::system_error(errno, std::system_category());
        error_codes::error_code failed;
        descriptor_->assign(copy, failed);
        if (failed) {
            ::close(copy);
            throw std::system_error(failed.value(), std::system_category());
        }
        const std::lock_guard lock(loops_of_context::ends);
        net::use_service<loops_of_context>(context).add(this);
    }
    ~world_loop() override { let_go(); }
    void let_go() noexcept override {
        {
            const std::lock_guard lock(loops_of_context::ends), alone(io_);
            world_ = nullptr;
            if (net::io_context* const runs = context()) {
                net::use_service<loops_of_context>(*runs).remove(this);
                close();
            }
        }
        if (const auto own = std::exchange(own_, nullptr)) own->stop();
    }
    /// Its context ends; returns what was awaited. Under the lock of contexts.
    [[nodiscard]] std::vector<owned_awaited> end() {
        const std::lock_guard alone(io_), lock(mutex_);
        close();
        return std::move(all_);
    }

    /// Null: it has ended. Any thread.
    [[nodiscard]] net::io_context* context() const noexcept { return context_.load(std::memory_order_relaxed); }
    [[nodiscard]] const executor_type& executor() const noexcept { return executor_; }
    /// Looks after it from now on, by this number.
    void add(owned_awaited a, std::uint64_t number) {
        a->number = number;
        {
            const std::lock_guard lock(mutex_);
            if (context()) all_.push_back(std::move(a));
        }
        if (a) return; // the context has ended since a moment, and its handlers with it
        try {
            post_turn();
        } catch (...) {
            static_cast<void>(taken(number)); // which waits for its call
            throw;
        }
    }
    [[nodiscard]] std::uint64_t next_number() {
        const std::lock_guard lock(mutex_);
        return ++last_number_;
    }
    /// Gives one up that is not over. Throws if another thread is inside a call.
    void cancel(std::uint64_t number) {
        auto what = taken(number);
        if (!what) return;
        try {
            if (!what->give_up()) return add(std::move(what), number);
        } catch (...) {
            if (what) add(std::move(what), number);
            throw;
        }
        what.release()->finish(false);
    }

private:
    static inline const char which = 0;
    static inline std::mutex makes; ///< of loops

    [[nodiscard]] static std::shared_ptr<world_loop> attached(const membership& world) {
        const auto found = membership::attached_to(*world.world());
        if (found && found->kind != &which)
            reject("run_on", "another Asio runs this world", "await its calls in units that include the same one");
        return std::static_pointer_cast<world_loop>(found);
    }
    [[nodiscard]] static std::shared_ptr<world_loop> of_own_thread(const char* by, const membership& world) {
        const std::lock_guard lock(makes);
        if (auto found = attached(world)) return found; // since a moment
        return attach(by, world, [&] {
            const auto own = std::make_shared<own_context>();
            auto made = std::make_shared<world_loop>(own->context(), world, own);
            own_context::start(own);
            return made;
        });
    }
    template <class Make>
    static std::shared_ptr<world_loop> attach(const char* by, const membership& world, const Make& make) {
        try {
            auto made = make();
            membership::attach(*world.world(), made);
            made->post_turn();
            return made;
        } catch (const error&) {
            throw;
        } catch (const std::runtime_error& e) { // of the system, by whichever library
            reject(by, e.what(), "see the limits of descriptors (ulimit -n) and of threads");
        }
    }

    void close() noexcept {
        context_ = nullptr;
        descriptor_.reset();
        timer_.reset();
    }
    [[nodiscard]] owned_awaited taken(std::uint64_t number) {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(all_.begin(), all_.end(),
                                        [=](const owned_awaited& a) { return a->number == number && !a->is_over(); });
        if (found == all_.end()) return nullptr;
        auto what = std::move(*found);
        all_.erase(found);
        return what;
    }

    void set(bool world_loop::*flag, bool value) {
        const std::lock_guard lock(mutex_);
        this->*flag = value;
    }
    /// One step as soon as the context comes to it.
    void post_turn() {
        {
            const std::lock_guard lock(mutex_);
            if (std::exchange(is_posted_, true)) return;
        }
        try {
            net::post(executor_, [of = weak_from_this()] {
                const auto loop = of.lock();
                if (!loop) return;
                loop->set(&world_loop::is_posted_, false);
                loop->turn();
            });
        } catch (...) {
            set(&world_loop::is_posted_, false);
            throw;
        }
    }
    /// Steps, and finishes what is over.
    void turn() {
        if (!process_.is_this()) return; // in a child nothing goes on
        {
            const std::lock_guard lock(mutex_);
            if (std::exchange(is_stepping_, true)) {
                steps_again_ = true;
                return;
            }
        }
        bool more = false;
        std::vector<owned_awaited> over;
        try {
            more = step();
            const std::lock_guard lock(mutex_);
            over.reserve(static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), is_over)));
            std::erase_if(all_, [&](owned_awaited& a) { return is_over(a) && (over.push_back(std::move(a)), true); });
            is_stepping_ = false;
            more = std::exchange(steps_again_, false) || more;
        } catch (...) {
            set(&world_loop::is_stepping_, false);
            post_turn();
            throw;
        }
        if (more) post_turn();
        try {
            for (auto& a : over) a.release()->finish(&a == &over.back());
        } catch (...) {
            put_back(over);
            throw;
        }
    }
    void put_back(std::vector<owned_awaited>& some) {
        std::erase(some, nullptr);
        if (some.empty()) return;
        {
            const std::lock_guard lock(mutex_);
            std::move(some.begin(), some.end(), std::back_inserter(all_));
        }
        post_turn();
    }
    /// True: the next one is to come at once.
    [[nodiscard]] bool step() {
        const std::lock_guard alone(io_);
        if (!world_ || !context()) return false;
        auto due = clock::time_point::max();
        try {
            if (membership::step(*world_)) return true;
            due = membership::next_deadline(*world_);
        } catch (const std::exception&) { // another thread is inside a call, or there is no memory
            due = clock::now() + std::chrono::milliseconds(1);
        }
        wait(due);
        return false;
    }
    [[nodiscard]] static bool is_over(const owned_awaited& a) noexcept { return a && a->is_over(); }

    /// The handler of the descriptor's wait, of which that flag tells, or of the timer's.
    [[nodiscard]] auto waker(bool world_loop::*flag) {
        return [of = weak_from_this(), executor = executor_, flag](const auto& code) {
            add_work(executor);
            const auto loop = code ? nullptr : of.lock();
            if (!loop) return;
            loop->set(flag, false);
            loop->turn();
        };
    }
    /// The next turn comes when the descriptor can be read, or at that time.
    void wait(clock::time_point due) {
        if (is_first(&world_loop::is_watched_)) {
            start([&] { descriptor_->async_wait(descriptor_->wait_read, waker(&world_loop::is_watched_)); },
                  &world_loop::is_watched_);
        }
        if (due == clock::time_point::max()) return;
        const bool is_first_wait = is_first(&world_loop::is_timed_);
        if (!is_first_wait && timer_due_ <= due) return;
        timer_due_ = due;
        start(
            [&] {
                timer_->expires_at(due); // its former wait is cancelled, whose handler does nothing
                timer_->async_wait(waker(&world_loop::is_timed_));
            },
            &world_loop::is_timed_);
    }
    [[nodiscard]] bool is_first(bool world_loop::*flag) {
        const std::lock_guard lock(mutex_);
        return !std::exchange(this->*flag, true);
    }
    template <class Start>
    void start(const Start& wait, bool world_loop::*flag) {
        try {
            wait();
        } catch (...) {
            set(flag, false);
            throw;
        }
        take_work_back(executor_); // a handler runs, which counts: so the count does not get to 0 here
    }
    template <class Executor>
    static void take_work_back(const Executor& e) {
        if constexpr (requires { e.on_work_finished(); }) e.on_work_finished();
    }
    template <class Executor>
    static void add_work(const Executor& e) {
        if constexpr (requires { e.on_work_started(); }) e.on_work_started();
    }

    const tutti::detail::own_process process_;
    std::mutex io_;
    engine::engine* world_; ///< null: it has ended
    /// Null: it has ended. Changed under `io_`; relaxed: whoever else looks needs it to live in any case.
    std::atomic<net::io_context*> context_;
    const executor_type executor_;
    std::shared_ptr<own_context> own_; ///< or null
    std::optional<net::posix::basic_stream_descriptor<executor_type>> descriptor_;
    std::optional<net::basic_waitable_timer<clock, net::wait_traits<clock>, executor_type>> timer_;
    clock::time_point timer_due_{};

    std::mutex mutex_;
    std::vector<owned_awaited> all_;
    std::uint64_t last_number_ = 0;
    bool is_posted_ = false, is_stepping_ = false, steps_again_ = false, is_watched_ = false, is_timed_ = false;
};

inline void loops_of_context::shutdown() {
    if (!process_.is_this()) return; // in a child the parent's worlds stay as they are
    std::vector<owned_awaited> all;
    {
        const std::lock_guard lock(ends);
        for (world_loop* const loop : loops_)
            for (auto& a : loop->end()) all.push_back(std::move(a));
        loops_.clear();
    }
    for (auto& a : all) a->settle(); // first, since a handler may own what several calls write to
}

} // namespace TUTTI_ASIO_NAMESPACE
} // namespace tutti::detail
