// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "engine/membership.hpp"
#include "engine/recorder.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tutti {

/// A rank's activities while it was recorded.
struct trace {
    /// Each step that ended: by call in the order of their starts, and of a call in the order of its schedule. Times in
    /// seconds since the recording's origin. Ranks and peers are of the communicator; bytes are those of the message,
    /// or of the result of a local step. If no rank has missed a call, the k-th send to a rank in this
    /// list belongs to the k-th receive from this one in that rank's, also of calls that overlapped.
    std::vector<schedule::activity> activities;
    std::size_t missed_calls = 0; ///< which the memory did not suffice for: no step of them is there
};

/// Records the steps of the calls that are started on a communicator, on this rank, until it goes or is stopped; made
/// by communicator::record().
///
/// A step begins when it is handed to the transport, or works on memory; it ends when this rank has noticed that it is
/// complete, so a message that came while the rank was busy elsewhere ends with that. A call under way when the
/// recording ends is in it up to then. Used from where calls may be made: see `progress`.
///
/// @snippet reference.cpp record
template <class Transport>
class [[nodiscard]] recording {
public:
    /// The clock of the recorded times.
    using clock = engine::record_page::clock;
    /// The communicator's inside.
    using membership = engine::membership;

    /// Made by communicator::record().
    recording(std::shared_ptr<membership> in, std::size_t most_steps, clock::time_point origin)
        : in_(std::move(in)), to_(std::make_unique<engine::recorder>(most_steps, origin)) {
        in_->record(*to_);
    }
    /// Takes the recording over; the other one has ended.
    recording(recording&&) noexcept = default;
    recording& operator=(recording&&) = delete;
    ~recording() {
        if (to_) in_->stop_recording();
    }

    /// Ends the recording and returns it; a second call returns nothing. Linear in the memory.
    [[nodiscard]] trace stop() {
        if (!to_) return {};
        in_->stop_recording();
        const auto from = std::move(to_);
        return {from->take(), from->missed_calls()};
    }

private:
    std::shared_ptr<membership> in_;
    std::unique_ptr<engine::recorder> to_; ///< null once it has ended
};

} // namespace tutti
