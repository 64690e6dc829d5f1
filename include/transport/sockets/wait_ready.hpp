// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <span>

namespace tutti::transport::bootstrap {

/// Waits until one of them is ready or the time is up. For descriptors that others use as well, such as standard output
/// or the launcher's socket: Asio would make them non-blocking for all, and cannot wait for a file. And where a wait
/// may take no descriptor.
TUTTI_COLD inline bool wait_ready(std::span<pollfd> any, std::chrono::steady_clock::time_point until) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
        const int ready = ::poll(any.data(), any.size(), static_cast<int>(std::clamp<long long>(left, 0, 60'000)));
        if (ready > 0) return true;
        if (left <= 0) return false;
    }
}
TUTTI_COLD inline bool wait_ready(int fd, short events, std::chrono::steady_clock::time_point until) {
    pollfd one{fd, events, 0};
    return wait_ready(std::span(&one, 1), until);
}

} // namespace tutti::transport::bootstrap
