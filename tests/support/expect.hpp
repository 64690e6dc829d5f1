// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

namespace tutti::test {

/// How long a test waits for what must happen; generous, since a loaded machine is no fault.
inline constexpr std::chrono::seconds patience{30};

/// Fails the test from any thread.
inline void expect(bool holds, const std::string& sentence) {
    if (!holds) throw std::runtime_error("expected: " + sentence);
}

} // namespace tutti::test
