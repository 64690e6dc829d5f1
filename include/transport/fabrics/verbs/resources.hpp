// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../flow/closed_contexts.hpp"
#include "../../flow/options.hpp"
#include "landing.hpp"
#include "options.hpp"
#include "packet.hpp"
#include "queue_pair.hpp"
#include "rail.hpp"
#include "registrations.hpp"
#include "slot_set.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::transport::detail::verbs {

/// The resources that the links of a rank share.
struct resources {
    explicit resources(const verbs_limits& how) : limits(how) {
        board_limits.window_bytes = how.window_bytes;
        board_limits.contexts_ahead = how.contexts_ahead;
        board_limits.fragment_bytes = how.slot_bytes;
        board_limits.lanes = 1;
    }
    resources(const resources&) = delete;
    resources& operator=(const resources&) = delete;

    verbs_limits limits;
    tcp_limits board_limits; ///< of the multiplexers
    std::vector<std::unique_ptr<rail>> rails;
    std::shared_ptr<registrations> memory;
    std::optional<slot_set> packets;
    std::optional<landing> places;
    tcp::closed_contexts closed;
    std::map<context, std::string> refused; ///< contexts with a message that could not be registered, and why
    std::string shortage;                   ///< the resource that this rank lacks; begins with "it"

    /// Packets to a peer that may be on their way beside those that it has slots for: counts of taken packets alone.
    /// Each tells of at least half of the peer's slots, and no more than all of them can be untold: so there are two.
    static constexpr std::uint32_t beside = 2;
    [[nodiscard]] std::uint32_t slots_of_link() const noexcept { return limits.slot_count + beside; }
    /// Requests that a send queue must hold: the packets that may be under way, as many that have arrived and whose
    /// completion was not seen, and the reads.
    [[nodiscard]] std::uint32_t depth() const noexcept {
        return 2 * slots_of_link() + static_cast<std::uint32_t>(limits.reads) + 8;
    }
    [[nodiscard]] retry_limits retry_limits_on(const rail& r) const noexcept {
        return {limits.retries >= 0 ? limits.retries : (r.is_software() ? 6 : 7),
                limits.timeout > 0 ? limits.timeout : (r.is_software() ? 14 : 20)};
    }
};

} // namespace tutti::transport::detail::verbs
