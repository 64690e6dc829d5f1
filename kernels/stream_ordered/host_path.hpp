// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "call_page.hpp"

#include <collectives/engine/stream_executor.hpp>
#include <transport/stream_runtime.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>

namespace tutti::kernels::detail {

/// Ranks of any kind: a thread of the host waits until the stream has come to the call, makes it through an executor,
/// and then releases the stream, which awaits a word of mapped memory. Where the world has no progress thread, or the
/// device no such words, the caller's thread does it before the call returns.
template <transport::stream_runtime R, class Kernels, class World>
class host_path {
    using native = typename R::native_stream;
    using clock = std::chrono::steady_clock;

public:
    /// Collective.
    host_path(const R& device, const World& world, const Kernels& kernels, bool beside)
        : device_(device), executor_(device, world, kernels), world_(world.duplicate().with_executor(executor_)),
          end_(device.make_event()), page_(std::make_unique<page>()),
          seen_(reinterpret_cast<std::uint64_t*>(device.map(reinterpret_cast<std::byte*>(page_.get()), sizeof(page)))) {
        if (beside) thread_ = std::thread([this] { serve(); });
    }
    host_path(const host_path&) = delete;
    host_path& operator=(const host_path&) = delete;
    /// Calls that were made are finished first.
    ~host_path() {
        if (thread_.joinable()) {
            {
                const std::lock_guard lock(mutex_);
                stop_ = true;
            }
            changed_.notify_one();
            thread_.join();
            await_streams();
        }
        device_.unmap(reinterpret_cast<std::byte*>(page_.get()));
    }

    template <class T, class Op, class How>
    void allreduce(std::span<const T> in, std::span<T> out, const Op& op, native s, const std::string& call,
                   const How& how) {
        check();
        device_.use();
        if (device_.capture_of(s) != 0)
            reject(call, "the stream records a graph, and the host makes this call", "call outside of captures");
        job made{calls_ + 1, device_.make_event(), clock::now() + world_.default_deadline(), call,
                 [this, in, out, op, how] { world_.allreduce(in, out, op, how); }};
        device_.record_on(made.begin, s);
        if (!thread_.joinable()) return run(made);
        const std::uint64_t number = ++calls_;
        {
            const std::lock_guard lock(mutex_);
            jobs_.push_back(std::move(made));
        }
        changed_.notify_one();
        device_.await_word(seen_, number, s);
        device_.record_on(end_, s);
    }

    /// Throws what a call has thrown.
    void check() const {
        const std::lock_guard lock(mutex_);
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    struct job {
        std::uint64_t number;
        typename R::event begin; ///< the stream has come to the call
        clock::time_point until;
        std::string name;
        std::function<void()> call;
    };
    /// A page of its own, since the device maps whole pages. `done` is stored by the thread, with all that the calls
    /// have written, and awaited by streams: the number of the last call that has ended, or `released`.
    struct alignas(4096) page {
        std::uint64_t done = 0;
    };

    void run(const job& j) {
        device_.use();
        while (!device_.is_done(j.begin)) {
            if (clock::now() >= j.until) late(j);
            std::this_thread::sleep_for(std::chrono::microseconds{20});
        }
        j.call();
    }
    [[noreturn]] void late(const job& j) const {
        world_.abort("the deadline of an " + j.name + " passed before its stream came to it");
        fault f;
        f.why = cause::timeout;
        f.operation = j.name;
        f.peer = world_.world_rank(world_.rank());
        f.detail = "the deadline passed before this rank's stream came to the call";
        throw error(std::move(f));
    }
    void serve() {
        for (;;) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            const job next = std::move(jobs_.front());
            jobs_.pop_front();
            const bool failed = failure_ != nullptr;
            lock.unlock();
            if (failed) continue;
            try {
                run(next);
                release(next.number);
            } catch (...) {
                lock.lock();
                failure_ = std::current_exception();
                lock.unlock();
                release(released);
            }
        }
    }
    void release(std::uint64_t upto) noexcept { std::atomic_ref(page_->done).store(upto, std::memory_order_release); }
    /// They read the page until then. A device that has failed reads nothing.
    void await_streams() noexcept {
        const auto until = clock::now() + world_.default_deadline();
        try {
            device_.use();
            while (!device_.is_done(end_) && clock::now() < until)
                std::this_thread::sleep_for(std::chrono::microseconds{50});
        } catch (const transport::device_error&) {
        }
    }

    R device_;
    engine::stream_executor<R, Kernels> executor_;
    World world_;
    typename R::event end_; ///< of the last call
    std::unique_ptr<page> page_;
    std::uint64_t* seen_; ///< its word, as the device reaches it
    std::uint64_t calls_ = 0;
    mutable std::mutex mutex_; ///< guards what follows
    std::condition_variable changed_;
    std::deque<job> jobs_;
    std::exception_ptr failure_;
    bool stop_ = false;
    std::thread thread_;
};

} // namespace tutti::kernels::detail
