// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/transport.hpp"

#include <cstdio>
#include <exception>
#include <string>

namespace tutti::engine {

/// Before the transport is destroyed: waits until peers have taken the data of completed sends, and says on standard
/// error which data may be lost at `until`. A peer that is known to be `gone(peer)` loses nothing more.
template <transport::transport Transport, class Gone>
void leave(Transport& t, transport::clock::time_point until, Gone gone) noexcept {
    if constexpr (transport::lingering_transport<Transport>) {
        try {
            for (const auto& [peer, bytes] : t.leave(until)) {
                if (gone(peer)) continue;
                const std::string text = "tutti: rank " + std::to_string(t.rank()) + " has left, and " +
                                         std::to_string(bytes) + " bytes that it had sent to rank " +
                                         std::to_string(peer) +
                                         " may be lost: they were not received before its last call's deadline; a "
                                         "barrier() at the end keeps ranks together\n";
                std::fputs(text.c_str(), stderr);
            }
        } catch (const std::exception&) { // without memory to say so
        }
    }
}

} // namespace tutti::engine
