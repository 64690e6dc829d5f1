// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"
#include "../../../base/simulated_network.hpp"
#include "../../contract/transport.hpp"
#include "options.hpp"
#include "scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti::transport::detail {

/// Processors, ports and adapters: when a message leaves, arrives and is received. The rules are those of the model's
/// simulator with receiver_rule::full_duplex, so that both say the same.
class simulated_hardware {
public:
    using time = clock::time_point;

    explicit simulated_hardware(const simulated_options& o)
        : options_(o), ranks_(static_cast<std::size_t>(o.size)),
          in_free_(static_cast<std::size_t>(o.nics > 0 ? nodes() * o.nics : o.size)),
          network_(in_free_.size(), o.oversubscription) {}

    [[nodiscard]] int node(int rank) const noexcept { return options_.per_node > 0 ? rank / options_.per_node : 0; }
    /// Throws what options.price throws, and `error` (invalid_argument) where it gives times that are none.
    [[nodiscard]] message_price price(int from, int to, std::size_t bytes) const {
        if (!options_.price) return {};
        const message_price p = options_.price(bytes, node(from) != node(to));
        for (const auto t : {p.busy, p.next, p.header, p.stream, p.reduce})
            if (t < no_time || t > longest_price)
                reject("simulated",
                       "a message of " + std::to_string(bytes) + " bytes for " + std::to_string(t.count()) + " ns",
                       "have options.price say 0 to an hour");
        return p;
    }

    /// When a send of this rank that is ready at `now` may begin.
    [[nodiscard]] time may_send(int rank, time now) const noexcept {
        const place& r = of(rank);
        return r.out_free > std::max(now, r.processor_free) ? r.out_free : now;
    }
    struct sent {
        time begins;
        time done; ///< the sender's processor is free again
    };
    /// A send begins.
    [[nodiscard]] sent send(int from, const message_price& p, time now) {
        place& r = of(from);
        const time start = std::max(now, r.processor_free);
        r.processor_free = later(start, p.busy);
        r.out_free = later(start, std::max(p.next, p.busy));
        return {start, r.processor_free};
    }
    /// A message goes through the network, which ranks share.
    [[nodiscard]] bool is_far(int from, int to) const noexcept {
        return node(from) != node(to) && (options_.nics > 0 || options_.oversubscription > 1);
    }
    /// A message begins to go to another node: how much later its first byte comes.
    [[nodiscard]] std::chrono::nanoseconds enters_network(int rank, time now) {
        return nanoseconds(network_.begin(adapter_of(rank), seconds(now)));
    }
    /// The sender's adapter has got it: when it has sent it.
    [[nodiscard]] time leaves_adapter(int rank, time now) {
        return later(now, nanoseconds(network_.end(adapter_of(rank), seconds(now)) - seconds(now)));
    }
    /// The sender's adapter has sent it: when the network has carried it.
    [[nodiscard]] time leaves_network(int rank, time now) {
        return later(now, nanoseconds(network_.carry(adapter_of(rank), seconds(now)) - seconds(now)));
    }
    /// When the port has taken in a message whose first byte is there now.
    [[nodiscard]] time take_in(int from, int to, const message_price& p, time now) {
        time given = later(now, p.stream);
        if (node(from) != node(to) && options_.nics > 0) {
            time& free = in_free_[adapter_of(to)];
            given = free = later(std::max(now, free), p.stream);
        }
        time& own = of(to).in_free;
        return own = std::max(given, later(own, p.stream));
    }
    /// When a rank has worked for so long, from now on or from when its processor is free.
    time work(int rank, time now, std::chrono::nanoseconds duration) {
        time& free = of(rank).processor_free;
        return free = later(std::max(now, free), duration);
    }

private:
    static constexpr clock::duration no_time{0}, longest_price = std::chrono::hours(1);
    static constexpr double most_wait = 1e18; ///< ns
    struct place {
        time processor_free, out_free, in_free;
    };

    /// Since the first of them: worlds that begin at another time round alike.
    [[nodiscard]] double seconds(time t) noexcept {
        if (origin_ == time::max()) origin_ = t;
        return std::chrono::duration<double>(t - origin_).count();
    }
    /// Rounded up, but for what is a rounding error.
    [[nodiscard]] static std::chrono::nanoseconds nanoseconds(double s) noexcept {
        return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(std::ceil(s * 1e9 - 1e-3), most_wait)));
    }
    [[nodiscard]] int nodes() const noexcept { return node(options_.size - 1) + 1; }
    [[nodiscard]] place& of(int rank) noexcept { return ranks_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const place& of(int rank) const noexcept { return ranks_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] std::size_t adapter_of(int rank) const noexcept {
        if (options_.nics == 0) return static_cast<std::size_t>(rank);
        const int on_node = rank - node(rank) * options_.per_node;
        return static_cast<std::size_t>(node(rank) * options_.nics + on_node % options_.nics);
    }

    const simulated_options options_;
    std::vector<place> ranks_;
    std::vector<time> in_free_; ///< of the adapters, by node
    tutti::detail::simulated_network network_;
    time origin_ = time::max();
};

} // namespace tutti::transport::detail
