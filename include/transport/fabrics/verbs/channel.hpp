// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../flow/channel.hpp"

#include <cstdint>

namespace tutti::transport::detail::verbs {

class peer_link;

/// One context's messages to and from one peer. Short ones, and the announcements of long ones, go by `board`.
struct channel {
    tcp::channel& board;
    peer_link& link;
    std::uint32_t receives = 0; ///< that were started, hence the number of the next
};

} // namespace tutti::transport::detail::verbs
