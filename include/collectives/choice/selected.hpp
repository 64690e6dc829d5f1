// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../algorithm/any.hpp"

namespace tutti::model {

/// An algorithm, and into how many segments its chunks are cut.
struct selection {
    algorithm::any how;
    int segments = 1;
};

} // namespace tutti::model
