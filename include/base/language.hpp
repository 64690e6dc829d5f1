// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// Included before all else, so that an older standard is told in one sentence. Compilers go on after #error, but not
/// after a header that they do not find.
#if __cplusplus < 202002L
#error "tutti needs C++20: compile with -std=c++20"
#include <tutti-needs-C++20>
#endif

/// What functions on vectors are: constexpr, unless vectors are libstdc++'s checked ones, which are not.
#if defined(_GLIBCXX_DEBUG)
#define TUTTI_CONSTEXPR inline
#else
#define TUTTI_CONSTEXPR constexpr
#endif
