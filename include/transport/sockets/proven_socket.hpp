// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "secret.hpp"
#include "socket.hpp"

namespace tutti::transport::bootstrap {

/// A connection whose other side has proven to know the secret, and the keys that the two share from then on.
struct proven_socket {
    descriptor socket;
    traffic_keys keys;
};

} // namespace tutti::transport::bootstrap
