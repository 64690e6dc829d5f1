// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Pipelines: a model cut into chunks on several workers, and its training as pure lists of steps. Nothing in
/// `step.hpp` and the schedules touches memory, sockets or clocks.
namespace tutti::training::pipeline {

/// The kind of a step.
enum class action : std::uint8_t {
    forward,            ///< computes the output of a chunk from its input
    backward,           ///< computes the gradient of a chunk's weights, and of its input from that of its output
    send_activation,    ///< sends the output of a chunk to the worker of the next one
    receive_activation, ///< receives the input of a chunk from the worker of the one before
    send_gradient,      ///< sends the gradient of a chunk's input to the worker of the one before
    receive_gradient,   ///< receives the gradient of a chunk's output from the worker of the next one
    update,             ///< applies the gradients since the last update to the latest weights of all chunks of a worker
};

/// "forward", "send_activation", ...
[[nodiscard]] constexpr std::string_view name_of(action a) noexcept {
    constexpr std::array<std::string_view, 7> names{
        "forward", "backward", "send_activation", "receive_activation", "send_gradient", "receive_gradient", "update"};
    return names[static_cast<std::size_t>(a)];
}

/// How a model is cut, and into how many pieces a batch. The model is a chain of stages * chunks chunks. Chunk c lives
/// on worker c modulo stages.
struct shape {
    int stages = 1;       ///< workers, at least 1
    int microbatches = 1; ///< of one run of the schedule, at least 1
    int chunks = 1;       ///< chunks of the model on one worker, at least 1
    friend constexpr bool operator==(const shape&, const shape&) = default;
};

/// Whether there are a stage, a microbatch and a chunk, and a tag for each message: with at most 2^27 chunks times
/// microbatches. Else the functions below may overflow.
[[nodiscard]] constexpr bool is_possible(const shape& s) noexcept {
    constexpr long long most = 1 << 27;
    return s.stages >= 1 && s.microbatches >= 1 && s.chunks >= 1 && 1LL * s.stages * s.chunks <= most / s.microbatches;
}
/// What shapes must be.
inline constexpr std::string_view possible_shapes =
    "a pipeline has a stage, a microbatch and a chunk at least, and stages * chunks * microbatches is at most 2^27";

/// The chunks of the whole model.
[[nodiscard]] constexpr int chunks_of(const shape& s) noexcept { return s.stages * s.chunks; }
/// The worker on which a chunk of the model lives.
[[nodiscard]] constexpr int worker_of(const shape& s, int chunk) noexcept { return chunk % s.stages; }

/// One step of one worker. A worker computes in the order of its list, one step after the other. A send or a receive
/// starts in its turn and goes on beside later steps. A step waits for what it reads, and for sends of what it
/// overwrites. Members that a step ignores may hold any value.
///
/// An activation is the input and the output of a chunk for one microbatch. It lies in a slot of the worker, from its
/// receive (of the model's first chunk: its forward) to its backward. Gradients have no slots: a worker has memory for
/// one that comes in and for one that goes out.
struct step {
    action what = action::forward; ///< the kind
    int microbatch = 0;            ///< from 0; an update has none
    int chunk = 0;                 ///< of the model, from 0; an update has none
    /// Of a forward or a backward: the weights that it uses, as the number of updates that they have seen. Of an
    /// update: the version that it makes. A message has none.
    int version = 0;
    int slot = 0; ///< where the activation lies, from 0; of gradients' messages and of updates there is none
    friend constexpr bool operator==(const step&, const step&) = default;
};

/// It is a forward or a backward.
[[nodiscard]] constexpr bool computes(const step& s) noexcept {
    return s.what == action::forward || s.what == action::backward;
}
/// It sends.
[[nodiscard]] constexpr bool sends(const step& s) noexcept {
    return s.what == action::send_activation || s.what == action::send_gradient;
}
/// It receives.
[[nodiscard]] constexpr bool receives(const step& s) noexcept {
    return s.what == action::receive_activation || s.what == action::receive_gradient;
}
/// It sends or receives.
[[nodiscard]] constexpr bool communicates(const step& s) noexcept { return sends(s) || receives(s); }
/// It reads or writes an activation in its slot.
[[nodiscard]] constexpr bool uses_slot(const step& s) noexcept {
    return computes(s) || s.what == action::send_activation || s.what == action::receive_activation;
}
/// It is a message of a gradient.
[[nodiscard]] constexpr bool moves_gradient(const step& s) noexcept {
    return s.what == action::send_gradient || s.what == action::receive_gradient;
}

/// The chunk at the other end of a message.
[[nodiscard]] constexpr int other_chunk(const step& s) noexcept {
    const bool to_next = s.what == action::send_activation || s.what == action::receive_gradient;
    return to_next ? s.chunk + 1 : s.chunk - 1;
}
/// The number of a message, the same at both ends: one for each microbatch, pair of neighbouring chunks and direction.
[[nodiscard]] constexpr int message_of(const shape& of, const step& s) noexcept {
    const int boundary = std::min(s.chunk, other_chunk(s));
    return 2 * (s.microbatch * chunks_of(of) + boundary) + (moves_gradient(s) ? 1 : 0);
}
/// All numbers of messages are below it.
[[nodiscard]] constexpr int messages_of(const shape& of) noexcept { return 2 * of.microbatches * chunks_of(of); }

/// The steps of all workers.
struct program {
    shape of;                               ///< what the steps are for
    std::vector<std::vector<step>> workers; ///< the list of each
};

} // namespace tutti::training::pipeline
