// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../collectives/request.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// Requests under way, of several communicators of one world, each with what follows when it is over. Used by one
/// thread.
template <class Communicator>
class arrivals {
public:
    using request = std::remove_cvref_t<decltype(std::declval<const Communicator&>().async().send(
        std::declval<const float&>(), 0))>;
    using next = std::function<void()>;
    using failed = std::function<void(const error&)>;

    /// Starts a request by `start()`, and calls `then` or `instead` within wait() or poll() when it is over. A
    /// communicator that has failed before makes this call `instead` at once. Throws invalid_argument of `start()`.
    template <class Start>
    void add(const Start& start, next then, failed instead) {
        std::optional<error> why;
        follows_.push_back({std::move(then), std::move(instead)});
        try {
            return requests_.push_back(start());
        } catch (const error& e) {
            why = e;
        } catch (...) {
            follows_.pop_back();
            throw;
        }
        const follow none = std::move(follows_.back());
        follows_.pop_back();
        if (why->why() == cause::invalid_argument) throw *why; // a wrong call is no loss of a peer
        none.instead(*why);
    }

    [[nodiscard]] bool empty() const noexcept { return requests_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return requests_.size(); }

    /// Sleeps until one is over, and goes on with it, or until that time. Precondition: not empty.
    void wait(transport::clock::time_point until = transport::clock::time_point::max()) {
        std::optional<error> why;
        try {
            const std::size_t i = wait_any(std::span(requests_), until);
            if (i < requests_.size()) conclude(i, nullptr);
            return;
        } catch (const error& e) {
            why = e;
        }
        for (std::size_t i = 0; i < requests_.size(); ++i)
            if (requests_[i].collected()) return conclude(i, &*why);
        throw *why; // the call itself was wrong
    }
    /// Goes on with those that are over.
    void poll() {
        for (std::size_t i = 0; i < requests_.size();) {
            std::optional<error> why;
            try {
                if (!requests_[i].test()) {
                    ++i;
                    continue;
                }
            } catch (const error& e) {
                if (!requests_[i].collected()) throw;
                why = e;
            }
            conclude(i, why ? &*why : nullptr);
        }
    }

private:
    struct follow {
        next then;
        failed instead;
    };

    void conclude(std::size_t i, const error* why) {
        const follow f = std::move(follows_[i]);
        if (i + 1 < requests_.size()) {
            requests_[i] = std::move(requests_.back());
            follows_[i] = std::move(follows_.back());
        }
        requests_.pop_back();
        follows_.pop_back();
        why ? f.instead(*why) : f.then();
    }

    std::vector<request> requests_;
    std::vector<follow> follows_; ///< of each
};

} // namespace tutti::training::server::detail
