// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../choice/topology.hpp"
#include "collective.hpp"
#include "machine.hpp"
#include "residuals.hpp"

namespace tutti::model {

/// How long a call is predicted to take, in seconds: simulated, cores and ports shared as the machine says, for up to
/// 32 ranks, and for more where a call has few messages. Else an estimate by the closed form, where all algorithms but
/// hierarchical ones are priced by the link between nodes: as many times as long as ranks share a core, at least what
/// adapters and network need for the bytes, and what the fan-in costs on top; infinite where no form is known.
[[nodiscard]] double price_s(const collective& c, const topology& on, const machine& m);

/// The same, corrected where all ranks are on one node, which is where calls were measured.
[[nodiscard]] double price_s(const collective& c, const topology& on, const calibrated_machine& m);

} // namespace tutti::model

#if !defined(TUTTI_COMPILED)
#include "price.ipp"
#endif
