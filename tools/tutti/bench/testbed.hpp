// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"

#include <string>

namespace tutti::tools {

/// Where a bench runs: what its times may depend on besides the settings.
struct testbed {
    std::string host, kernel, version, started; ///< of rank 0: told, and not compared
    std::string processor;                      ///< "..., and others" where ranks have different ones
    int cores = 0;                              ///< that the ranks of rank 0's host may use
    std::string ranks_on;                       ///< where each rank may run, in words: told, and not compared
    std::string interface;                      ///< TUTTI_INTERFACE
    std::string device;                         ///< the GPUs of ranks, likewise; empty: none, or not known
    std::string placement;                      ///< "2 x 4": ranks by node, as the library sees them; empty: not known
};

/// That of this process alone.
[[nodiscard]] testbed testbed_here();
/// That of all ranks, at rank 0. Collective.
[[nodiscard]] testbed testbed_of(const participant& self);

} // namespace tutti::tools
