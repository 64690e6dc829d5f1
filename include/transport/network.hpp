// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// The network, for programs that compile tutti from headers alone: one source of such a program includes this, over
/// every transport but `memory` and `simulated`. It has the start of ranks, their connections, and the rendezvous of
/// rank 0. A source of its own may be that one, so that no other compiles it: an object of the program itself, since
/// linkers take none out of an archive that stands before it. Several do no harm. With TUTTI_COMPILED the library has
/// it.
///
/// Needs Boost 1.81 or newer, of which only headers.
#if !defined(TUTTI_COMPILED)
#include "connections/manager.ipp"
#include "control/rendezvous_thread.ipp"
#include "control/session.ipp"
#include "world/wait_set.ipp"

void tutti_one_source_must_include_tutti_transport_network_hpp();
[[gnu::weak]] void tutti_one_source_must_include_tutti_transport_network_hpp() {}
#endif
