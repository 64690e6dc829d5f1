// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "socket.hpp"
#include "tls.hpp"

namespace tutti::transport::bootstrap {

/// A connection whose other side has proven to know the secret.
struct proven_socket {
    descriptor socket;
    tls::state inside; ///< to go on inside TLS; without it, in plain bytes
};

} // namespace tutti::transport::bootstrap
