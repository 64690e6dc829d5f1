// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace tutti::training {

/// One array of a model's weights, such as the matrix of a layer or its biases. All ranks list the same parameters, in
/// the order in which the forward pass uses them.
struct parameter {
    std::string name;         ///< for errors and checkpoints
    std::size_t elements = 0; ///< floats
    bool is_decayed = true;   ///< weight decay and the trust ratio of LARS apply; mostly not to biases
};

} // namespace tutti::training
