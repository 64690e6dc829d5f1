// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/any_duration.hpp"
#include "../../base/error.hpp"
#include "consistency.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

namespace tutti::training::server {

/// How a server serves. `how` and `silence` must be the same on all servers.
struct server_options {
    consistency how = asynchronous; ///< how far workers may be apart
    std::string checkpoint{};       ///< client::save() writes `checkpoint.index`; empty: refused
    /// A worker that is owed nothing and says nothing for longer is lost, as one is that is stopped. More than the
    /// longest time between two of its requests.
    any_duration worker_silence = std::chrono::seconds(30);
    /// The same until the first request of a worker: while it reads its data, or waits for a warm start.
    any_duration before_first = std::chrono::minutes(10);
    any_duration silence = std::chrono::minutes(5); ///< another server is lost after twice as long
    std::size_t key_lists = 16;                     ///< lists of keys that are kept of each worker
};

namespace detail {

[[nodiscard]] inline server_options checked(server_options o) {
    if (std::min({o.silence, o.worker_silence, o.before_first}) <= o.silence.zero())
        reject("server_options", "a silence must be longer than 0");
    return o;
}

} // namespace detail

} // namespace tutti::training::server
