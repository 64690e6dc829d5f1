// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../transport/simulated.hpp"
#include "model/machine.hpp"
#include "model/simulation/charges.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tutti {

/// Options of a simulated world whose messages cost what they do on this machine, by the rules of model::simulate()
/// with receiver_rule::full_duplex: LogGP, shared adapters, and the network between nodes. Cores that ranks share,
/// caches, fan_in and call_s are not charged, nor are steps within a rank: copies and reductions of what has been
/// received.
[[nodiscard]] inline transport::simulated_options simulated_options_of(const model::machine& m, int ranks,
                                                                       int per_node = 0) {
    transport::simulated_options o;
    o.size = ranks;
    o.per_node = per_node;
    o.nics = m.nics;
    o.oversubscription = m.oversubscription;
    o.price = [near = m.near, far = m.far](std::size_t bytes, bool between_nodes) {
        const auto c = model::detail::charge_of(between_nodes ? far : near, bytes);
        const auto ns = [](double s) { return std::chrono::nanoseconds(static_cast<std::int64_t>(s * 1e9 + 0.5)); };
        return transport::message_price{ns(c.busy), ns(c.next), ns(c.header), ns(c.stream), ns(c.reduce)};
    };
    return o;
}

} // namespace tutti
