// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/model/machine.hpp>

#include <string>
#include <vector>

namespace tutti::tools::planner {

/// A GPU, for 16-bit matrix products.
struct accelerator {
    std::string name;
    double flop_per_s = 1;         ///< the peak
    double matrix_efficiency = 1;  ///< of the peak, what matrix products reach
    double memory_bytes = 0;       ///< all of it
    double memory_bytes_per_s = 1; ///< the peak of its bandwidth
};

inline constexpr int most_gpus = 1'000'000;

/// Nodes with equally many GPUs.
struct cluster {
    std::string name;
    std::string made; ///< where the figures come from: a sentence for people
    int nodes = 1;
    int gpus_per_node = 1;
    accelerator gpu;
    tutti::model::machine links; ///< near: between GPUs of a node; far: between nodes

    [[nodiscard]] int gpus() const noexcept { return nodes * gpus_per_node; }
};

/// The clusters that the command knows by name, in order.
[[nodiscard]] const std::vector<cluster>& known_clusters();
/// By a name, or a file. Throws tutti::error(invalid_argument) where the file cannot be read, or is wrong.
[[nodiscard]] cluster cluster_of(const std::string& word);
/// The same with so many nodes. Throws tutti::error(invalid_argument) for more than most_gpus.
[[nodiscard]] cluster with_nodes(cluster on, int nodes);
/// The text of a cluster file. Throws tutti::error(invalid_argument), which names the key that is wrong.
[[nodiscard]] cluster parse_cluster(const std::string& text, const std::string& source);

} // namespace tutti::tools::planner
