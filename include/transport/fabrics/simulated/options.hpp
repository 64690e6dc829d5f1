// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

namespace tutti::transport {

/// What a message costs, by LogGP: times on the virtual clock. A rank has one processor and one port in each direction.
/// Source: Alexandrov et al., LogGP, SPAA 1995.
struct message_price {
    std::chrono::nanoseconds busy{0};   ///< of the processor, at either end
    std::chrono::nanoseconds next{0};   ///< between the beginnings of two sends of a rank; `busy` at least
    std::chrono::nanoseconds header{0}; ///< from the beginning of a send until its first byte is there
    std::chrono::nanoseconds stream{0}; ///< how long the port takes in what follows
    std::chrono::nanoseconds reduce{0}; ///< of the receiver's processor, where the message is reduced
};

/// How a simulated world is made.
struct simulated_options {
    int size = 1;     ///< ranks
    int per_node = 0; ///< consecutive ranks on a node; 0: all of them
    /// The price of a message of so many bytes, between nodes or within one, each time from 0 to an hour. Null:
    /// messages take no time. What it throws comes out of the send.
    std::function<message_price(std::size_t bytes, bool between_nodes)> price{};
    int nics = 0;                ///< of a node, which its ranks share for messages between nodes; 0: one for each rank
    double oversubscription = 1; ///< how many times as much all nics can send as the network between nodes carries
    std::size_t eager_bytes = std::size_t{1} << 20; ///< that a channel keeps of messages that are not yet received
    int helpers = -1; ///< threads for the work that compute() is given; -1: one for each other processor
    std::size_t stack_bytes = std::size_t{1} << 20; ///< of a rank; pages that it never touches take no memory
};

} // namespace tutti::transport
