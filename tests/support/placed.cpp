// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "placed.hpp"

#include <collectives/engine/membership.ipp>

// A transport of the tests' own is compiled with the engine here, as a user's would be.
template class tutti::engine::membership<tutti::test::placed>;
