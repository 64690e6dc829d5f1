// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "channel.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace tutti::transport::detail {

/// A transfer whose time has come.
struct simulated_completion {
    job_pointer what;
    message_pointer message; ///< null for a send
};

/// A way on which a rank that has closed its end, or leaves, has sent messages that may still be under way.
struct simulated_rest {
    int peer;
    std::size_t side;
    line_pointer line;

    [[nodiscard]] const simulated_way& way() const noexcept { return line->ways[side]; }
    [[nodiscard]] bool is_taken() const noexcept { return line->closed[1 - side] || way().kept_messages == 0; }
};

/// Where a simulated rank stands.
struct simulated_desk {
    enum class standing : std::uint8_t { absent, present, killed, left };
    standing is = standing::absent;
    bool joined = false;
    chain<simulated_message> to_send;     ///< messages that wait for the port
    bool asked_for_port = false;          ///< it is looked at again when it is free
    std::deque<simulated_completion> due; ///< what is complete when the rank looks
    bool rung = false, waits = false, wakes = false;
    clock::time_point timer = clock::time_point::max(); ///< the next look at whether a wait is over
    clock::time_point until{};                          ///< of that wait
    std::vector<simulated_rest> to_take;                ///< what peers may not have received
    bool lingers = false;                               ///< until they have
};

} // namespace tutti::transport::detail
