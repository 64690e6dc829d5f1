// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allreduce/meeting.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// What a rank's kernel does, as a list: see device_engine.hpp.
namespace tutti::kernels {

/// The memory of a rank that an operand lies in.
enum class device_memory : std::uint8_t {
    input,   ///< the rank's input, which is only read
    output,  ///< the rank's output; in place the same memory
    scratch, ///< as much more as its plan says
};
inline constexpr unsigned device_memories = 3; ///< how many memories a rank has

/// Element e of the vector, or of a block of an alltoall, lies at `e + shift` of that memory of that rank.
struct operand {
    std::int64_t shift = 0;                  ///< in elements
    std::uint8_t rank = 0;                   ///< whose memory it is
    device_memory of = device_memory::input; ///< which memory
    friend constexpr bool operator==(const operand&, const operand&) = default;
};

/// What a step of a plan does.
enum class device_action : std::uint8_t {
    combine,     ///< to = o0 ∘ o1 ∘ ..., one operand is copied
    post,        ///< tells the peer that a message to it may be read where it lies
    await_post,  ///< waits for a message of the peer
    acknowledge, ///< tells the peer that its messages up to this one were read
    await_taken, ///< waits until the peer has read the messages to it up to this one
};

/// Messages of a call are numbered from 1, on each channel.
struct device_step {
    device_action what = device_action::combine; ///< what is done
    std::uint8_t operands = 0;                   ///< of a combine, without the destination
    std::uint8_t peer = 0;                       ///< of all others
    std::uint32_t number = 0; ///< of the message; of a combine: its first operand. The last one is followed by
                              ///< the destination
    /// The elements that a combine works on: [first, end).
    /// @{
    std::uint64_t first = 0, end = 0;
    /// @}
};

/// How many messages a plan has, by peer.
struct message_counts {
    /// By peer.
    /// @{
    std::uint32_t sent[most_peers]{}, received[most_peers]{};
    /// @}
};

/// The steps of one rank, which run strictly one after the other.
struct device_plan {
    std::vector<device_step> steps; ///< in their order
    std::vector<operand> operands;  ///< of the steps: each names its first one
    std::size_t scratch = 0;        ///< elements that it needs
    message_counts messages;        ///< of a call that runs this plan
};

} // namespace tutti::kernels
