// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cluster.hpp"

#include <collectives/choice/default_choice.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>

namespace tutti::tools::planner {

/// Ranks that communicate, of which so many share a node. All nodes have the same groups at work at once.
struct group {
    int ranks = 1;
    int on_node = 1;
    friend auto operator<=>(const group&, const group&) = default;
};

/// What a collective takes, and by which algorithm.
struct group_price {
    double seconds = 0;
    std::optional<model::selection> by; ///< nothing for a single rank
};

/// Prices of collectives on one cluster, by the cheapest of the library's algorithms. Kept, since a search asks for the
/// same ones again.
class group_prices {
public:
    explicit group_prices(const cluster& on) : on_(on) {}

    /// Of so many bytes of the whole vector.
    [[nodiscard]] const group_price& of(schedule::operation what, double bytes, const group& g);
    /// A message of every GPU of a node to the same place on the next, all at once.
    [[nodiscard]] double between_nodes_s(double bytes) const;
    /// A message between GPUs of a node.
    [[nodiscard]] double within_node_s(double bytes) const;

private:
    [[nodiscard]] model::machine seen_by(const group& g) const;

    cluster on_;
    std::map<std::tuple<schedule::operation, std::size_t, group>, group_price> known_;
};

} // namespace tutti::tools::planner
