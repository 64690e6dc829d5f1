// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "shared_room.hpp"

#include <base/error.hpp>
#include <transport/contract/processor_matching.hpp>
#include <transport/join/own_allotment.hpp>
#include <transport/world/backoff.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::tools {

/// How the ranks of a bench meet besides the calls that are measured. Every rank must make the same calls in the same
/// order.
class meeting {
public:
    virtual ~meeting() = default;
    /// Returns when all ranks have come.
    virtual void barrier() = 0;
    /// Replaces each value by the largest that any rank has in its place.
    virtual void maximum(std::span<double> values) = 0;
    /// This rank's error names that one: others need not find it out again.
    virtual void blame(int) noexcept {}
    /// True if all ranks read one clock, so that their readings can be compared.
    [[nodiscard]] virtual bool one_clock() const noexcept = 0;

    /// The sum of one value from each of `ranks` ranks, none below 0.
    [[nodiscard]] double sum(double value, int rank, int ranks) {
        std::vector<double> values(static_cast<std::size_t>(ranks), 0.);
        values[static_cast<std::size_t>(rank)] = value;
        maximum(values);
        return std::accumulate(values.begin(), values.end(), 0.);
    }
};

/// Ranks that meet in a room. A rank that does not come within the deadline, or is lost, ends the barrier with a
/// tutti::error that names it.
class shared_meeting final : public meeting {
public:
    /// `lost` is called before a barrier gives up because a rank was lost: it may throw a better error.
    shared_meeting(std::shared_ptr<shared_room> room, int rank, std::chrono::nanoseconds deadline,
                   std::function<void()> lost);

    void barrier() override;
    void maximum(std::span<double> values) override;
    void blame(int rank) noexcept override { room_->blame(rank); }
    [[nodiscard]] bool one_clock() const noexcept override { return true; }
    /// The ranks cannot have a processor each. Until the first barrier they count as such.
    [[nodiscard]] bool crowded() const noexcept { return crowded_; }

private:
    using clock = std::chrono::steady_clock;

    void meet();
    void wait_for(std::uint32_t generation);
    void check_lost() const;
    [[noreturn]] static void fail(cause why, int peer, std::string detail) {
        fault f;
        f.why = why;
        f.operation = "the bench's barrier";
        f.peer = peer;
        f.detail = std::move(detail);
        throw error(std::move(f));
    }
    void give_up_after(clock::time_point until, std::uint32_t generation) const;

    std::shared_ptr<shared_room> room_;
    int rank_;
    std::chrono::nanoseconds deadline_;
    std::function<void()> lost_;
    bool crowded_ = true;
    bool met_ = false;
    transport::backoff patience_{true};
};

inline shared_meeting::shared_meeting(std::shared_ptr<shared_room> room, int rank, std::chrono::nanoseconds deadline,
                                      std::function<void()> lost)
    : room_(std::move(room)), rank_(rank), deadline_(deadline), lost_(std::move(lost)) {
    room_->show(rank_, transport::bootstrap::own_allotment());
}

inline void shared_meeting::barrier() {
    meet();
    if (std::exchange(met_, true)) return;
    crowded_ = !transport::bootstrap::share_out(room_->allotments());
    patience_ = transport::backoff(crowded_);
}

inline void shared_meeting::meet() {
    check_lost();
    detail::room_head& state = room_->head();
    // Nobody can raise it before this rank has come, so relaxed is enough.
    const std::uint32_t generation = state.generation.load(std::memory_order_relaxed);
    room_->arrival_of(rank_).store(generation + 1, std::memory_order_relaxed);
    // Acquire and release: the last to come has seen what all others wrote before they came, and passes it on.
    if (state.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < static_cast<std::uint32_t>(room_->ranks()))
        return wait_for(generation);
    state.arrived.store(0, std::memory_order_relaxed);
    // Sequentially consistent, as in wait_for: either this rank sees the sleeper, or the sleeper sees the new
    // generation.
    state.generation.store(generation + 1, std::memory_order_seq_cst);
    if (state.sleepers.load(std::memory_order_seq_cst) != 0) detail::wake_all(state.generation);
}

inline void shared_meeting::wait_for(std::uint32_t generation) {
    std::atomic<std::uint32_t>& word = room_->head().generation;
    patience_.news();
    patience_.begin();
    while (word.load(std::memory_order_acquire) == generation)
        if (!patience_.rest()) break;
    const clock::time_point until = clock::now() + deadline_;
    while (word.load(std::memory_order_acquire) == generation) {
        check_lost();
        give_up_after(until, generation);
        room_->head().sleepers.fetch_add(1, std::memory_order_seq_cst);
        if (word.load(std::memory_order_seq_cst) == generation) detail::sleep_on(word, generation);
        room_->head().sleepers.fetch_sub(1, std::memory_order_relaxed);
        patience_.woke();
    }
}

inline void shared_meeting::check_lost() const {
    const int blamed = room_->head().blamed.load(std::memory_order_relaxed) - 1;
    if (blamed >= 0 && blamed != rank_) fail(cause::timeout, blamed, "the error of another rank names it");
    const int lost = room_->head().lost.load(std::memory_order_relaxed) - 1;
    if (lost < 0) return;
    if (lost_) lost_();
    fail(cause::lost_peer, lost, "the rank has failed");
}

// One that is missing is to blame. Of several, some may still be inside the call that is measured, waiting for another
// one of them: these find out whom within the deadline of that call, a little later than here, and then are lost.
inline void shared_meeting::give_up_after(clock::time_point until, std::uint32_t generation) const {
    const clock::time_point now = clock::now();
    if (now < until) return;
    std::vector<int> missing;
    for (int rank = 0; rank < room_->ranks(); ++rank)
        if (room_->arrival_of(rank).load(std::memory_order_relaxed) != generation + 1) missing.push_back(rank);
    constexpr std::chrono::milliseconds until_others_know{900};
    if (missing.empty() || (missing.size() > 1 && now < until + until_others_know)) return;
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_);
    std::string detail = "the rank did not come within " + std::to_string(waited.count()) + " ms";
    if (missing.size() > 1) detail += ", nor did " + std::to_string(missing.size() - 1) + " more";
    room_->blame(missing.front());
    fail(cause::timeout, missing.front(), std::move(detail));
}

inline void shared_meeting::maximum(std::span<double> values) {
    for (std::size_t first = 0; first < values.size(); first += shared_room::window) {
        const auto part = values.subspan(first, std::min(shared_room::window, values.size() - first));
        std::copy(part.begin(), part.end(), room_->shown_by(rank_));
        barrier(); // all have shown
        for (int rank = 0; rank < room_->ranks(); ++rank)
            for (std::size_t i = 0; i < part.size(); ++i) part[i] = std::max(part[i], room_->shown_by(rank)[i]);
        barrier(); // all have looked
    }
}

} // namespace tutti::tools
