// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// Algorithms chosen by what a machine's links, processors and memory cost: `tutti::communicator world{transport,
// machine}`. Apart from collectives.hpp, since it brings the whole cost model along, which takes a second to compile.

#include "communicator.hpp"
#include "model/decisions.hpp"

namespace tutti {

using model::calibrated_machine;
using model::machine;

} // namespace tutti

#if defined(TUTTI_COMPILED)
#define TUTTI_HAS_MACHINE // for implementation.hpp
#endif
