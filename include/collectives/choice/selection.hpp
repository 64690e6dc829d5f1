// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../algorithm/any.hpp"

namespace tutti::model {

/// An algorithm, and into how many segments its chunks are cut.
struct selection {
    algorithm::any how; ///< the algorithm
    int segments = 1;   ///< into how many segments each of its chunks is cut
};

} // namespace tutti::model
