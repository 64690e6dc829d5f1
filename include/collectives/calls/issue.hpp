// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../prepared.hpp"
#include "arguments.hpp"

#include <memory>
#include <type_traits>
#include <utility>

namespace tutti::detail {

struct message_arguments;
/// Memory that is no range, and says what it is: a strided, or a runtime_range.
template <class Data>
concept describes_itself =
    requires(message_arguments& a, const std::remove_reference_t<Data>& data) { describe_message(a, data); };

/// How operations are issued. An issuer has rank(), size() and choice(); `returns_at_once`; and issue(call), which
/// makes the call (communicator::issue), or issue(call, keeps), which starts or prepares one and keeps its operator. It
/// befriends this.
struct access {
    /// Issues the call that `build` makes of an operator. One that goes on afterwards takes no temporaries for its
    /// buffers, which are of types Range, and a copy of an operator that has state.
    template <class... Range, class Issuer, class Op, class Build>
    static auto issue(const Issuer& by, const Op& op, const Build& build) {
        if constexpr (Issuer::returns_at_once) {
            check_outlive<Range...>();
            const auto copy = kept(op);
            return by.issue(build(in_use(copy, op)), copy);
        } else {
            return by.issue(build(op));
        }
    }

    /// Of a call that returns the result of one value: only a blocking one can.
    template <class Issuer, class T>
    static constexpr void check_value() noexcept {
        static_assert(!Issuer::returns_at_once, "tutti: one value is given to blocking calls, which return the "
                                                "result; else take a range");
        static_assert(!std::is_pointer_v<T>, "tutti: a pointer means nothing on another rank: take "
                                             "std::span(pointer, count)");
        static_assert(!describes_itself<T>, "tutti: strided and runtime_range are data of messages alone");
    }

    /// The same where the results of several values are a vector.
    template <class Issuer, class T>
    static constexpr void check_values() noexcept {
        check_value<Issuer, T>();
        static_assert(!std::is_same_v<T, bool>, "tutti: a std::vector<bool> stores bits, which are no elements: give a "
                                                "char");
    }

    /// Makes a call that is built elsewhere.
    template <class Issuer>
    static void run(const Issuer& by, engine::call&& c) {
        by.issue(std::move(c));
    }
    template <class Communicator>
    [[nodiscard]] static auto start(const Communicator& world, engine::call&& c, std::shared_ptr<const void> keeps) {
        c.by = world.executor_;
        return request<typename Communicator::transport_type>(
            world.membership_, world.membership_->start(c, world.default_deadline(), std::move(keeps)));
    }
    /// Starts a message on the communicator of a view.
    template <class View, class Arguments>
    [[nodiscard]] static auto start(const View& by, const Arguments& a) {
        const auto& world = *by.on_;
        auto m = std::make_unique_for_overwrite<engine::message>();
        fill(*m, a);
        world.membership_->start(*m, world.default_deadline());
        return request<typename std::remove_cvref_t<decltype(world)>::transport_type>(world.membership_, std::move(m));
    }
    template <class Communicator>
    [[nodiscard]] static auto& membership_of(const Communicator& world) noexcept {
        return *world.membership_;
    }
    template <class Communicator>
    [[nodiscard]] static auto kept_membership(const Communicator& world) noexcept {
        return world.membership_;
    }
    /// For who looks after a request in its owner's place.
    /// @{
    template <class Request>
    [[nodiscard]] static const auto& membership_of_request(const Request& r) noexcept {
        return r.in_;
    }
    template <class Request>
    [[nodiscard]] static bool has_ended(const Request& r) noexcept {
        return r.has_ended();
    }
    template <class Request>
    static void want(Request& r) noexcept {
        r.want(true);
    }
    /// A receive that a message has met goes on; with `gently` all else does, too.
    template <class Request>
    [[nodiscard]] static engine::cancelled give_up(Request& r, bool gently = false) {
        r.in_->require_nobody();
        return r.give_up(!gently && !r.is_receive());
    }
    template <class Request>
    static void collect(Request& r) {
        r.collect();
    }
    /// @}
    /// The handle of another type of the same communicator.
    template <class Other, class Communicator>
    [[nodiscard]] static Other as(const Communicator& world) {
        return Other(world.membership_, world.default_deadline(), world.executor_);
    }
    template <class Communicator>
    [[nodiscard]] static auto prepare(const Communicator& world, engine::call&& c, std::shared_ptr<const void> keeps) {
        c.by = world.executor_;
        return prepared<typename Communicator::transport_type>(world.membership_, c, world.default_deadline(),
                                                               std::move(keeps));
    }
};

} // namespace tutti::detail
