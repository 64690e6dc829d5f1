// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "support/world.hpp"

#include <chrono>
#include <string>

/// What the tests of faults share. Each gives calls a short deadline and holds every rank to it.
namespace tutti::test {

using namespace std::chrono_literals;

/// Of the calls that are to fail.
inline constexpr std::chrono::milliseconds short_deadline{300};

/// The facts of the error that `work` ends with, which must come before the deadline plus a second.
inline fault fault_in_time(const std::function<void()>& work, std::chrono::milliseconds deadline = short_deadline) {
    const auto start = std::chrono::steady_clock::now();
    const fault f = fault_of(work);
    expect(std::chrono::steady_clock::now() - start < deadline + 1s, "an error within the deadline plus a second");
    return f;
}

/// After an error every further call throws the same one, at once.
inline void expect_unusable(communicator& world, const fault& f) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<int> data(10);
    for (int k = 0; k < 3; ++k) {
        expect(fault_of([&] { world.allreduce(data, sum); }).why == f.why, "the same error again");
        expect(fault_of([&] { world.barrier(); }).detail == f.detail, "in the same words");
    }
    expect(std::chrono::steady_clock::now() - start < 100ms, "further calls fail at once");
}

inline void expect_contains(const std::string& text, const std::string& part) {
    expect(text.find(part) != std::string::npos, "\"" + part + "\" in: " + text);
}

} // namespace tutti::test
