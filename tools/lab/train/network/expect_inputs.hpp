// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <base/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::tools::neural {

/// Throws tutti::error if a layer that takes `wanted` columns is given `inputs`.
inline void expect_inputs(std::string_view layer, std::size_t wanted, std::size_t inputs) {
    if (inputs != wanted)
        reject(std::string(layer),
               "the layer takes " + std::to_string(wanted) + " columns and is given " + std::to_string(inputs));
}

} // namespace tutti::tools::neural
