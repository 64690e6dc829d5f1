// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "language.hpp"

/// Declarations stand in x.hpp, bodies in x.ipp. Header-only, the default: x.hpp includes x.ipp, and bodies are inline.
/// With TUTTI_COMPILED in every unit of a program, x.hpp does not, and exactly one unit compiles the bodies:
///
///     #include <collectives/collectives.ipp>
///     #include <collectives/machine.ipp>   // where collectives/machine.hpp is used; likewise runtime_call.ipp
///     #include <transport/control/session.ipp>   // where ranks are processes
///     #include <transport/fabrics/tcp/tcp.ipp>
///     template class tutti::engine::membership<tutti::transport::tcp>; // calls over this transport
#if defined(TUTTI_COMPILED)
#define TUTTI_INLINE
#else
#define TUTTI_INLINE inline
#endif
