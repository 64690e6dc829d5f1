// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transfer.hpp"
#include "../../world/receive_reduce.hpp"
#include "announcement.hpp"
#include "registrations.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace tutti::transport::detail::verbs {

/// A long message that a peer is to read. It is the transfer of its announcement.
struct outgoing : transfer {
    context where{};
    transfer* message = nullptr; ///< null once its context is closed
    std::uint64_t ticket = 0;
    announcement_image image{};
    registrations::lease lease;
    bool told = false;        ///< the announcement is on its way, or there
    bool withdrawing = false; ///< until the peer has said that it does not read
};

/// A long message that this rank is to read. It is the receive of its announcement.
struct incoming : transfer {
    /// A part that was asked for.
    struct piece {
        std::size_t bytes;
        std::optional<std::uint32_t> place; ///< in the landing; else it goes straight to where it belongs
        bool done = false;
    };

    context where{};
    std::uint32_t number = 0;            ///< of the message on its channel
    transfer* message = nullptr;         ///< null once its context is closed
    std::size_t length = 0;              ///< of the message
    std::optional<std::uint64_t> ticket; ///< once it is announced
    announcement_image image{};
    announcement from{};
    registrations::lease lease; ///< of where it goes, if it is stored
    delivery delivering;
    std::size_t asked = 0;    ///< bytes
    std::size_t arrived = 0;  ///< of them, in order
    bool stopped = false;     ///< nothing more of it is asked for or delivered
    bool withdrawn = false;   ///< the sender waits to hear that nothing is being read
    std::deque<piece> pieces; ///< on their way, in order
    std::uint64_t first = 0;  ///< number of the first of them
};

} // namespace tutti::transport::detail::verbs
