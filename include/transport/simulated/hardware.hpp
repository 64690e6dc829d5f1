// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../transport.hpp"
#include "options.hpp"
#include "scheduler.hpp"

#include <algorithm>
#include <chrono>
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
          adapters_(static_cast<std::size_t>(o.nics > 0 ? nodes() * o.nics : 0)) {}

    [[nodiscard]] int node(int rank) const noexcept { return options_.per_node > 0 ? rank / options_.per_node : 0; }
    /// Throws what options.price throws, and `error` (invalid_argument) where it gives times that are none.
    [[nodiscard]] message_price price(int from, int to, std::size_t bytes) const {
        if (!options_.price) return {};
        const message_price p = options_.price(bytes, is_far(from, to));
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
        time done;   ///< the sender's processor is free again
        time header; ///< the first byte is there
    };
    /// A send begins.
    [[nodiscard]] sent send(int from, int to, const message_price& p, time now) {
        place& r = of(from);
        const time start = std::max(now, r.processor_free);
        r.processor_free = later(start, p.busy);
        r.out_free = later(start, std::max(p.next, p.busy));
        const time leaves = is_far(from, to) ? leaves_node(from, start, p) : start;
        return {r.processor_free, later(leaves, p.header)};
    }
    /// When the port has taken in a message whose first byte is there now.
    [[nodiscard]] time take_in(int from, int to, const message_price& p, time now) {
        time& free = is_far(from, to) && !adapters_.empty() ? adapter_of(to).in_free : of(to).in_free;
        return free = later(std::max(now, free), p.stream);
    }
    /// When a rank has worked for so long, from now on or from when its processor is free.
    time work(int rank, time now, std::chrono::nanoseconds duration) {
        time& free = of(rank).processor_free;
        return free = later(std::max(now, free), duration);
    }

private:
    static constexpr clock::duration no_time{0}, longest_price = std::chrono::hours(1);
    static constexpr double most_share = 1e18; ///< ns
    struct place {
        time processor_free, out_free, in_free;
    };
    struct adapter {
        time out_free, in_free;
    };

    [[nodiscard]] bool is_far(int a, int b) const noexcept { return node(a) != node(b); }
    [[nodiscard]] int nodes() const noexcept { return node(options_.size - 1) + 1; }
    [[nodiscard]] place& of(int rank) noexcept { return ranks_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const place& of(int rank) const noexcept { return ranks_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] adapter& adapter_of(int rank) noexcept {
        const int on_node = rank - node(rank) * options_.per_node;
        return adapters_[static_cast<std::size_t>(node(rank) * options_.nics + on_node % options_.nics)];
    }

    /// When the adapter takes it, and the network between nodes.
    [[nodiscard]] time leaves_node(int rank, time start, const message_price& p) {
        const bool is_shared = options_.oversubscription > 1;
        time begin = is_shared ? std::max(start, network_free_) : start;
        if (!adapters_.empty()) {
            time& free = adapter_of(rank).out_free;
            begin = std::max(begin, free);
            free = later(begin, p.stream);
        }
        if (is_shared) {
            const double ports = adapters_.empty() ? options_.size : static_cast<double>(adapters_.size());
            const double share = static_cast<double>(p.stream.count()) * options_.oversubscription / ports;
            network_free_ =
                later(begin, std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(share, most_share))));
        }
        return begin;
    }

    const simulated_options options_;
    std::vector<place> ranks_;
    std::vector<adapter> adapters_; ///< by node; none where each rank has its own
    time network_free_{};
};

} // namespace tutti::transport::detail
