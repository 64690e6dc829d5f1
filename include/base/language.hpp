// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// Included before all else, so that an older standard is told in one sentence. Compilers go on after #error, but not
/// after a header that they do not find.
#if __cplusplus < 202002L
#error "tutti needs C++20: compile with -std=c++20"
#include <tutti-needs-C++20>
#endif
/// Likewise an older compiler, which would tell of its own gaps at length. Apple counts its clangs by itself.
#if defined(__apple_build_version__)
#elif defined(__clang__) ? __clang_major__ < 16 : defined(__GNUC__) && __GNUC__ < 12
#error "tutti needs clang 16 or newer, or g++ 12 or newer"
#include <tutti-needs-a-newer-compiler>
#endif

/// What functions on vectors are: constexpr, unless vectors are libstdc++'s checked ones, which are not.
#if defined(_GLIBCXX_DEBUG)
#define TUTTI_CONSTEXPR inline
#else
#define TUTTI_CONSTEXPR constexpr
#endif
