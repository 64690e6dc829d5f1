// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/any_duration.hpp"
#include "../../base/error.hpp"
#include "consistency.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace tutti::training::server {

/// How a server serves. `how` and `silence` must be the same on all servers.
struct server_options {
    consistency how = asynchronous; ///< how far workers may be apart
    std::string checkpoint{};       ///< client::save() writes `checkpoint.index`; empty: refused
    /// A worker that says nothing for longer is lost; another server, after twice as long.
    any_duration silence = std::chrono::hours(24);
    std::size_t key_lists = 16; ///< lists of keys that are kept of each worker
};

namespace detail {

[[nodiscard]] inline server_options checked(server_options o) {
    if (o.silence <= o.silence.zero()) reject("server_options", "a silence must be longer than 0");
    return o;
}

} // namespace detail

} // namespace tutti::training::server
