// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"

#include <cstddef>
#include <functional>

namespace tutti::tools {

/// Computes for about so long, as long as nothing else wants the core: an amount of work, and not a time, so that what
/// is taken from it makes it longer.
class computation {
public:
    /// Measures how fast this thread computes. Costs some milliseconds.
    explicit computation(double microseconds);
    /// Takes so many times as long from now on.
    void scale(double by);
    /// The part k of n of the work.
    void run(std::size_t k = 0, std::size_t n = 1) const;

private:
    std::size_t units_;
};

/// How a rank measures the three times: it leaves a barrier, and then works. Returns the p50 of the slowest rank.
using timed = std::function<double(const std::function<void()>&)>;

/// The computation takes about as long as the call alone, and a rank tests the request `tests` times meanwhile. What
/// drifts, as other work comes and goes, is measured again, up to four times in all. Collective.
[[nodiscard]] overlap_times measure_overlap(const starter& start, double pure_us, std::size_t tests,
                                            const timed& measure);

} // namespace tutti::tools
