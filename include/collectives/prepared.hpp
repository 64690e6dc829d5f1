// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "request.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace tutti {

/// A collective whose arguments are settled: checked, chosen and planned once, run many times on the same buffers,
/// whose contents may change between runs. All ranks run it in the same order as their other calls.
///
/// It keeps the addresses and the counts of its buffers, not the containers. A vector that is resized, assigned to,
/// moved from or destroyed may free its memory. To run the call then is undefined, and is not detected: prepare it
/// again. A vector that keeps its data() is safe; elements added to it later take no part.
///
/// @snippet reference.cpp prepare
template <class Transport>
class [[nodiscard]] prepared {
public:
    /// The communicator's inside.
    using membership = engine::membership;

    /// Made by communicator::prepare().
    prepared(std::shared_ptr<membership> in, const engine::call& c, std::chrono::nanoseconds deadline,
             std::shared_ptr<const void> keeps)
        : in_(std::move(in)), keeps_(std::move(keeps)), call_(c), deadline_(deadline), plan_(&in_->hold(c)) {}
    /// Takes the call over; the other one can only be destroyed or assigned to.
    prepared(prepared&& other) noexcept
        : in_(std::move(other.in_)), keeps_(std::move(other.keeps_)), call_(other.call_), deadline_(other.deadline_),
          plan_(std::exchange(other.plan_, nullptr)) {}
    prepared& operator=(prepared&&) = delete;
    ~prepared() {
        if (plan_) in_->let_go(*plan_);
    }

    /// Makes the call and waits. Throws what the blocking operation would throw.
    void run() { in_->start(call_, deadline_, keeps_, plan_).wait(); }
    /// Starts the call. Precondition: the request of the run before is over, since all runs share the buffers.
    [[nodiscard]] request<Transport> start() { return {in_, in_->start(call_, deadline_, keeps_, plan_)}; }

private:
    std::shared_ptr<membership> in_;
    std::shared_ptr<const void> keeps_;
    engine::call call_;
    std::chrono::nanoseconds deadline_;
    engine::planned* plan_;
};

} // namespace tutti
