// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "call.hpp"
#include "call_watch.hpp"
#include "fused_call.hpp"
#include "limits.hpp"
#include "made_by_all.hpp"
#include "windows.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>

namespace tutti::kernels::detail {

/// Processes that share a device. A call of each rank is a number that its stream stores, and one that it awaits; the
/// kernel runs in a stream of rank 0's. No host waits, unless call_page::depth parts of calls are under way.
template <transport::stream_runtime R, class Kernels, class World>
class leader_path {
    using native = typename R::native_stream;

public:
    /// Collective. Errors: as of windows::allocate; std::system_error.
    leader_path(const R& device, const World& world, const Kernels& kernels, const stream_limits& limits,
                std::span<const std::int64_t> processes)
        : device_(device), world_(world), kernels_(kernels), limits_(limits), page_(shared_page(world)),
          own_(made_by_all(world,
                           [&] {
                               // To load a kernel CUDA may wait for streams, which may wait for ranks that wait for
                               // this one.
                               if (rank() == 0) kernels.load(static_cast<unsigned>(world.size()));
                               return std::make_unique<own_parts>(device, *page_, rank(), processes,
                                                                  world.default_deadline());
                           })),
          windows_(device, world, mapped_by::rank_0), stage_(windows_.allocate(limits.staging_bytes)) {}
    leader_path(const leader_path&) = delete;
    leader_path& operator=(const leader_path&) = delete;

    /// Waits for this rank's calls, and for the leader, until the deadline. False: streams still use what this has, so
    /// it must stay; it then goes on to watch over them.
    [[nodiscard]] bool finish() noexcept {
        try {
            device_.use();
        } catch (const transport::device_error&) { // then nothing of it works any more
        }
        const auto ended = [this] {
            return (page_->done.load() >= calls_ || has_failed()) && is_over(own_->end) && is_over(own_->stream_end);
        };
        if (!await_host(ended)) return false;
        if (rank() == 0) {
            windows_.close();
            page_->closed.store(1);
        } else if (!await_host([this] { return page_->closed.load() != 0 || own_->watch.has_lost(0); })) {
            windows_.leave();
        }
        return true;
    }

    /// It stays as long as this, which frees it.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) {
        return {windows_.allocate(bytes), [](std::byte*) {}};
    }
    void add(std::byte* start, std::size_t bytes) { windows_.add(start, bytes); }
    /// This rank reaches no other's memory any more. Before the first call.
    void close() noexcept { windows_.close(); }
    [[nodiscard]] bool reaches(const std::byte* at, std::size_t bytes) const noexcept {
        return windows_.find(at, bytes).has_value();
    }

    void allreduce(const ordered_call& c, native s) {
        examine(c.in_words());
        if (device_.capture_of(s) != 0)
            reject(c.in_words(), "the stream records a graph, and rank 0's part of the call would not be in it",
                   "call outside of captures, or make the ranks threads of one process");
        try {
            device_.use();
            device_.await_event(own_->end, s); // one call after the other, whatever their streams
            c.for_each_part(limits_.staging_bytes / c.element_bytes, [&](const ordered_call& p) { start(p, s); });
            device_.record_on(own_->end, s);
        } catch (...) { // the others wait for this rank in vain
            const auto self = static_cast<std::uint8_t>(rank());
            page_->failure.store_first(packed({group_failure::device, self, self}));
            mark_end(s);
            throw;
        }
    }

    /// Throws if the group has failed.
    void examine(const std::string& call) const {
        const failure_word f = failure_in(page_->failure.load());
        if (f.why != group_failure::none) throw_failure(f, world_.world_rank(f.peer), call);
    }

private:
    [[nodiscard]] unsigned rank() const noexcept { return static_cast<unsigned>(world_.rank()); }

    [[nodiscard]] static shared_call_page shared_page(const World& world) {
        const bool leads = world.rank() == 0;
        auto made = made_by_all(world, [&] { return leads ? shared_call_page::make() : shared_call_page(); });
        shared_call_page::address where = made.where();
        world.broadcast(std::span(&where, 1), 0);
        // The leader keeps its file until all have opened it.
        return made_by_all(world, [&] { return leads ? std::move(made) : shared_call_page::open(where); });
    }

    /// What the leader's stream copies to the device for a kernel.
    struct requests {
        std::uint64_t failed;
        call_request of[most_peers];
    };
    /// What needs no other rank.
    struct own_parts {
        own_parts(const R& device, call_page& page, unsigned rank, std::span<const std::int64_t> processes,
                  std::chrono::nanoseconds deadline)
            : stream(device.make_stream()), begin(device.make_event()), end(device.make_event()),
              stream_end(device.make_event()),
              request_memory(device.allocate(sizeof(requests)), [device](std::byte* p) { device.free(p); }),
              seen(reinterpret_cast<call_page*>(
                       device.map(reinterpret_cast<std::byte*>(&page), shared_call_page::bytes())),
                   [device, at = &page](call_page*) { device.unmap(reinterpret_cast<std::byte*>(at)); }),
              watch(page, rank, processes, deadline) {}

        typename R::stream stream;                 ///< the leader's kernels run there
        typename R::event begin;                   ///< of the last call, in the leader's caller's stream
        typename R::event end, stream_end;         ///< of the last call: in the caller's stream, and in the leader's
        std::shared_ptr<std::byte> request_memory; ///< `requests` of one call, in device memory
        std::shared_ptr<call_page> seen;           ///< the page, as the device reaches it
        call_watch watch;
    };

    /// One part, of the staging memory's size at most.
    void start(const ordered_call& c, native s) {
        const std::uint64_t number = calls_ + 1;
        const auto has_room = [&] { return page_->done.load() + call_page::depth >= number; };
        if (!has_room()) {
            // The watch finds a rank that is late. It comes to that first, unless the deadline is very short.
            if (!await_host([&] { return has_room() || has_failed(); }))
                page_->failure.store_first(packed({group_failure::timeout, static_cast<std::uint8_t>(rank()), 0}));
            examine(c.in_words());
        }
        const std::size_t bytes = c.bytes();
        const auto in = windows_.find(c.in, bytes), out = windows_.find(c.out, bytes);
        const window_place staged{0, 0};
        page_->requests[number % call_page::depth][rank()] = {
            number, c.signature(), in.value_or(staged), out.value_or(staged), {}};
        calls_ = number;
        own_->watch.begun(number);
        if (!in && bytes > 0) device_.copy_on(stage_, c.in, bytes, s);
        device_.store_on(&own_->seen->ready[rank()].value, number, s);
        rank() == 0 ? lead(c, number, s) : device_.await_word(&own_->seen->done.value, number, s);
        if (!out && bytes > 0) device_.copy_on(c.out, stage_, bytes, s);
    }
    /// The leader's part, on a stream of its own. It and the caller's stream are ordered by events: CUDA does not know
    /// of an order by words, and might run both streams by one queue.
    void lead(const ordered_call& c, std::uint64_t number, native callers) {
        const native s = device_.native(own_->stream);
        device_.record_on(own_->begin, callers);
        device_.await_event(own_->begin, s);
        const auto ranks = static_cast<unsigned>(world_.size());
        auto* const there = reinterpret_cast<requests*>(own_->request_memory.get());
        const auto copy = [&](void* to, const void* from, std::size_t bytes) {
            device_.copy_on(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, s);
        };
        for (unsigned r = 1; r < ranks; ++r) device_.await_word(&own_->seen->ready[r].value, number, s);
        copy(&there->of, &own_->seen->requests[number % call_page::depth], sizeof(call_request) * ranks);
        copy(&there->failed, &own_->seen->failure, sizeof there->failed); // stored before any stream was released
        kernels_.fused({c.type, c.op, ranks, number, c.signature(), c.count, &there->failed, there->of,
                        &windows_.mapped(), &own_->seen->failure.value},
                       s);
        device_.store_on(&own_->seen->done.value, number, s);
        device_.record_on(own_->stream_end, s);
        device_.await_event(own_->stream_end, callers);
    }

    /// finish() waits for what was put into the stream of a call that has thrown.
    void mark_end(native s) noexcept {
        try {
            device_.record_on(own_->end, s);
            device_.record_on(own_->stream_end, device_.native(own_->stream));
        } catch (const transport::device_error&) { // a device that has failed touches nothing
        }
    }
    [[nodiscard]] bool has_failed() const noexcept { return page_->failure.load() != 0; }
    [[nodiscard]] bool is_over(const typename R::event& e) const noexcept {
        try {
            return device_.is_done(e);
        } catch (const transport::device_error&) { // a device that has failed touches nothing
            return true;
        }
    }
    /// The host waits, which it does at the end, and where `depth` calls are under way. False: the deadline has passed,
    /// or two seconds of a group that has failed.
    template <class Holds>
    [[nodiscard]] bool await_host(const Holds& holds) const {
        const auto begin = call_watch::clock::now();
        const std::chrono::nanoseconds all = world_.default_deadline(), failed = std::min(all, after_failure);
        while (!holds()) {
            if (call_watch::clock::now() - begin >= (has_failed() ? failed : all)) return false;
            std::this_thread::sleep_for(std::chrono::microseconds{50});
        }
        return true;
    }
    static constexpr std::chrono::nanoseconds after_failure = std::chrono::seconds{2};

    R device_;
    const World& world_;
    const Kernels& kernels_;
    stream_limits limits_;
    shared_call_page page_;
    std::unique_ptr<own_parts> own_;
    windows<R, World> windows_;
    std::byte* stage_;        ///< window 0: for data that are in no window
    std::uint64_t calls_ = 0; ///< parts of calls that were started
};

} // namespace tutti::kernels::detail
