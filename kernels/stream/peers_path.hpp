// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "call.hpp"
#include "group_memory.hpp"
#include "lost_ranks.hpp"
#include "made_by_all.hpp"
#include "windows.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <span>
#include <string>

namespace tutti::kernels::detail {

/// Processes that each have a GPU of their own and reach each other's memory. Each launches its kernel, and the kernels
/// wait for each other. No host waits.
template <transport::stream_runtime R, class Kernels, class World>
class peers_path {
    using native = typename R::native_stream;

public:
    /// Collective. Errors: as of windows::allocate; std::system_error.
    peers_path(const R& device, const World& world, const Kernels& kernels, const stream_limits& limits,
               std::span<const std::int64_t> processes)
        : device_(device), world_(world), kernels_(kernels), limits_(limits),
          own_(made_by_all(world,
                           [&] { return std::make_unique<own_parts>(device, rank(), kernels.blocks(1), processes); })),
          layout_(size(), world.allreduce(own_->blocks, minimum), limits),
          windows_(device, world, mapped_by::all_ranks),
          memory_(windows_.allocate(stage_at() + std::max(limits.staging_bytes, sizeof(std::uint64_t) * most_peers))) {
        for (unsigned r = 0; r < size(); ++r)
            groups_[r] = layout_.group_of(r, memory(), own_->report.seen(), world_.default_deadline());
    }
    peers_path(const peers_path&) = delete;
    peers_path& operator=(const peers_path&) = delete;

    /// Waits for this rank's calls, and for the others, until the deadline. False: others may still use what this has,
    /// so it must stay.
    [[nodiscard]] bool finish() noexcept {
        try {
            device_.use();
            if (!ends_within(device_, own_->end, world_.default_deadline())) return false;
            world_.barrier(); // no rank's kernel uses another one's memory any more
            windows_.close();
            world_.barrier();
            return true;
        } catch (const std::exception&) { // a rank is gone, or the device
            return false;
        }
    }

    /// Whether every rank reads and writes what others have. Collective; once, before the first call. Each writes a
    /// word to every other, which looks whether it has come.
    [[nodiscard]] bool reach_each_other() {
        bool good = attempt([this] { return write_words(); });
        world_.barrier();
        good = attempt([this] { return read_words(); }) && good;
        return world_.allreduce(std::uint64_t{good}, minimum) != 0;
    }

    /// It stays as long as this, which frees it.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) {
        return {windows_.allocate(bytes), [](std::byte*) {}};
    }
    void add(std::byte* start, std::size_t bytes) { windows_.add(start, bytes); }
    /// This rank reaches no other's memory any more. Before the first call.
    void close() noexcept { windows_.close(); }
    /// A call uses the data where they are.
    [[nodiscard]] bool reaches(const std::byte* at, std::size_t bytes) const noexcept {
        return bytes <= limits_.packet_bytes || windows_.find(at, bytes).has_value();
    }

    void allreduce(const ordered_call& c, native s) {
        examine(c.in_words());
        device_.use();
        if (device_.capture_of(s) != 0)
            reject(c.in_words(), "the stream records a graph, which other processes would have to replay as often",
                   "call outside of captures");
        try {
            device_.await_event(own_->end, s); // one call after the other, whatever their streams
            // All ranks make the same parts, wherever their data are.
            c.for_each_part(limits_.staging_bytes / c.element_bytes, [&](const ordered_call& p) {
                p.bytes() <= limits_.packet_bytes ? start_packets(p, s) : start_placed(p, s);
            });
            device_.record_on(own_->end, s);
        } catch (
            ...) { // this rank's kernels have met those of the others fewer times: its next call would be their last
            const auto self = static_cast<std::uint8_t>(rank());
            own_->report.store_first(packed({group_failure::device, self, self}));
            mark_end(s);
            throw;
        }
    }

    /// Throws if the group has failed.
    void examine(const std::string& call) const {
        const failure_word f = failure_in(own_->report.load());
        if (f.why != group_failure::none) throw_failure(f, world_.world_rank(f.peer), call);
    }

private:
    /// What needs no other rank.
    struct own_parts {
        own_parts(const R& device, unsigned rank, unsigned resident, std::span<const std::int64_t> processes)
            : blocks(resident), report(device), end(device.make_event()),
              lost(rank, processes, [this, rank](unsigned r) {
                  report.store_first(
                      packed({group_failure::lost, static_cast<std::uint8_t>(rank), static_cast<std::uint8_t>(r)}));
              }) {}

        unsigned blocks;
        mapped_word<R> report; ///< where this rank's kernels tell a failure
        typename R::event end; ///< of the last call
        lost_ranks lost;       ///< ends first: it stores into the report
    };

    [[nodiscard]] unsigned size() const noexcept { return static_cast<unsigned>(world_.size()); }
    [[nodiscard]] unsigned rank() const noexcept { return static_cast<unsigned>(world_.rank()); }
    /// Of window 0: behind what kernels meet by.
    [[nodiscard]] std::size_t stage_at() const noexcept { return (layout_.bytes() + 255) / 256 * 256; }
    /// Of all ranks, as this one reaches it.
    [[nodiscard]] std::array<std::byte*, most_peers> memory() const noexcept {
        std::array<std::byte*, most_peers> all{};
        for (unsigned r = 0; r < size(); ++r) all[r] = windows_.mapped().start[r][0];
        return all;
    }

    /// Each rank reads and writes its own data, so they may be in any memory.
    void start_packets(const ordered_call& c, native s) {
        group_call call{.type = c.type,
                        .op = c.op,
                        .way = group_way::packets,
                        .groups = std::span(groups_).first(size()),
                        .first = rank(),
                        .number = 1,
                        .boxes = layout_.boxes(memory()),
                        .signature = c.short_signature(),
                        .count = c.count};
        call.in[rank()] = c.in;
        call.out[rank()] = c.out;
        kernels_.together(call, s);
    }
    void start_placed(const ordered_call& c, native s) {
        const std::size_t bytes = c.bytes();
        const auto in = windows_.find(c.in, bytes), out = windows_.find(c.out, bytes);
        const window_place staged{0, stage_at()};
        if (!in) device_.copy_on(memory_ + staged.offset, c.in, bytes, s);
        kernels_.placed({.type = c.type,
                         .op = c.op,
                         .group = &groups_[rank()],
                         .signature = c.short_signature(),
                         .count = c.count,
                         .may_be_one_shot = bytes <= limits_.one_shot_bytes,
                         .windows = &windows_.mapped(),
                         .in = in.value_or(staged),
                         .out = out.value_or(staged)},
                        s);
        if (!out) device_.copy_on(c.out, memory_ + staged.offset, bytes, s);
    }

    /// finish() waits for what was put into the stream of a call that has thrown.
    void mark_end(native s) noexcept {
        try {
            device_.record_on(own_->end, s);
        } catch (const transport::device_error&) { // a device that has failed touches nothing
        }
    }

    template <class Work>
    [[nodiscard]] static bool attempt(const Work& work) {
        try {
            return work();
        } catch (const transport::device_error&) {
            return false;
        }
    }
    [[nodiscard]] static std::uint64_t word_of(unsigned from, unsigned to) noexcept {
        return 1 + std::uint64_t{from} * most_peers + to;
    }
    void copy(void* to, const void* from, std::size_t bytes) {
        device_.use();
        auto stream = device_.make_stream();
        device_.copy_on(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes,
                        device_.native(stream));
        device_.record_on(own_->end, device_.native(stream));
        if (!ends_within(device_, own_->end, world_.default_deadline()))
            throw transport::device_error("a copy does not end");
    }
    [[nodiscard]] bool write_words() {
        bool good = true;
        for (unsigned r = 0; r < size(); ++r) {
            std::byte* const there = windows_.mapped().start[r][0] + stage_at() + rank() * sizeof(std::uint64_t);
            const std::uint64_t mine = word_of(rank(), r);
            std::uint64_t seen = 0;
            copy(there, &mine, sizeof mine);
            copy(&seen, there, sizeof seen);
            good = good && seen == mine;
        }
        return good;
    }
    [[nodiscard]] bool read_words() {
        std::array<std::uint64_t, most_peers> words{};
        copy(words.data(), memory_ + stage_at(), sizeof words);
        bool good = true;
        for (unsigned r = 0; r < size(); ++r) good = good && words[r] == word_of(r, rank());
        return good;
    }

    R device_;
    const World& world_;
    const Kernels& kernels_;
    stream_limits limits_;
    std::unique_ptr<own_parts> own_;
    group_memory layout_;
    windows<R, World> windows_;
    std::byte* memory_; ///< window 0: what kernels meet by, and staging memory for data that are in no window
    std::array<peer_group, most_peers> groups_;
};

} // namespace tutti::kernels::detail
