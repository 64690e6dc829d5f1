// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "engine/membership.hpp"
#include "engine/message.hpp"
#include "engine/timeouts.hpp"

#include "../base/any_duration.hpp"

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace tutti {

template <class Transport>
class request;
class completion_queue;

namespace detail {
struct access;
/// What a span of requests can be made of.
template <class Requests>
concept are_requests =
    requires(Requests& r) { []<class Transport, std::size_t n>(std::span<request<Transport>, n>) {}(std::span(r)); };

/// Of requests that are waited for one after the other.
class first_failure {
public:
    void of(auto& request) {
        try {
            request.wait();
        } catch (const error& e) {
            if (!first_) first_ = e;
        }
    }
    void tell() const {
        if (first_) throw *first_;
    }

private:
    std::optional<error> first_;
};
} // namespace detail

template <class Requests>
[[nodiscard]] std::size_t wait_any(Requests&& list,
                                   transport::clock::time_point until = transport::clock::time_point::max())
    requires(detail::are_requests<Requests>);

/// A call under way: a collective, a send or a receive. Its buffers belong to the library until wait() has returned or
/// thrown, test() has returned true, or the request is destroyed.
///
/// The destructor waits for the call, until its deadline at most; cancel() does not. If the call fails, the next one on
/// the communicator throws. A rank may wait for its requests in any order, whatever the order on other ranks. Waiting
/// and testing are calls: see communicator for which thread may make them.
///
/// @snippet reference.cpp async
template <class Transport>
class [[nodiscard]] request {
public:
    /// The communicator's inside.
    using membership = engine::membership;
    /// A collective under way, inside of it.
    using started = membership::started;

    /// Of no call: collected from the start, until it is given one.
    request() = default;
    // Both send the messages that the transport has put off: the caller may compute for long before its next call.
    /// Of a collective: made by communicator::async().
    request(std::shared_ptr<membership> in, started s) : in_(std::move(in)), started_(std::move(s)) {
        started_->nudge();
    }
    /// Of a send or a receive: made by communicator::async().
    request(std::shared_ptr<membership> in, std::unique_ptr<engine::message> m)
        : in_(std::move(in)), message_(std::move(m)) {
        try {
            in_->nudge(*message_);
        } catch (...) {
            drop(); // it must stay in place until it is over
            throw;
        }
    }
    /// Takes the request over; the other one counts as collected.
    request(request&& other) noexcept
        : in_(std::move(other.in_)), started_(std::move(other.started_)), message_(std::move(other.message_)),
          source_(other.source_) {
        other.started_.reset();
    }
    /// Waits for this request, as the destructor does, and takes the other one over.
    request& operator=(request&& other) noexcept {
        if (this == &other) return *this;
        drop();
        in_ = std::move(other.in_);
        if (other.started_) started_.emplace(std::move(*other.started_));
        other.started_.reset();
        message_ = std::move(other.message_);
        source_ = other.source_;
        return *this;
    }
    ~request() { drop(); }

    /// Returns when the result is there. Throws tutti::error if the call failed, at the latest a second after its
    /// deadline, which counts from the start of the call. A second wait returns at once, after a failure too.
    void wait() {
        if (collected()) return;
        in_->require_nobody(); // may throw, and must leave the request as it is
        collect();
    }

    /// Makes progress without sleeping. True when the call is over; throws like wait(). Within an event loop that
    /// steps, is_over() is what to ask.
    [[nodiscard]] bool test() {
        if (collected()) return true;
        if (!(message_ ? in_->test(*message_) : started_->test())) return false;
        wait();
        return true;
    }

    /// Makes progress for so long at most, and at least once; may be as late as wait_any(). True when the call is over;
    /// throws like wait(). Else false: the call goes on.
    [[nodiscard]] bool wait_for(any_duration time) {
        return collected() || wait_until(engine::later(in_->now(), time));
    }
    /// The same until a time by the clock of deadlines.
    [[nodiscard]] bool wait_until(transport::clock::time_point end) {
        return test() || wait_any(std::span(this, 1), end) == 0;
    }

    /// Calls `f` by the queue once the call is over: see completion_queue::add().
    template <class Queue, class F>
    void then(Queue& queue, F&& f) && {
        queue.add(std::move(*this), std::forward<F>(f));
    }

    /// Of a receive that is collected: whose message it was. Of other calls any_rank.
    [[nodiscard]] int source() const noexcept { return source_; }

    /// Gives the call up; the request is collected, and its buffers are the caller's again. A receive that no message
    /// has met is withdrawn, as if it had not been made: true; unless it is so late that others look for its sender. A
    /// call that was over is over: false. Any other call ends by an abort of the communicator on all ranks, which names
    /// this rank and the call: false.
    bool cancel() {
        if (collected()) return false;
        in_->require_nobody();
        const auto how = give_up(true);
        drop();
        return how == engine::cancelled::withdrawn;
    }

    /// True when wait() would return or throw at once. Makes no progress: for programs whose event loop steps. While
    /// it is asked, ranks that wait for this one are told that its program waits for the call.
    [[nodiscard]] bool is_over() const noexcept {
        if (has_ended()) return true;
        const auto until = in_->now() + engine::late_call_grace; // who asks again and again waits for it
        message_ ? message_->want_until(until) : started_->want_until(until);
        return false;
    }

    /// True once wait() has returned or thrown tutti::error of the call, test() has returned true, or the request has
    /// been moved from.
    [[nodiscard]] bool collected() const noexcept { return !started_ && !message_; }

private:
    friend class completion_queue;
    friend struct detail::access;
    template <class Requests>
    friend std::size_t wait_any(Requests&&, transport::clock::time_point)
        requires(detail::are_requests<Requests>);

    void collect() {
        if (collected()) return;
        if (message_) {
            in_->await(*message_); // first, so that it stays in place if this throws
            const auto over = std::move(message_);
            source_ = over->source;
            return in_->wait(*over);
        }
        started mine = std::move(*started_);
        started_.reset();
        mine.wait();
    }
    [[nodiscard]] bool is_receive() const noexcept {
        return message_ && message_->way == engine::message::direction::receive;
    }
    /// As cancel(), but it is still to be collected; and goes on where no abort is wished.
    [[nodiscard]] engine::cancelled give_up(bool aborts) {
        if (message_) return in_->cancel(*message_, aborts);
        return aborts ? in_->cancel(started_->of()) : engine::cancelled::goes_on;
    }
    [[nodiscard]] bool has_ended() const noexcept {
        return collected() || (message_ ? message_->is_over() : started_->is_over());
    }
    void want(bool now) noexcept {
        if (started_) started_->want(now);
        if (message_ && !message_->is_over())
            message_->want(now ? transport::clock::time_point::max() : transport::clock::time_point::min());
    }
    void drop() noexcept {
        started_.reset();
        if (message_) in_->await(*message_);
        message_.reset();
    }

    std::shared_ptr<membership> in_;
    std::optional<started> started_;           ///< of a collective
    std::unique_ptr<engine::message> message_; ///< of a send or a receive
    int source_ = engine::any_rank;
};

/// Waits for all of them, then throws the first failure, if any.
template <class Transport, std::same_as<request<Transport>>... More>
void wait_all(request<Transport>& first, More&... more) {
    detail::first_failure failure;
    failure.of(first);
    (failure.of(more), ...);
    failure.tell();
}
/// The same of a vector, an array, or a span of requests.
template <class Requests>
void wait_all(Requests&& requests)
    requires(detail::are_requests<Requests>)
{
    detail::first_failure failure;
    for (auto& r : std::span(requests)) failure.of(r);
    failure.tell();
}

/// Of a vector, an array or a span: waits until one of the requests that are not collected yet is over, collects it,
/// and returns its index. Returns the number of requests if all were collected before, or at `until`, by the clock of
/// deadlines, if none is over; it may be a twentieth of a second late. Throws if the collective of that request failed.
/// Precondition: all belong to one world.
template <class Requests>
[[nodiscard]] std::size_t wait_any(Requests&& list, transport::clock::time_point until)
    requires(detail::are_requests<Requests>)
{
    const std::span requests(list);
    const auto first = [&] {
        std::size_t i = 0;
        while (i < requests.size() && (requests[i].collected() || !requests[i].has_ended())) ++i;
        return i;
    };
    const auto want = [&](bool now) {
        for (auto& r : requests) r.want(now);
    };
    for (auto& r : requests) {
        if (r.collected()) continue;
        want(true);
        r.in_->wait_until([&] { return first() < requests.size(); }, until);
        want(false);
        const std::size_t i = first();
        if (i == requests.size()) break;
        requests[i].wait();
        return i;
    }
    return requests.size();
}

} // namespace tutti
