// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "call.hpp"
#include "group_memory.hpp"
#include "made_by_all.hpp"
#include "schedules.hpp"

#include <tutti/transport/contract/stream_runtime.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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
        : device_(device), world_(world), kernels_(kernels), limits_(limits),
          own_(made_by_all(world,
                           [&] {
                               return std::make_unique<own_parts>(device,
                                                                  group_memory(size(), kernels.blocks(size()), limits));
                           })),
          schedules_(device, size()) {
        const group_memory& layout = own_->layout;
        const place mine{own_->memory.get(), own_->report.seen()};
        std::array<place, most_peers> all;
        world_.allgather(std::span<const place>(&mine, 1), std::span(all).first(size()));
        for (unsigned r = 0; r < size(); ++r) memories_[r] = all[r].memory;
        for (unsigned r = 0; r < size(); ++r)
            groups_.push_back(layout.group_of(r, memories_, all[r].report, world_.default_deadline()));
        boxes_ = layout.boxes(memories_);
    }
    threads_path(const threads_path&) = delete;
    threads_path& operator=(const threads_path&) = delete;

    /// Waits for the others, until the deadline, and for the last call. False: its kernel may still use what this has,
    /// so it must stay.
    [[nodiscard]] bool finish() noexcept {
        try {
            device_.use();
            world_.barrier(); // every rank's last call was started
            // What was recorded, its owner replays no more.
            if (!ends_within(device_, own_->end, world_.default_deadline())) return false;
            world_.barrier(); // no kernel uses this rank's memory any more
            return true;
        } catch (const std::exception&) { // a rank is gone, or the device
            return false;
        }
    }

    /// Zeros. All ranks reach all memory of the device.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const {
        device_.use();
        std::shared_ptr<std::byte> made(device_.allocate(std::max<std::size_t>(1, bytes)),
                                        [device = device_](std::byte* p) { device.free(p); });
        device_.clear(made.get(), bytes);
        return made;
    }
    void add(const std::byte*, std::size_t) const noexcept {}
    [[nodiscard]] static bool reaches(const std::byte*, std::size_t) noexcept { return true; }

    void allreduce(const ordered_call& c, native s) {
        device_.use();
        const std::uint64_t capture = device_.capture_of(s);
        // One call after the other, whatever their streams. What is recorded follows only what the same graph has.
        auto& end = capture == 0 ? own_->end : own_->recorded_end;
        if (capture == 0 || capture == last_capture_) device_.await_event(end, s);
        device_.record_on(own_->before, s);
        const offer mine{c.signature(), {c.in, c.out}, capture, own_->report.load(), &own_->before, &own_->after, &c};
        std::array<offer, most_peers> all;
        world_.allgather(std::span<const offer>(&mine, 1), std::span(all).first(size()));
        compare(all, c);
        outcome of_launch;
        if (world_.rank() == 0) of_launch = launch(all, c, s);
        world_.broadcast(std::span(&of_launch, 1), 0); // its event was recorded
        if (of_launch.how != outcome::good) throw_outcome(of_launch, c.in_words());
        if (world_.rank() != 0) device_.await_event(*all[0].after, s);
        device_.record_on(end, s);
        if (capture != 0) last_capture_ = capture;
    }

    /// Throws if the group has failed.
    void examine(const std::string& call) const {
        const failure_word f = failure_in(own_->report.load());
        if (f.why != group_failure::none) throw_failure(f, world_.world_rank(f.peer), call);
    }

private:
    /// What a rank says of its call. Pointers are those of the process that all are threads of.
    struct offer {
        std::uint64_t signature;
        std::array<std::byte*, 2> data; ///< in, out
        std::uint64_t capture;
        std::uint64_t report;
        const typename R::event *before, *after;
        const ordered_call* call; ///< valid until the rank's broadcast
    };
    /// What became of the launch, for all ranks.
    struct outcome {
        enum : std::uint64_t { good, refused, failed } how = good;
        std::array<char, 504> why{};

        [[nodiscard]] static outcome of(decltype(how) what, std::string_view words) noexcept {
            outcome o;
            o.how = what;
            words.copy(o.why.data(), o.why.size() - 1);
            return o;
        }
    };
    /// Where a rank's part of the group lies.
    struct place {
        std::byte* memory;
        std::uint64_t* report;
    };
    /// What needs no other rank.
    struct own_parts {
        own_parts(const R& device, const group_memory& how)
            : layout(how), before(device.make_event()), after(device.make_event()), end(device.make_event()),
              recorded_end(device.make_event()),
              memory(device.allocate(how.bytes()), [device](std::byte* p) { device.free(p); }), report(device) {
            device.clear(memory.get(), how.bytes());
        }

        group_memory layout;
        typename R::event before, after;   ///< this rank's stream has come to the call; the kernel has ended (rank 0's)
        typename R::event end;             ///< of the last call that was not recorded, in this rank's stream
        typename R::event recorded_end;    ///< of the last one that was
        std::shared_ptr<std::byte> memory; ///< this rank's part of the group
        mapped_word<R> report;             ///< where this rank's kernels tell a failure
    };

    [[nodiscard]] unsigned size() const noexcept { return static_cast<unsigned>(world_.size()); }

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

    [[noreturn]] void throw_outcome(const outcome& o, const std::string& call) const {
        if (o.how == outcome::refused) reject(call, o.why.data());
        fault f;
        f.why = cause::aborted;
        f.operation = call;
        f.peer = world_.world_rank(0);
        f.detail = std::string("it could not launch the kernel: ") + o.why.data();
        throw error(std::move(f));
    }

    [[nodiscard]] outcome launch(const std::array<offer, most_peers>& all, const ordered_call& c, native s) {
        try {
            for (unsigned r = 1; r < size(); ++r) device_.await_event(*all[r].before, s);
            c.how ? launch_schedule(all, c, s) : launch_reduction(all, c, s);
            device_.record_on(own_->after, s);
            return {};
        } catch (const error& e) { // of the call; nothing was launched
            return outcome::of(outcome::refused, e.facts().detail);
        } catch (const std::exception& e) {
            return outcome::of(outcome::failed, e.what());
        }
    }
    [[nodiscard]] std::size_t in_place(const std::array<offer, most_peers>& all) const noexcept {
        return static_cast<std::size_t>(
            std::count_if(all.begin(), all.begin() + size(), [](const offer& o) { return o.data[0] == o.data[1]; }));
    }
    void launch_reduction(const std::array<offer, most_peers>& all, const ordered_call& c, native s) {
        group_call call{.type = c.type,
                        .op = c.op,
                        .way = way_of(c.bytes(), in_place(all) > 0, limits_),
                        .groups = groups_,
                        .first = 0,
                        .number = size(),
                        .boxes = boxes_,
                        .signature = c.short_signature(),
                        .count = c.count};
        for (unsigned r = 0; r < size(); ++r) {
            call.in[r] = all[r].data[0];
            call.out[r] = all[r].data[1];
        }
        kernels_.together(call, s);
    }
    void launch_schedule(const std::array<offer, most_peers>& all, const ordered_call& c, native s) {
        const std::size_t placed = in_place(all);
        if (placed != 0 && placed != size())
            reject(c.in_words(), "some ranks' outputs are their inputs, and others' are not",
                   "call alike on all ranks");
        if (all[0].capture != 0 && !schedules_.has(c, placed != 0))
            reject(c.in_words(), "its plans are made by the first call, which allocates",
                   "call once before the streams record");
        scheduled_call call{
            .type = c.type, .op = c.op, .groups = groups_, .signature = c.short_signature(), .count = c.count};
        for (unsigned r = 0; r < size(); ++r) {
            call.pages[r] = group_memory::page_in(memories_[r]);
            call.counters[r] = group_memory::counters_in(memories_[r]);
            for (const device_memory m : {device_memory::input, device_memory::output})
                call.memory[r][static_cast<unsigned>(m)] = all[r].data[m == device_memory::input ? 0 : 1];
        }
        schedules_.set(call, c, placed != 0, s);
        kernels_.scheduled(call, s);
    }

    R device_;
    const World& world_;
    const Kernels& kernels_;
    stream_limits limits_;
    std::unique_ptr<own_parts> own_;
    std::uint64_t last_capture_ = 0;                ///< that the last recorded call is in; 0: there was none
    schedules<R> schedules_;                        ///< used by rank 0
    std::array<std::byte*, most_peers> memories_{}; ///< of all ranks
    std::vector<peer_group> groups_;
    packet_boxes boxes_;
};

} // namespace tutti::kernels::detail
