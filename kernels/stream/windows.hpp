// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allreduce/placed_data.hpp"

#include <tutti/base/error.hpp>
#include <tutti/collectives/reduction/built_in.hpp>
#include <tutti/transport/contract/stream_runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::kernels::detail {

/// Who maps the windows of all ranks.
enum class mapped_by : std::uint8_t { rank_0, all_ranks };

/// Device memory of each rank that other ranks have mapped. Members are called by all ranks, in the same order, unless
/// they are const.
template <transport::stream_runtime R, class World>
class windows {
public:
    windows(const R& device, const World& world, mapped_by who)
        : device_(device), world_(world), maps_(who == mapped_by::all_ranks || world.rank() == 0) {}
    windows(const windows&) = delete;
    windows& operator=(const windows&) = delete;
    /// Frees this rank's memory, which no other has mapped any more, unless it was left to others.
    ~windows() {
        close();
        for (const window& w : own_)
            if (w.is_ours && w.start) device_.free(w.start);
    }

    /// Memory of `bytes` for this rank, zeros. Ranks may differ in it. Errors: device_error on the rank that has none;
    /// cause::aborted on the others.
    std::byte* allocate(std::size_t bytes) {
        bytes = (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
        std::byte* made = nullptr;
        std::exception_ptr failed;
        try {
            device_.use();
            made = device_.allocate(bytes);
            device_.clear(made, bytes);
        } catch (const transport::device_error&) {
            failed = std::current_exception();
        }
        own_.push_back({made, bytes, true});
        share(failed);
        return made;
    }
    /// Memory of the caller's, which begins where it was allocated. Errors: as of allocate().
    void add(std::byte* start, std::size_t bytes) {
        own_.push_back({start, bytes, false});
        share(nullptr);
    }

    /// Where the bytes lie, if they are in a window of this rank.
    [[nodiscard]] std::optional<window_place> find(const std::byte* at, std::size_t bytes) const noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(at);
        for (std::size_t w = 0; w < own_.size(); ++w) {
            const auto start = reinterpret_cast<std::uintptr_t>(own_[w].start);
            if (address >= start && address - start <= own_[w].bytes && bytes <= own_[w].bytes - (address - start))
                return window_place{w, address - start};
        }
        return std::nullopt;
    }
    /// Of all ranks, where this one maps them.
    [[nodiscard]] const window_table& mapped() const noexcept { return mapped_; }

    /// This rank reaches no other rank's memory any more.
    void close() noexcept {
        for (std::size_t r = 0; r < most_peers; ++r)
            for (std::size_t w = 0; w < own_.size(); ++w) {
                std::byte*& at = mapped_.start[r][w];
                if (at && r != self()) device_.close(at);
                at = nullptr;
            }
    }
    /// Others may still use this rank's memory, or this rank theirs: it stays as it is until the process ends.
    void leave() noexcept {
        own_.clear();
        mapped_ = {};
    }

private:
    /// A handle leads to a whole allocation, and smaller ones share theirs.
    static constexpr std::size_t unit = std::size_t{2} << 20;

    struct window {
        std::byte* start;
        std::size_t bytes;
        bool is_ours;
    };
    struct offer {
        typename R::handle handle{};
        std::uint64_t there = 0;
    };

    [[nodiscard]] std::size_t self() const noexcept { return static_cast<std::size_t>(world_.rank()); }
    /// The last window, with all other ranks.
    void share(std::exception_ptr failed) {
        offer o;
        try {
            if (own_.size() <= most_windows && !failed) {
                device_.use();
                o.handle = device_.handle_of(own_.back().start);
                o.there = 1;
            }
        } catch (const transport::device_error&) {
            failed = std::current_exception();
        }
        std::vector<offer> all(static_cast<std::size_t>(world_.size()));
        world_.allgather(std::span<const offer>(&o, 1), all);
        std::uint64_t good = 1;
        for (const offer& each : all) good = good && each.there;
        if (good && maps_) good = open(all, failed) ? 1 : 0;
        if (world_.allreduce(good, minimum)) return;
        drop_last();
        if (failed) std::rethrow_exception(failed);
        if (own_.size() == most_windows)
            reject("memory of stream-ordered calls", "there are " + std::to_string(most_windows) + " pieces already",
                   "allocate fewer and larger ones");
        fault f;
        f.why = cause::aborted;
        f.operation = "memory of stream-ordered calls";
        f.detail = "another rank could not share its memory, or map that of others";
        throw error(std::move(f));
    }
    [[nodiscard]] bool open(const std::vector<offer>& all, std::exception_ptr& failed) noexcept {
        const std::size_t w = own_.size() - 1;
        try {
            for (std::size_t r = 0; r < all.size(); ++r)
                mapped_.start[r][w] = r == self() ? own_[w].start : device_.open(all[r].handle);
            return true;
        } catch (const transport::device_error&) {
            failed = std::current_exception();
            return false;
        }
    }
    void drop_last() noexcept {
        const std::size_t w = own_.size() - 1;
        if (w < most_windows)
            for (std::size_t r = 0; r < most_peers; ++r) {
                if (r != self() && mapped_.start[r][w]) device_.close(mapped_.start[r][w]);
                mapped_.start[r][w] = nullptr;
            }
        if (own_[w].is_ours && own_[w].start) device_.free(own_[w].start);
        own_.pop_back();
    }

    R device_;
    const World& world_;
    bool maps_; ///< this rank maps the windows of others
    std::vector<window> own_;
    window_table mapped_;
};

} // namespace tutti::kernels::detail
