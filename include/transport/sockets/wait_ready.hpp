// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>

namespace tutti::transport::bootstrap {

/// Waits until the descriptor is ready for `events` or the time is up. For one that others use as well, such as
/// standard error or the launcher's socket: Asio would make it non-blocking for all, and cannot wait for a file.
TUTTI_COLD inline bool wait_ready(int fd, short events, std::chrono::steady_clock::time_point until) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
        pollfd p{fd, events, 0};
        const int ready = ::poll(&p, 1, static_cast<int>(std::clamp<long long>(left, 0, 60'000)));
        if (ready > 0) return true;
        if (left <= 0) return false;
    }
}

} // namespace tutti::transport::bootstrap
