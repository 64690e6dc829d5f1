// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cluster.hpp"
#include "groups.hpp"
#include "layout.hpp"
#include "memory.hpp"
#include "network.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace tutti::tools::planner {

/// Where the time of a step goes.
enum class part : std::uint8_t {
    compute,   ///< forward and backward, and summing the gradients of microbatches
    again,     ///< what is computed a second time
    tensor,    ///< allreduces between tensor ranks
    hand_over, ///< activations and their gradients between stages
    bubble,    ///< stages that wait while the pipeline fills and drains
    gradients, ///< averaging gradients, as far as no computing hides it
    weights,   ///< gathering sharded weights, likewise
    optimizer, ///< the update
};
inline constexpr std::array parts{part::compute, part::again,     part::tensor,  part::hand_over,
                                  part::bubble,  part::gradients, part::weights, part::optimizer};

[[nodiscard]] constexpr std::string_view name_of(part p) noexcept {
    constexpr std::array<std::string_view, parts.size()> names{"compute", "recompute", "tensor",  "point-to-point",
                                                               "bubble",  "gradients", "weights", "optimizer"};
    return names[static_cast<std::size_t>(p)];
}

/// Seconds of a step, by where they go.
struct step_time {
    std::array<double, parts.size()> seconds{};

    [[nodiscard]] double& operator[](part p) noexcept { return seconds[static_cast<std::size_t>(p)]; }
    [[nodiscard]] double operator[](part p) const noexcept { return seconds[static_cast<std::size_t>(p)]; }
    [[nodiscard]] double total() const noexcept;
};

/// What a layout costs.
struct plan {
    layout how;
    step_time time;
    memory_use memory;              ///< of the GPU that needs most
    std::vector<int> ends{};        ///< of the pieces, in layers; piece k is on stage k modulo the pipeline
    double gradient_bytes = 0;      ///< of one GPU, that are averaged
    double gradient_call_bytes = 0; ///< of one call: all of them, or those of a layer where they are sharded
    group_price tensor_call{}, gradient_call{}; ///< an allreduce of a layer; one call that averages gradients

    [[nodiscard]] double step_s() const noexcept { return time.total(); }
};

/// What a plan takes for granted.
struct assumptions {
    /// Gradients are averaged, and weights gathered, while the last microbatch computes.
    bool overlap = true;
    /// Of a GPU's memory, what the libraries, their buffers and fragmentation leave.
    double usable_memory = 0.9;
};

/// A network on a cluster, for a batch of so many samples.
struct question {
    const network& net;
    const cluster& on;
    int batch = 1;
    assumptions given{};
};

/// The bytes of a GPU that a plan may take.
[[nodiscard]] inline double usable_bytes(const question& q) noexcept {
    return q.given.usable_memory * q.on.gpu.memory_bytes;
}

/// Whether the layout can be: its sizes divide the network, the nodes and the batch.
[[nodiscard]] bool is_possible(const layout& how, const question& q);

/// The step time of a layout with the best stages, or nothing where no stages have the memory. Precondition:
/// is_possible. `prices` are of the question's cluster; `at_most_s` is a step time that a plan must beat to matter.
[[nodiscard]] std::optional<plan> plan_of(const layout& how, const question& q, group_prices& prices, double at_most_s);

/// What a GPU of the layout needs at least, as if its layers could be cut into equal stages. Precondition: is_possible.
[[nodiscard]] memory_use least_memory(const layout& how, const question& q, group_prices& prices);

/// FLOP of matrix products of one sample, forward and backward; with all that full recomputation does again, as
/// Narayanan et al. 2021 count them in equation 3.
[[nodiscard]] double sample_flop(const network& net, bool recomputed);

} // namespace tutti::tools::planner
