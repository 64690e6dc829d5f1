// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "call.hpp"
#include "fused_call.hpp"
#include "limits.hpp"

#include <transport/stream_runtime.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace tutti::kernels::detail {

/// Ranks that are threads of one process and share a device. Their hosts meet by an allgather, so that one rank knows
/// all streams and all data; it launches one kernel for all. The streams are ordered by events.
template <transport::stream_runtime R, class Kernels, class World>
class threads_path {
    using native = typename R::native_stream;

public:
    /// Collective. Errors: device_error.
    threads_path(const R& device, const World& world, const Kernels& kernels, const stream_limits& limits)
        : device_(device), world_(world), kernels_(kernels), limits_(limits), blocks_(kernels.blocks(size())),
          box_words_(packet_box_words(size(), blocks_, limits.packet_bytes / packet_bytes_of_data)),
          before_(device.make_event()), after_(device.make_event()), memory_(device.allocate(memory_bytes())),
          report_(std::make_unique<report_page>()),
          seen_report_(reinterpret_cast<std::uint64_t*>(
              device.map(reinterpret_cast<std::byte*>(report_.get()), sizeof(report_page)))) {
        device_.clear(memory_, memory_bytes());
        exchange_groups();
    }
    threads_path(const threads_path&) = delete;
    threads_path& operator=(const threads_path&) = delete;
    /// Waits for the others, until the deadline, and for the last call.
    ~threads_path() {
        try {
            device_.use();
            world_.barrier(); // every rank's last call was started
            const auto until = std::chrono::steady_clock::now() + world_.default_deadline();
            while (last_ && !device_.is_done(*last_) && std::chrono::steady_clock::now() < until)
                std::this_thread::sleep_for(std::chrono::microseconds{50});
            world_.barrier();             // no rank's kernel uses this one's memory any more
        } catch (const std::exception&) { // a rank is gone: its kernels are, or time out
        }
        device_.unmap(reinterpret_cast<std::byte*>(report_.get()));
        device_.free(memory_);
    }

    void allreduce(const ordered_call& c, native s) {
        device_.use();
        device_.record_on(before_, s);
        const offer mine{c.signature(), {c.in, c.out}, device_.capture_of(s), report_word(), &before_, &after_, &c};
        std::array<offer, most_peers> all;
        world_.allgather(std::span<const offer>(&mine, 1), std::span(all).first(size()));
        compare(all, c);
        std::uint64_t started = 1;
        if (world_.rank() == 0) started = launch(all, c, s) ? 1 : 0;
        world_.broadcast(std::span(&started, 1), 0); // its event was recorded
        if (!started) throw_failure({group_failure::device, 0, 0}, world_.world_rank(0), c.in_words());
        last_ = all[0].after;
        if (world_.rank() != 0) device_.await_event(*last_, s);
    }

    /// Throws if the group has failed.
    void check(const std::string& call) const {
        const failure_word f = failure_in(report_word());
        if (f.why != group_failure::none) throw_failure(f, world_.world_rank(f.peer), call);
    }

private:
    static constexpr std::size_t packet_bytes_of_data = 4;

    /// What a rank says of its call. Pointers are those of the process that all are threads of.
    struct offer {
        std::uint64_t signature;
        std::array<std::byte*, 2> data; ///< in, out
        std::uint64_t capture;
        std::uint64_t report;
        const typename R::event *before, *after;
        const ordered_call* call; ///< valid until the rank's broadcast
    };
    /// A page of its own, since the device maps whole pages.
    struct alignas(4096) report_page {
        std::uint64_t word = 0;
    };
    struct parts {
        flag_page* page;
        block_counters* counters;
        std::uint64_t *box, *report;
    };

    [[nodiscard]] unsigned size() const noexcept { return static_cast<unsigned>(world_.size()); }
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return sizeof(flag_page) + sizeof(block_counters) * most_group_blocks + sizeof(std::uint64_t) * box_words_;
    }
    /// Stored by kernels, once, from 0.
    [[nodiscard]] std::uint64_t report_word() const noexcept {
        return std::atomic_ref(report_->word).load(std::memory_order_acquire);
    }

    void exchange_groups() {
        std::byte* const counters = memory_ + sizeof(flag_page);
        const parts mine{reinterpret_cast<flag_page*>(memory_), reinterpret_cast<block_counters*>(counters),
                         reinterpret_cast<std::uint64_t*>(counters + sizeof(block_counters) * most_group_blocks),
                         seen_report_};
        std::array<parts, most_peers> all;
        world_.allgather(std::span<const parts>(&mine, 1), std::span(all).first(size()));
        boxes_.capacity = limits_.packet_bytes / packet_bytes_of_data;
        for (unsigned r = 0; r < size(); ++r) {
            peer_group g{.rank = r, .size = size(), .blocks = blocks_};
            for (unsigned p = 0; p < size(); ++p) g.pages[p] = all[p].page;
            g.counters = all[r].counters;
            g.report = all[r].report;
            boxes_.of[r] = all[r].box;
            groups_.push_back(g);
        }
    }

    void compare(const std::array<offer, most_peers>& all, const ordered_call& c) const {
        for (unsigned r = 0; r < size(); ++r)
            if (const failure_word f = failure_in(all[r].report); f.why != group_failure::none)
                throw_failure(f, world_.world_rank(f.peer), c.in_words());
        for (unsigned r = 1; r < size(); ++r) {
            if (all[r].signature != all[0].signature) differ(r, all);
            if (all[r].capture != all[0].capture)
                reject(c.in_words(), "rank 0's stream and rank " + std::to_string(r) + "'s record no common graph",
                       "record all ranks' streams in one capture, or none");
        }
    }
    /// All ranks throw the same.
    [[noreturn]] void differ(unsigned r, const std::array<offer, most_peers>& all) const {
        fault f;
        f.why = cause::mismatch;
        f.operation = all[0].call->in_words();
        f.peer = world_.world_rank(static_cast<int>(r));
        f.detail = "rank 0 called " + f.operation + ", and rank " + std::to_string(r) + " " + all[r].call->in_words();
        world_.barrier(); // all have read all calls
        throw error(std::move(f));
    }

    [[nodiscard]] bool launch(const std::array<offer, most_peers>& all, const ordered_call& c, native s) {
        const auto patience = static_cast<std::uint64_t>(std::chrono::nanoseconds(world_.default_deadline()).count());
        for (peer_group& g : groups_) g.timeout_ns = patience;
        group_call call{
            c.type, c.op, way_of(all, c), groups_, boxes_, static_cast<std::uint32_t>(c.signature()), c.count, {}, {}};
        try {
            for (unsigned r = 0; r < size(); ++r) {
                call.in[r] = all[r].data[0];
                call.out[r] = all[r].data[1];
                if (r != 0) device_.await_event(*all[r].before, s);
            }
            kernels_.together(call, s);
            device_.record_on(after_, s);
            return true;
        } catch (const std::exception&) { // told by all ranks
            return false;
        }
    }
    [[nodiscard]] group_way way_of(const std::array<offer, most_peers>& all, const ordered_call& c) const noexcept {
        if (c.bytes() <= limits_.packet_bytes) return group_way::packets;
        const bool in_place =
            std::any_of(all.begin(), all.begin() + size(), [](const offer& o) { return o.data[0] == o.data[1]; });
        return c.bytes() <= limits_.one_shot_bytes && !in_place ? group_way::one_shot : group_way::two_shots;
    }

    R device_;
    const World& world_;
    const Kernels& kernels_;
    stream_limits limits_;
    unsigned blocks_;
    std::size_t box_words_;
    typename R::event before_, after_; ///< this rank's stream has come to the call; the kernel has ended (rank 0's)
    std::byte* memory_;                ///< flag page, counters and box of this rank
    std::unique_ptr<report_page> report_;
    std::uint64_t* seen_report_; ///< as the device reaches it
    std::vector<peer_group> groups_;
    packet_boxes boxes_;
    const typename R::event* last_ = nullptr; ///< rank 0's, of the last call
};

} // namespace tutti::kernels::detail
