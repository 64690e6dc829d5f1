// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "chooser.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::model {

/// Why a call takes the algorithm that it takes.
///
/// @snippet reference.cpp explain
struct explanation {
    schedule::operation what = schedule::operation::allreduce; ///< of the call
    std::size_t bytes = 0;                                     ///< of the whole vector
    topology on;                                               ///< how the ranks lie
    selection chosen; ///< the algorithm that the call takes, and into how many segments it cuts it
    std::vector<candidate_price>
        ranking;        ///< the chosen one first, then by predicted time; empty where a rule has chosen
    std::string reason; ///< one sentence

    /// How much longer than the chosen one the next best algorithm is predicted to take: 0.05 for 5 %. Below 0 where
    /// that would be faster: sizes are decided on in classes. 0 without any.
    [[nodiscard]] double margin() const noexcept;
    /// The ranking and the reason, a line each. A time that is not simulated but estimated has a ~.
    [[nodiscard]] std::string text() const;
};

/// Explains the choice for a call. With a machine's parameters, prices every candidate anew.
[[nodiscard]] explanation explain(const chooser& by, schedule::operation what, std::size_t bytes,
                                  bool commutative = true, bool symmetric = false);

} // namespace tutti::model

#if !defined(TUTTI_COMPILED)
#include "explain.ipp"
#endif
