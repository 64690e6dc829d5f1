// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti::transport {

/// A message between ranks and the coordinator (the control plane's state, one per world).
enum class notice_kind : std::uint8_t {
    // from a rank to the coordinator
    waiting,  ///< the answer to an inquiry: the state of this rank's call there, and all that it waits for
    timeout,  ///< as waiting, and its deadline has passed
    mismatch, ///< as waiting, and the message of `peer` belongs to another call
    abort,    ///< end everything on that communicator: `text` is the reason, or a mismatch with `peer` if `why` says so
    unreachable, ///< the data channel to `peer` broke; `text` says how
    failed,      ///< its calls on that communicator fail, the first that do: `why`, `peer` at fault, `text`
    resumed,     ///< its program knows of the failure that it told last, and calls on
    leaving,     ///< it starts nothing any more, and stays until its data are taken, `request` milliseconds at most
    closing,     ///< before it leaves: `calls` has, for each communicator, how many calls it made, and the last of them
    left,        ///< this rank has finished and will not be heard of again
    state, ///< the answer to a survey: the status page of rank `rank` in `text`, what the system says of it in `step`
    // from the coordinator to ranks
    inquiry,  ///< every rank answers with waiting
    lost,     ///< rank `rank` died: `why`, `peer` at fault (itself, or what its calls had failed by before), `text`
    departed, ///< rank `rank` has left in good order; the rest as of lost
    verdict,  ///< calls on that communicator fail: `why`, `peer` at fault, `text`
    survey,   ///< somebody asks what rank `rank` of the receiver's host does; answered with state
};

/// Sends and receives have no number on their communicator: all that are under way there count as one call.
inline constexpr std::uint64_t no_number = ~std::uint64_t{0};

/// A call that a rank has made on a communicator.
struct past_call {
    std::uint64_t communicator = 0; ///< which one it was made on
    std::uint64_t request = 0;      ///< its number there; of `closing`, the number of all calls
    std::uint64_t signature = 0;    ///< the hash of this call and of all before it
    std::string call;               ///< in words
    friend bool operator==(const past_call&, const past_call&) = default;
};
inline constexpr std::size_t most_past_calls = 256; ///< in one notice

/// A call under way on a rank, of any communicator, and the ranks that it waits for.
struct waiting_call {
    std::uint64_t communicator = 0;  ///< which one it was made on
    std::uint64_t request = 0;       ///< its number there
    bool blocks = false;             ///< the rank's program waits for it, or for one behind it
    std::vector<std::int32_t> peers; ///< the first most_peers ranks that it waits for; none while it works locally
    std::string call;                ///< in words
    friend bool operator==(const waiting_call&, const waiting_call&) = default;
};
inline constexpr std::size_t most_waiting_calls = 16; ///< in one notice
inline constexpr std::size_t most_peers = 8;          ///< in one waiting call

/// The rank that another one's calls fail by, and why; -1: none.
struct culprit {
    std::int32_t rank = -1;       ///< in the world
    cause why = cause::lost_peer; ///< of the failure
    friend bool operator==(const culprit&, const culprit&) = default;

    /// As one number; 0 of none.
    [[nodiscard]] constexpr std::uint64_t word() const noexcept {
        return rank < 0 ? 0
                        : std::uint64_t{static_cast<std::uint8_t>(why)} << 32 | (static_cast<std::uint32_t>(rank) + 1);
    }
    /// Of any number.
    [[nodiscard]] static constexpr culprit of(std::uint64_t word) noexcept {
        const auto number = static_cast<std::uint32_t>(word);
        const bool tells = number > 0 && number <= 0x7fffffff && word >> 32 <= static_cast<std::uint64_t>(cause::file);
        return tells ? culprit{static_cast<std::int32_t>(number - 1), static_cast<cause>(word >> 32)} : culprit{};
    }
};

/// One message of the control plane. Ranks are ranks of the world.
struct notice {
    notice_kind kind = notice_kind::waiting; ///< what it tells
    cause why = cause::timeout;              ///< of a verdict, or of an inquiry: timeout or mismatch
    std::uint64_t communicator = 0;          ///< which communicator
    std::int32_t members = 0;                ///< its size; of an answer 0 if this rank does not know that communicator
    std::int32_t rank = -1;                  ///< the sender, or the subject
    std::int32_t peer = -1;                  ///< the rank that it waits for, or that is at fault; -1 none
    std::uint64_t request = 0;               ///< the number of the call on its communicator
    std::int64_t step = -1;                  ///< the schedule's step that waits
    std::uint64_t bytes = 0;                 ///< bytes done
    std::string call;                        ///< the call in words
    std::string text;                        ///< reason, or how it was noticed
    std::vector<past_call> calls;            ///< of closing; of a mismatch and answers: the last calls, oldest first
    /// Of reports and answers: all that is under way on this rank. None in an answer: it is in no call.
    std::vector<waiting_call> waits;
    friend bool operator==(const notice&, const notice&) = default;
};

} // namespace tutti::transport
