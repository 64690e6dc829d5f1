// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../choice/chooser.hpp"
#include "../choice/topology.hpp"
#include "residuals.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace tutti::model {

namespace detail {

/// Sizes that are decided on together: eight to an octave, so that they differ by an eighth at most.
struct size_class {
    static constexpr int per_octave = 8;
    static constexpr std::size_t count = 64 * per_octave;

    [[nodiscard]] static constexpr std::size_t of(std::size_t bytes) noexcept {
        if (bytes < per_octave) return bytes;
        const int octave = static_cast<int>(std::bit_width(bytes)) - 1;
        return static_cast<std::size_t>(octave - 2) * per_octave + ((bytes >> (octave - 3)) & (per_octave - 1));
    }
    /// The least size of a class, and the largest.
    [[nodiscard]] static constexpr std::size_t least(std::size_t number) noexcept {
        if (number < per_octave) return number;
        return (per_octave + number % per_octave) << (number / per_octave - 1);
    }
    [[nodiscard]] static constexpr std::size_t most(std::size_t number) noexcept { return least(number + 1) - 1; }
    [[nodiscard]] static constexpr std::size_t middle(std::size_t number) noexcept {
        return least(number) + (most(number) - least(number)) / 2;
    }
};

} // namespace detail

/// The algorithm with the least predicted time for ranks that lie so, by operation and size: priced when it is first
/// asked for, and kept. Equal on all ranks that have equal parameters and programs (compiled alike, and without
/// -ffast-math): prices that differ by less than a millionth are equal, and the first candidate wins. Cost: a kept
/// decision some nanoseconds; a new one a prediction of each candidate, or two up to 32 ranks. Without a machine's
/// parameters choice/default_choice.hpp chooses, by thresholds.
class decision_table {
public:
    /// Nothing is decided yet. Lists the candidates of each operation.
    decision_table(const model::topology& on, const calibrated_machine& m);
    decision_table(const decision_table&) = delete;
    decision_table& operator=(const decision_table&) = delete;

    /// How the ranks lie.
    [[nodiscard]] const model::topology& topology() const noexcept { return on_; }

    /// May be called by several threads.
    [[nodiscard]] selection choose(schedule::operation what, std::size_t bytes) {
        const std::size_t number = detail::size_class::of(bytes);
        auto& kept = kept_[index(what)][number];
        // A thread that finds no decision makes it. All threads make the same, and it publishes no other data: relaxed.
        std::uint8_t decided = kept.load(std::memory_order_relaxed);
        if (decided == undecided) {
            decided = decide(what, number);
            kept.store(decided, std::memory_order_relaxed);
        }
        return candidates_[index(what)][decided - 1];
    }
    /// All candidates with their prices.
    [[nodiscard]] std::vector<candidate_price> prices(schedule::operation what, std::size_t bytes) const;

private:
    static constexpr std::uint8_t undecided = 0;

    [[nodiscard]] static constexpr std::size_t index(schedule::operation what) noexcept {
        return static_cast<std::size_t>(what);
    }

    [[nodiscard]] std::uint8_t decide(schedule::operation what, std::size_t number) const;
    /// The candidate that loses least at any of these sizes.
    [[nodiscard]] std::size_t least_loss(schedule::operation what, std::initializer_list<std::size_t> sizes) const;

    using of_operation = std::array<std::atomic<std::uint8_t>, detail::size_class::count>;

    model::topology on_;
    calibrated_machine machine_;
    std::array<std::vector<selection>, schedule::operations.size()> candidates_; ///< by operation
    std::array<of_operation, schedule::operations.size()> kept_{};               ///< a candidate's number from 1
};

} // namespace tutti::model

#if !defined(TUTTI_COMPILED)
#include "decision_table.ipp"
#endif
