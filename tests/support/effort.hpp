// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// g++ says so by a macro, clang by a feature.
#if defined(__clang__)
#define TUTTI_TEST_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#define TUTTI_TEST_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#if defined(__SANITIZE_ADDRESS__)
#define TUTTI_TEST_ADDRESS_SANITIZER 1
#else
#define TUTTI_TEST_ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__)
#define TUTTI_TEST_THREAD_SANITIZER 1
#else
#define TUTTI_TEST_THREAD_SANITIZER 0
#endif
#endif

/// How much a test does. Under a sanitizer everything takes about ten times as long, and the last thousand of many
/// random cases shows it nothing new: what matters there is that each line runs.
namespace tutti::test {

inline constexpr bool threads_watched = TUTTI_TEST_THREAD_SANITIZER,
                      sanitized = threads_watched || TUTTI_TEST_ADDRESS_SANITIZER;

/// So many cases, or so many bytes; a fifth under a sanitizer.
template <class Number>
[[nodiscard]] constexpr Number effort(Number all) {
    return sanitized ? all / 5 : all;
}

/// Up to how many ranks everything is proven.
inline constexpr int most_ranks = sanitized ? 16 : 33;

} // namespace tutti::test
