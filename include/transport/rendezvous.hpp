// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// The rendezvous, for programs that compile tutti from headers alone: one source of such a program includes this, over
/// every transport but `memory` and `simulated`. A source of its own may be that one, so that no other compiles it: an
/// object of the program itself, or of a shared library that makes its own worlds, since linkers take none out of an
/// archive for it. With TUTTI_COMPILED the library has it.
///
/// Rank 0 hosts the rendezvous where all ranks meet, and finds out there who is at fault when one is lost or late. It
/// needs Boost 1.81 or newer, of which only headers.
#if !defined(TUTTI_COMPILED)
#include "control/rendezvous_thread.ipp"
#endif
