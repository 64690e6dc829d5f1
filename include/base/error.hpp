// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "linkage.hpp"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tutti {

/// Why a call failed.
enum class cause : std::uint8_t {
    invalid_argument, ///< the call itself is wrong; nothing has changed, the communicator stays usable
    lost_peer,        ///< a rank died, left, or cannot be reached any more
    timeout,          ///< the deadline passed; `peer` is the root of the wait graph
    mismatch,         ///< ranks called different things; `detail` names both calls
    aborted,          ///< a rank called abort(reason)
    bootstrap,        ///< this rank could not join the others
    file,             ///< a file cannot be read, written or used; nothing has changed, the communicator stays usable
};

/// The cause in words, as error messages have it: "lost peer".
[[nodiscard]] constexpr std::string_view name_of(cause c) noexcept {
    constexpr std::array<std::string_view, 7> names{"invalid argument", "lost peer",        "timeout",   "mismatch",
                                                    "aborted",          "bootstrap failed", "file error"};
    return names[static_cast<std::size_t>(c)];
}

/// The facts of a failure. Unknown ones are empty or -1. Ranks are those of the world where nothing else is said.
struct fault {
    cause why = cause::invalid_argument; ///< the cause
    std::string operation;               ///< the call that failed: "allreduce(ring) of 1000 float32, sum"
    long long step = -1;                 ///< the step of the schedule that waited, from 0
    int peer = -1;                       ///< the rank at fault; of a mismatch one of the two that `detail` names
    std::string host;                    ///< the peer's host
    std::string address;                 ///< the peer's address
    std::uint64_t bytes_done = 0;        ///< bytes that this rank had sent and received for the call
    std::string detail;                  ///< what happened, one sentence without a full stop
    std::string remedy;                  ///< what to do about it, likewise
    int peer_in_call = -1;               ///< the peer's rank in the communicator of the call
    std::string group;                   ///< the program's name for the world: see transport::bootstrap::identity
    int global_peer = -1;                ///< the program's number of the peer
};

/// The text of error::what(), made of the facts that are known.
[[nodiscard]] inline std::string message_of(const fault& f) {
    std::string text{"tutti: "};
    text += name_of(f.why);
    if (!f.operation.empty()) text += " in " + f.operation;
    if (f.step >= 0) text += ", step " + std::to_string(f.step);
    if (f.peer >= 0) {
        text += ", rank " + std::to_string(f.peer);
        if (!f.group.empty()) text += " of group " + f.group;
        if (f.global_peer >= 0) text += ", global rank " + std::to_string(f.global_peer);
        if (f.peer_in_call >= 0 && f.peer_in_call != f.peer)
            text += " (" + std::to_string(f.peer_in_call) + " of its communicator)";
        if (!f.host.empty()) text += " on " + f.host;
        if (!f.address.empty()) text += " (" + f.address + ")";
    }
    if (!f.detail.empty()) text += ": " + f.detail;
    if (f.bytes_done > 0) text += "; " + std::to_string(f.bytes_done) + " bytes sent and received";
    if (!f.remedy.empty()) text += "; " + f.remedy;
    return text;
}

/// The one exception of the library. Its message is composed from its facts.
///
/// @snippet reference.cpp error
class TUTTI_SHARED error : public std::runtime_error {
public:
    /// An error of these facts.
    explicit error(fault facts) : std::runtime_error(message_of(facts)), facts_(std::move(facts)) {}
    /// What is known of the failure. The reference is valid as long as this error.
    [[nodiscard]] const fault& facts() const noexcept { return facts_; }
    /// Why the call failed: the same as `facts().why`.
    [[nodiscard]] cause why() const noexcept { return facts_.why; }

private:
    fault facts_;
};

namespace detail {
/// Of no step. A peer of -1: none is at fault.
[[nodiscard]] inline fault make_fault(cause why, std::string operation, int peer, std::string what,
                                      std::string remedy = {}) {
    return {why, std::move(operation), -1, peer, {}, {}, 0, std::move(what), std::move(remedy), -1, {}, -1};
}
} // namespace detail

/// Throws the error for a call that is wrong in itself.
[[noreturn]] inline void reject(std::string operation, std::string detail, std::string remedy = {}) {
    throw error(
        detail::make_fault(cause::invalid_argument, std::move(operation), -1, std::move(detail), std::move(remedy)));
}

} // namespace tutti
