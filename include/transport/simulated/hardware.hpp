// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../transport.hpp"
#include "options.hpp"

#include <algorithm>
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
    [[nodiscard]] message_price price(int from, int to, std::size_t bytes) const {
        return options_.price ? options_.price(bytes, is_far(from, to)) : message_price{};
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
        r.processor_free = start + p.busy;
        r.out_free = start + std::max(p.next, p.busy);
        return {r.processor_free, start + p.header + (is_far(from, to) ? wait_to_leave(from, start, p) : no_time)};
    }
    /// When the port has taken in a message whose first byte is there now.
    [[nodiscard]] time take_in(int from, int to, const message_price& p, time now) {
        time& free = is_far(from, to) && !adapters_.empty() ? adapter_of(to).in_free : of(to).in_free;
        return free = std::max(now, free) + p.stream;
    }
    /// When a rank has worked for so long, from now on or from when its processor is free.
    time work(int rank, time now, std::chrono::nanoseconds duration) {
        time& free = of(rank).processor_free;
        return free = std::max(now, free) + duration;
    }

private:
    static constexpr clock::duration no_time{0};
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

    /// For the adapter, and for the network between nodes.
    [[nodiscard]] clock::duration wait_to_leave(int rank, time start, const message_price& p) {
        const bool is_shared = options_.oversubscription > 1;
        time begin = is_shared ? std::max(start, network_free_) : start;
        if (!adapters_.empty()) {
            time& free = adapter_of(rank).out_free;
            begin = std::max(begin, free);
            free = begin + p.stream;
        }
        if (is_shared) {
            const double ports = adapters_.empty() ? options_.size : static_cast<double>(adapters_.size());
            network_free_ =
                begin + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double, std::nano>(
                            static_cast<double>(p.stream.count()) * options_.oversubscription / ports));
        }
        return begin - start;
    }

    const simulated_options options_;
    std::vector<place> ranks_;
    std::vector<adapter> adapters_; ///< by node; none where each rank has its own
    time network_free_{};
};

} // namespace tutti::transport::detail
