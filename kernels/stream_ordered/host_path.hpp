// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "call_page.hpp"
#include "group_memory.hpp"

#include <collectives/engine/stream_executor.hpp>
#include <collectives/symmetric_memory.hpp>
#include <transport/stream_runtime.hpp>

#include <condition_variable>
#include <cstddef>
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

/// Ranks of any kind. The host waits until the stream has come to the call, and makes it through an executor: before
/// the call returns, or `beside` it. Then a thread does so, and releases the stream, which awaits a word of mapped
/// memory.
template <transport::stream_runtime R, class Kernels, class World>
class host_path {
    using native = typename R::native_stream;

public:
    /// Collective.
    host_path(const R& device, const World& world, const Kernels& kernels, bool beside)
        : device_(device), executor_(device, world, kernels), world_(world.duplicate().with_executor(executor_)),
          end_(device.make_event()), done_(device) {
        if (!beside) return;
        kernels.load(static_cast<unsigned>(world.size())); // else CUDA may wait for streams that wait for the thread
        thread_ = std::thread([this] { serve(); });
    }
    host_path(const host_path&) = delete;
    host_path& operator=(const host_path&) = delete;
    ~host_path() { stop(); }

    /// Makes the calls that are waiting, then waits for streams, until the deadline. False: they still use what this
    /// has, so it must stay.
    [[nodiscard]] bool finish() noexcept {
        stop();
        try {
            device_.use();
            return ends_within(device_, end_, world_.default_deadline());
        } catch (const transport::device_error&) { // a device that has failed reads nothing
            return true;
        }
    }

    /// The communicator's memory.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const {
        const auto made =
            std::make_shared<symmetric_memory<std::uint8_t>>(world_.template allocate<std::uint8_t>(bytes));
        return {made, reinterpret_cast<std::byte*>(made->data())};
    }
    void add(const std::byte*, std::size_t) const noexcept {}
    [[nodiscard]] static bool reaches(const std::byte*, std::size_t) noexcept { return true; }

    template <class T, class Op, class How>
    void allreduce(std::span<const T> in, std::span<T> out, const Op& op, native s, const std::string& call,
                   const How& how) {
        check(call);
        device_.use();
        if (device_.capture_of(s) != 0)
            reject(call, "the stream records a graph, and the host makes this call", "call outside of captures");
        job made{calls_ + 1, device_.make_event(), call,
                 [this, in, out, op, how] { world_.allreduce(in, out, op, how); }};
        device_.record_on(made.begin, s);
        if (!thread_.joinable()) return run(made);
        const std::uint64_t number = ++calls_;
        {
            const std::lock_guard lock(mutex_);
            jobs_.push_back(std::move(made));
        }
        changed_.notify_one();
        device_.await_word(done_.seen(), number, s);
        device_.record_on(end_, s);
    }

    /// Throws what a call has thrown.
    void check(const std::string&) const {
        const std::lock_guard lock(mutex_);
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    struct job {
        std::uint64_t number;
        typename R::event begin; ///< the stream has come to the call
        std::string name;
        std::function<void()> call;
    };
    void run(const job& j) {
        device_.use();
        if (!ends_within(device_, j.begin, world_.default_deadline())) late(j);
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
                done_.store(next.number);
            } catch (...) {
                lock.lock();
                failure_ = std::current_exception();
                lock.unlock();
                done_.store(released);
            }
        }
    }
    void stop() noexcept {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }

    R device_;
    engine::stream_executor<R, Kernels> executor_;
    World world_;
    typename R::event end_; ///< of the last call
    /// Stored by the thread, with all that the calls have written, and awaited by streams: the number of the last call
    /// that has ended, or `released`.
    mapped_word<R> done_;
    std::uint64_t calls_ = 0;
    mutable std::mutex mutex_; ///< guards what follows
    std::condition_variable changed_;
    std::deque<job> jobs_;
    std::exception_ptr failure_;
    bool stop_ = false;
    std::thread thread_;
};

} // namespace tutti::kernels::detail
