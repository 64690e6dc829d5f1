// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// The bodies of what has been included above, for the one unit of a program that compiles them: calls over those of
// transport/*.hpp, but for cuda_*, and machine.hpp and runtime_call.hpp. See base/linkage.hpp.

#include "../transport/connections/manager.ipp"
#include "../transport/control/rendezvous_thread.ipp"
#include "../transport/control/session.ipp"
#include "../transport/world/wait_set.ipp"
#include "calls/collectives.ipp"

#if defined(TUTTI_HAS_MACHINE)
#include "calls/machine.ipp"
#endif
#if defined(TUTTI_HAS_RUNTIME_CALL)
#include "calls/runtime_call.ipp"
#endif

#if defined(TUTTI_OVER_MEMORY)
#include "../transport/fabrics/memory/memory.ipp"
#endif

#if defined(TUTTI_OVER_SHARED_MEMORY)
#include "../transport/fabrics/shared_memory/shared_memory.ipp"
#endif

#if defined(TUTTI_OVER_SIMULATED)
#include "../transport/fabrics/simulated/simulated.ipp"
#endif

#if defined(TUTTI_OVER_TCP)
#include "../transport/fabrics/tcp/tcp.ipp"
#endif

#if defined(TUTTI_OVER_VERBS)
#include "../transport/fabrics/verbs/verbs.ipp"
#endif

#if defined(TUTTI_OVER_ROUTED)
#include "../transport/fabrics/routed.ipp"
#if defined(TUTTI_OVER_VERBS)
template class tutti::transport::world<tutti::transport::shared_memory_fabric, tutti::transport::verbs_fabric,
                                       tutti::transport::tcp_fabric>;
#endif
#endif
