// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/any_duration.hpp"
#include "../../base/error.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace tutti::training::server {

/// How a client asks.
struct client_options {
    int window = 16; ///< requests under way at each server
    /// How long a server may say nothing. Those who wait for an answer hear each quarter of server_options::silence
    /// that it lives, but not before it serves.
    any_duration deadline = std::chrono::minutes(11);
    /// While it waits for one server, the others are told that it lives, this often. A third of
    /// server_options::worker_silence.
    any_duration sign_every = std::chrono::seconds(10);
    std::size_t key_lists = 16; ///< lists of keys that each server is thought to know; as server_options has it
};

namespace detail {

[[nodiscard]] inline const client_options& checked(const client_options& o) {
    if (o.window < 1) reject("client_options", "a window must be at least 1");
    if (std::min(o.deadline, o.sign_every) <= o.deadline.zero())
        reject("client_options", "deadline and sign_every must be longer than 0");
    return o;
}

} // namespace detail

} // namespace tutti::training::server
