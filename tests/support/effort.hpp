// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// How much a test does. Under a sanitizer everything takes about ten times as long, and the last thousand of many
/// random cases shows it nothing new: what matters there is that each line runs.
namespace tutti::test {

#if defined(__has_feature) // clang
inline constexpr bool threads_watched = __has_feature(thread_sanitizer);
inline constexpr bool sanitized = threads_watched || __has_feature(address_sanitizer);
#elif defined(__SANITIZE_THREAD__)
inline constexpr bool threads_watched = true, sanitized = true;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr bool threads_watched = false, sanitized = true;
#else
inline constexpr bool threads_watched = false, sanitized = false;
#endif

/// So many cases, or so many bytes; a fifth under a sanitizer.
template <class Number>
[[nodiscard]] constexpr Number effort(Number all) {
    return sanitized ? all / 5 : all;
}

/// Up to how many ranks everything is proven.
inline constexpr int most_ranks = sanitized ? 24 : 64;

} // namespace tutti::test
