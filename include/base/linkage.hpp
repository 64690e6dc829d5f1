// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "language.hpp"

/// Declarations stand in x.hpp, bodies in x.ipp. Header-only, the default: x.hpp includes x.ipp, and bodies are inline.
/// With TUTTI_COMPILED in every unit of a program, x.hpp does not, and exactly one unit compiles the bodies: it
/// includes collectives/implementation.hpp, or is a library of such units, as tools/compiled.
#if defined(TUTTI_COMPILED)
#define TUTTI_INLINE
#else
#define TUTTI_INLINE inline
#endif
