// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Proofs that the compiler makes: every compiler must take them for constants.
#include <collectives/algorithm/butterfly.hpp>
#include <collectives/algorithm/preserves_order.hpp>
#include <collectives/algorithm/ring.hpp>

using namespace tutti;

static_assert(algorithm::preserves_order<algorithm::butterfly, schedule::operation::allreduce>);
static_assert(!algorithm::preserves_order<algorithm::ring, schedule::operation::allreduce>);
static_assert(schedule::verify(algorithm::write(algorithm::ring{}, schedule::operation::allgather, 3)).proven);
