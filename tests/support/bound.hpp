// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>

#include <sched.h>

namespace tutti::test {

/// This thread runs on one processor alone, which is one of the first 1024, and afterwards where it ran before.
class bound {
public:
    explicit bound(int processor) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(processor), &one);
        if (::sched_getaffinity(0, sizeof before_, &before_) != 0 || ::sched_setaffinity(0, sizeof one, &one) != 0)
            throw std::runtime_error("this thread cannot be bound");
    }
    bound(const bound&) = delete;
    ~bound() { ::sched_setaffinity(0, sizeof before_, &before_); }

private:
    cpu_set_t before_{};
};

} // namespace tutti::test
