// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../tutti/common/random.hpp"

#include <cmath>
#include <span>

namespace tutti::tools::neural {

/// Evenly distributed numbers of mean 0 and a standard deviation.
inline void fill_evenly(std::span<float> values, double deviation, random_source& random) {
    const double bound = std::sqrt(3.) * deviation;
    for (float& v : values) v = static_cast<float>(random.between(-bound, bound));
}

} // namespace tutti::tools::neural
