// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "language.hpp"

#include <thread>

namespace tutti::detail {

/// A thread that its destructor joins. libc++ has std::jthread from version 20 on only.
class joining_thread : public std::thread {
public:
    using std::thread::thread;
    joining_thread(joining_thread&&) noexcept = default;
    joining_thread& operator=(joining_thread&&) = delete;
    ~joining_thread() {
        if (joinable()) join();
    }
};

} // namespace tutti::detail
