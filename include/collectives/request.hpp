// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "engine/membership.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti {

/// A collective under way. Its buffers belong to the library until wait() has returned or thrown, test() has returned
/// true, or the request is destroyed.
///
/// The destructor waits for the collective, until its deadline at most. If it fails, the next call on the communicator
/// throws. A rank may wait for its requests in any order, whatever the order on other ranks. Waiting and testing are
/// calls: see communicator for which thread may make them.
template <class Transport>
class [[nodiscard]] request {
public:
    using started = engine::membership<Transport>::started;

    request(std::shared_ptr<engine::membership<Transport>> in, started s) : in_(std::move(in)), started_(std::move(s)) {
        // Sends the messages that the transport has put off: the caller may compute for long before its next call.
        started_->nudge();
    }
    request(request&& other) noexcept : in_(std::move(other.in_)), started_(std::move(other.started_)) {
        other.started_.reset();
    }
    request& operator=(request&& other) noexcept {
        if (this == &other) return *this;
        started_.reset();
        in_ = std::move(other.in_);
        if (other.started_) started_.emplace(std::move(*other.started_));
        other.started_.reset();
        return *this;
    }

    /// Returns when the result is there. Throws tutti::error if the collective failed, at the latest a second after
    /// its deadline, which counts from the start of the call. A second wait returns at once, after a failure too.
    void wait() {
        if (!started_) return;
        in_->require_nobody(); // may throw, and must leave the request as it is
        started mine = std::move(*started_);
        started_.reset();
        mine.wait();
    }

    /// Makes progress without sleeping. True when the call is over; throws like wait().
    [[nodiscard]] bool test() {
        if (!started_) return true;
        if (!started_->test()) return false;
        wait();
        return true;
    }

    /// True once wait() has returned or thrown tutti::error of the collective, test() has returned true, or the
    /// request has been moved from.
    [[nodiscard]] bool collected() const noexcept { return !started_; }

private:
    template <class T>
    friend std::size_t wait_any(std::span<request<T>>);

    std::shared_ptr<engine::membership<Transport>> in_;
    std::optional<started> started_;
};

/// Waits for all of them, then throws the first failure, if any.
template <class Transport>
void wait_all(std::span<request<Transport>> requests) {
    std::optional<error> first;
    for (auto& r : requests) {
        try {
            r.wait();
        } catch (const error& e) {
            if (!first) first = e;
        }
    }
    if (first) throw *first;
}
template <class Transport>
void wait_all(std::vector<request<Transport>>& requests) {
    wait_all(std::span(requests));
}

/// Waits until one of the requests that are not collected yet is over, collects it, and returns its index. Returns the
/// number of requests if all were collected before. Throws if the collective of that request failed. Precondition: all
/// belong to one world.
template <class Transport>
[[nodiscard]] std::size_t wait_any(std::span<request<Transport>> requests) {
    const auto first = [&] {
        std::size_t i = 0;
        while (i < requests.size() && !(requests[i].started_ && requests[i].started_->is_over())) ++i;
        return i;
    };
    const auto want = [&](bool now) {
        for (auto& r : requests)
            if (r.started_) r.started_->want(now);
    };
    for (auto& r : requests) {
        if (!r.started_) continue;
        want(true);
        r.in_->wait_until([&] { return first() < requests.size(); });
        want(false);
        const std::size_t i = first();
        requests[i].wait();
        return i;
    }
    return requests.size();
}
template <class Transport>
[[nodiscard]] std::size_t wait_any(std::vector<request<Transport>>& requests) {
    return wait_any(std::span(requests));
}

} // namespace tutti
