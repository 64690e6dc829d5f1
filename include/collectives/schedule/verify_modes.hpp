// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "verify.hpp"
#include "verify/mixture.hpp"
#include "verify/same_data.hpp"

#include "../../base/language.hpp"

namespace tutti::schedule {

namespace detail {

/// Both modes of one schedule: each by itself, then both compared.
class both_modes {
public:
    /// Shapes must have been checked.
    TUTTI_CONSTEXPR both_modes(const program& apart, const program& in_place, bits same)
        : apart_(apart), in_place_(in_place), run_apart_(apart), run_in_place_(in_place),
          promise_apart_(apart, run_apart_, same), promise_in_place_(in_place, run_in_place_, same) {}

    TUTTI_CONSTEXPR finding examine() {
        if (const finding f = detail::examine(apart_, run_apart_, promise_apart_); f.what != flaw::none)
            return told(f, apart_, apart_);
        if (const finding f = detail::examine(in_place_, run_in_place_, promise_in_place_); f.what != flaw::none)
            return told(f, in_place_, in_place_);
        same_data common(apart_, run_apart_, in_place_, run_in_place_);
        if (const finding f = common.examine(); f.what != flaw::none)
            return f.in_place ? told(f, in_place_, apart_) : told(f, apart_, in_place_);
        mixture all(
            apart_, in_place_, [&](int r) -> const order& { return run_apart_.order_at(r); },
            [&](int r) -> const order& { return run_in_place_.order_at(r); });
        const finding f = all.run();
        return f.in_place ? told(f, in_place_, in_place_) : told(f, apart_, apart_);
    }
    [[nodiscard]] constexpr bool preserves_order() const noexcept {
        return promise_apart_.preserves_order() && promise_in_place_.preserves_order();
    }
    /// Costs of both; the figures that are kept are those out of place.
    TUTTI_CONSTEXPR finding measure(const cost* stated, proof& result) const {
        proof second;
        detail::measure(in_place_, run_in_place_, second);
        detail::measure(apart_, run_apart_, result);
        result.in_order = result.in_order && second.in_order;
        if (!stated) return {};
        if (const finding f = compare(*stated, result.measured); f.what != flaw::none) return told(f, apart_, apart_);
        return told(compare(*stated, second.measured), in_place_, in_place_);
    }

private:
    const program& apart_;
    const program& in_place_;
    symbolic_execution run_apart_, run_in_place_;
    postcondition promise_apart_, promise_in_place_;
};

/// The same call by an algorithm that differs in nothing but where the data lie.
[[nodiscard]] constexpr finding shapes_of(const program& apart, const program& in_place) {
    if (apart.in_place || !in_place.in_place || apart.what != in_place.what || apart.size != in_place.size ||
        apart.root != in_place.root || apart.chunks != in_place.chunks)
        return {flaw::bad_program};
    if (const finding f = shapes_of(apart); f.what != flaw::none) return told(f, apart, apart);
    return told(shapes_of(in_place), in_place, in_place);
}

} // namespace detail

/// Proves a schedule in place and out of place, each as `verify` does, and every mixture, since ranks may differ in it:
/// - each message carries the same chunks of the same expressions in both modes, and each result is the same one;
/// - no step waits for itself when both modes of all ranks wait for each other at once. This refuses a schedule whose
///   circle of waiting needs both modes of one rank, which no run has.
/// A rank that gets the same messages makes the same ones of them, so each mixture has the messages and the results of
/// both. Properties that verify finds for both, such as preserves_order, then hold for all. Takes as long as three
/// proofs.
[[nodiscard]] TUTTI_CONSTEXPR proof verify_modes(const program& apart, const program& in_place,
                                                 const cost* stated = nullptr, bits same = bits::equal) {
    proof result;
    result.fault = detail::shapes_of(apart, in_place);
    if (result.fault.what != flaw::none) return result;
    detail::both_modes both(apart, in_place, same);
    result.fault = both.examine();
    if (result.fault.what != flaw::none) return result;
    result.preserves_order = both.preserves_order();
    result.fault = both.measure(stated, result);
    result.proven = result.fault.what == flaw::none;
    return result;
}

/// Whether every result has its operands in rank order, in place, out of place and in every mixture: verify_modes
/// without costs. False if the schedule is wrong in either mode.
[[nodiscard]] TUTTI_CONSTEXPR bool keeps_rank_order(const program& apart, const program& in_place) {
    if (detail::shapes_of(apart, in_place).what != flaw::none) return false;
    detail::both_modes both(apart, in_place, bits::equal);
    return both.examine().what == flaw::none && both.preserves_order();
}

} // namespace tutti::schedule
