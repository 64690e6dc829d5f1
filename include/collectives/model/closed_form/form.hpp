// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

namespace tutti::model {

/// A time from a formula.
struct form {
    double seconds = 0; ///< the time
    bool exact =
        false; ///< the time of the schedule under the model, to the rounding of floating point; else an estimate

    /// One part after the other.
    friend constexpr form operator+(const form& a, const form& b) noexcept {
        return {a.seconds + b.seconds, a.exact && b.exact};
    }
    friend constexpr bool operator==(const form&, const form&) = default;
};

} // namespace tutti::model
