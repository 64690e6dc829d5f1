// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "observed.hpp"

#include <optional>
#include <vector>

namespace tutti::tools {

/// Who has come to the barrier of `tutti bench` itself, of which the pages of its ranks say nothing.
struct bench_barrier {
    std::vector<int> waiting, missing;
};

/// Nothing where the job is none whose ranks meet there, or where somebody has come or gone in a fifth of a second. It
/// takes as long.
[[nodiscard]] std::optional<bench_barrier> bench_barrier_of(const observed_job& job);

} // namespace tutti::tools
