// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "language.hpp"

/// Declarations stand in x.hpp, bodies in x.ipp. Header-only, the default: x.hpp includes x.ipp, and bodies are inline.
/// With TUTTI_COMPILED in every unit of a program, x.hpp does not, and exactly one unit compiles the bodies: it
/// includes collectives/implementation.hpp, or is a library of such units, as tools/compiled.
///
/// TUTTI_COLD marks what runs while ranks meet, part, plan a call or explain a failure: where each program compiles it,
/// it is made small, and fast where a library holds it. A call of a plan that is there passes it to look for notices
/// only.
///
/// TUTTI_APART marks bodies that header-only programs, too, compile in one unit: that which includes
/// transport/network.hpp. Several may.
///
/// TUTTI_SHARED marks types that are thrown, and what holds variables that bodies in headers share with the library: a
/// program and a shared library have one of each, though the program is compiled with -fvisibility=hidden.
#if defined(TUTTI_COMPILED)
#define TUTTI_SHARED [[gnu::visibility("default")]]
#define TUTTI_INLINE
#define TUTTI_APART
#define TUTTI_COLD
#else
#define TUTTI_SHARED
#define TUTTI_INLINE inline
#define TUTTI_APART [[gnu::weak]]
#define TUTTI_COLD [[gnu::cold]]
#endif
