// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../parameters.hpp"

#include <algorithm>

namespace tutti::model::detail {

/// The times that a model charges for a message that is sent in `segments` pieces, one right behind the other. Under
/// Hockney's a rank's port is taken at both ends from the beginning of a message to its end. Under LogGP messages are
/// eager: a receiver is taken for o + (m - 1)G from when the first byte is there, a sender for o, and its port for
/// max(o, g + (m - 1)G). Under LogGP with full_duplex it is the receiver's port that is taken, and its processor for o.
template <class Model>
class wire;

/// LogGP by receiver_rule::full_duplex.
struct full_duplex {
    loggp cost;
};

template <>
class wire<hockney> {
public:
    constexpr wire(const hockney& p, int segments) noexcept : p_(p), segments_(segments) {}

    /// From the beginning of the send to the end of the receive.
    [[nodiscard]] constexpr double message(double bytes) const noexcept {
        return segments_ * p_.alpha_s + bytes * p_.beta_s_per_byte;
    }
    /// Until the sender may begin with the next message.
    [[nodiscard]] constexpr double send(double bytes) const noexcept { return message(bytes); }
    /// How long the receiver is taken, for a message that is there.
    [[nodiscard]] constexpr double receive(double bytes) const noexcept { return message(bytes); }
    /// The same for each of several that are, and on which it works `each_s`.
    [[nodiscard]] constexpr double take(double bytes, double each_s) const noexcept { return message(bytes) + each_s; }
    /// How much longer than for an answer, on which it works `each_s`, a rank that has sent waits to send again.
    [[nodiscard]] constexpr double hold(double, double) const noexcept { return 0; }
    /// How long a processor that also receives is taken by a send.
    [[nodiscard]] constexpr double busy(double) const noexcept { return 0; }
    /// How long a processor that also sends is taken by a receive.
    [[nodiscard]] constexpr double handled(double) const noexcept { return 0; }
    /// How long a rank's port is taken by so many messages.
    [[nodiscard]] constexpr double port(double bytes, int sends, int receives) const noexcept {
        return std::max(sends, receives) * message(bytes);
    }
    /// How much later a message ends if its receiver has been waiting for it.
    [[nodiscard]] constexpr double latency() const noexcept { return 0; }
    /// From the beginning of a send until the message is there to be received.
    [[nodiscard]] constexpr double header() const noexcept { return 0; }
    [[nodiscard]] constexpr double reduce(double bytes) const noexcept { return bytes * p_.gamma_s_per_byte; }
    /// Whether a form can be exact: the call is in one segment, and the machine charges nothing that forms only
    /// estimate.
    [[nodiscard]] constexpr bool plain() const noexcept { return segments_ == 1; }
    /// No rank that answers a message is held up by the gap behind its last one.
    [[nodiscard]] constexpr bool answers_at_once() const noexcept { return true; }
    /// Sends that take so long do not compete with receives.
    [[nodiscard]] constexpr bool hides(double) const noexcept { return true; }
    /// A receiver does nothing else while it takes in a message.
    [[nodiscard]] constexpr bool receives_alone() const noexcept { return true; }
    /// No message arrives before its receiver takes it in.
    [[nodiscard]] constexpr bool both_ends_at_once() const noexcept { return true; }

private:
    hockney p_;
    int segments_;
};

template <>
class wire<loggp> {
public:
    constexpr wire(const loggp& p, int segments) noexcept : p_(p), segments_(segments) {}

    [[nodiscard]] constexpr double message(double bytes) const noexcept {
        const double begins = std::max(header(), busy_one(bytes)); // where all send and receive at once
        return begins + receive_one(bytes) + (segments_ - 1) * std::max(send_one(bytes), receive_one(bytes));
    }
    [[nodiscard]] constexpr double send(double bytes) const noexcept { return segments_ * send_one(bytes); }
    [[nodiscard]] constexpr double receive(double bytes) const noexcept { return segments_ * receive_one(bytes); }
    [[nodiscard]] constexpr double take(double bytes, double each_s) const noexcept { return receive(bytes) + each_s; }
    [[nodiscard]] constexpr double hold(double bytes, double each_s) const noexcept {
        return std::max(send(bytes) - message(bytes) - each_s, 0.0);
    }
    [[nodiscard]] constexpr double busy(double bytes) const noexcept { return segments_ * busy_one(bytes); }
    [[nodiscard]] constexpr double handled(double bytes) const noexcept { return receive(bytes); }
    [[nodiscard]] constexpr double port(double bytes, int sends, int) const noexcept { return sends * send(bytes); }
    [[nodiscard]] constexpr double latency() const noexcept { return p_.latency_s; }
    [[nodiscard]] constexpr double header() const noexcept { return p_.overhead_s + p_.latency_s; }
    [[nodiscard]] constexpr double reduce(double bytes) const noexcept { return bytes * p_.gamma_s_per_byte; }
    /// Where no byte costs a processor more than the wire, no message is there before it has left, and a message costs
    /// something: else all steps are ready at one time.
    [[nodiscard]] constexpr bool plain() const noexcept {
        return segments_ == 1 && p_.overhead_s_per_byte == 0 && p_.copy_s_per_byte == 0 && p_.latency_s >= 0 &&
               header() + p_.gap_s > 0;
    }
    [[nodiscard]] constexpr bool answers_at_once() const noexcept {
        return p_.gap_s <= p_.latency_s + 2 * p_.overhead_s;
    }
    /// They are over before the first message arrives.
    [[nodiscard]] constexpr bool hides(double sends_s) const noexcept { return sends_s <= p_.latency_s; }
    [[nodiscard]] constexpr bool receives_alone() const noexcept { return true; }
    [[nodiscard]] constexpr bool both_ends_at_once() const noexcept { return false; }

protected:
    [[nodiscard]] constexpr double further(double bytes) const noexcept { return std::max(bytes / segments_ - 1, 0.0); }
    [[nodiscard]] constexpr double busy_one(double bytes) const noexcept {
        return p_.overhead_s + further(bytes) * p_.overhead_s_per_byte;
    }
    [[nodiscard]] constexpr double send_one(double bytes) const noexcept {
        return std::max(busy_one(bytes), p_.gap_s + further(bytes) * p_.gap_s_per_byte);
    }
    [[nodiscard]] constexpr double receive_one(double bytes) const noexcept {
        return p_.overhead_s + further(bytes) * std::max(p_.gap_s_per_byte, p_.overhead_s_per_byte);
    }

    loggp p_;
    int segments_;
};

template <>
class wire<full_duplex> : public wire<loggp> {
public:
    constexpr wire(const full_duplex& p, int segments) noexcept : wire<loggp>(p.cost, segments) {}

    /// The port takes the next one in while the processor is at work on this one.
    [[nodiscard]] constexpr double take(double bytes, double each_s) const noexcept {
        return std::max(segments_ * further(bytes) * p_.gap_s_per_byte, busy(bytes) + each_s);
    }
    [[nodiscard]] constexpr double handled(double bytes) const noexcept { return busy(bytes); }
    [[nodiscard]] constexpr double port(double bytes, int sends, int receives) const noexcept {
        return std::max(sends * send(bytes), receives * further(bytes) * p_.gap_s_per_byte);
    }
    [[nodiscard]] constexpr bool receives_alone() const noexcept { return false; }
};

} // namespace tutti::model::detail
