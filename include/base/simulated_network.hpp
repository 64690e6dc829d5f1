// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::detail {

/// What several send into at once, each at speed 1, and what carries so much at most. What is too much waits, byte
/// behind byte, whoever sent it. Times are in seconds, and do not fall from call to call.
class conduit {
public:
    explicit conduit(double capacity = 1) noexcept : capacity_(capacity) {}

    /// One more sends.
    void begin(double now) noexcept { flow(now, 1); }
    /// One has sent all.
    void end(double now) noexcept { flow(now, -1); }
    /// For how long waits what is sent now.
    [[nodiscard]] double delay(double now) noexcept {
        flow(now, 0);
        return held_s_ / capacity_;
    }
    [[nodiscard]] bool has_senders() const noexcept { return senders_ > 0; }

private:
    void flow(double now, int more) noexcept {
        held_s_ = std::max(0., held_s_ + (now - now_s_) * (senders_ - capacity_));
        now_s_ = now;
        senders_ += more;
    }
    double capacity_;
    int senders_ = 0;
    double now_s_ = 0;
    double held_s_ = 0; ///< what waits, by the time that it takes at speed 1
};

/// The way of messages from node to node, of the model's simulator and of the simulated transport: adapters, into each
/// of which several ranks may send, and the network, into which all adapters do. It carries `oversubscription` times
/// less than they can send.
class simulated_network {
public:
    simulated_network() = default;
    simulated_network(std::size_t adapters, double oversubscription)
        : adapters_(adapters), network_(static_cast<double>(adapters) / oversubscription) {}

    /// A rank begins to send a message by an adapter: how much later its first byte comes.
    [[nodiscard]] double begin(std::size_t adapter, double now) noexcept {
        const double waits = adapters_[adapter].in.delay(now);
        adapters_[adapter].in.begin(now);
        if (!std::exchange(adapters_[adapter].sends, true)) network_.begin(now);
        return waits + network_.delay(now);
    }
    /// The rank has given all of it to the adapter: when that has sent it.
    [[nodiscard]] double end(std::size_t adapter, double now) noexcept {
        adapters_[adapter].in.end(now);
        return now + adapters_[adapter].in.delay(now);
    }
    /// The adapter has sent all of it: when the network has carried it.
    [[nodiscard]] double carry(std::size_t adapter, double now) noexcept {
        auto& [in, sends] = adapters_[adapter];
        const double carried = now + network_.delay(now);
        const bool has_sent = !in.has_senders() && in.delay(now) <= 1e-11 + 1e-15 * now; // which is rounding
        if (has_sent && std::exchange(sends, false)) network_.end(now);
        return carried;
    }

private:
    struct way {
        conduit in;
        bool sends = false;
    };
    std::vector<way> adapters_;
    conduit network_;
};

} // namespace tutti::detail
