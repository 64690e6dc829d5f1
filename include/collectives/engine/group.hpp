// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "call.hpp"
#include "wakeup.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::engine {

/// What an event loop of the program's keeps with a world, which lets it go at its end.
struct attached_loop {
    explicit attached_loop(const void* which) noexcept : kind(which) {}
    attached_loop(const attached_loop&) = delete;
    attached_loop& operator=(const attached_loop&) = delete;
    virtual ~attached_loop() = default;
    /// The world ends, and must not be stepped when this returns.
    virtual void let_go() noexcept = 0;

    const void* const kind; ///< tells types apart
};

class plan_run;
class point_to_point;

/// How many collectives of one communicator can be under way at once; further ones wait their turn.
inline constexpr std::uint32_t slot_count = 4;

/// So many of a communicator's last calls are remembered when they are over.
inline constexpr std::uint32_t remembered_calls = 16;

/// How many calls were made on a communicator, and which. Owned by the calling threads, under the engine's guard.
struct call_sequence {
    std::uint64_t next = 0;      ///< number of the next call
    std::uint64_t signature = 0; ///< of all calls before it
};

/// The ranks of a communicator, and its calls under way. The driver alone changes it; `failure` is
/// read by callers too, under the lock of completion_signal.
struct group {
    std::uint64_t id = 0;     ///< equal on all members, unlike that of any other communicator of the world
    std::vector<int> members; ///< ranks of the world, by rank of the communicator
    int rank = 0;             ///< this rank in it
    std::string name;         ///< for errors, with a blank in front; or empty
    wakeup wake;              ///< ends the sleep of the thread that drives its calls
    bool is_timed = false;    ///< the transport has a clock of its own

    struct memory {
        std::shared_ptr<std::byte> bytes;
        std::size_t size = 0;
        bool from_executor = false; ///< goes back when the call is over
    };
    memory spare; ///< scratch of the last run that had any, for the next one

    struct queue {
        plan_run* first = nullptr; ///< under way
        plan_run* last = nullptr;
    };
    std::array<queue, slot_count> queues{};
    std::shared_ptr<point_to_point> messages; ///< null before the first send or receive
    std::optional<fault> failure;             ///< why it cannot be used any more
    std::atomic<bool> has_failed{false};      ///< written (release) after `failure`; a caller that reads it looks there

    /// A call that is over: a peer to which it meant something else may ask for it later.
    struct past {
        std::uint64_t request = 0, signature = 0;
        std::optional<call> what; ///< nothing before the first
        const void* by = nullptr; ///< the run whose call it was: only to be compared
    };
    std::array<past, remembered_calls> done{}; ///< by number
    /// Null if that call is not known any more.
    [[nodiscard]] const past* done_before(std::uint64_t request) const noexcept {
        const auto& last = done[request % remembered_calls];
        return last.what && last.request == request ? &last : nullptr;
    }

    [[nodiscard]] int size() const noexcept { return static_cast<int>(members.size()); }
};

} // namespace tutti::engine
