// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti::tools::planner {

/// What is computed a second time in the backward pass rather than kept.
enum class recompute : std::uint8_t {
    nothing,
    core, ///< the attention's scores. Source: Korthikanti et al. 2022, section 5
    all,  ///< whole layers, from their inputs. Source: Chen et al. 2016
};
inline constexpr std::array recomputes{recompute::nothing, recompute::core, recompute::all};

[[nodiscard]] constexpr std::string_view name_of(recompute r) noexcept {
    constexpr std::array<std::string_view, 3> names{"nothing", "attention", "all"};
    return names[static_cast<std::size_t>(r)];
}

/// How a network is laid out on GPUs. Neighbours are first of one tensor group, then of one data group, then of one
/// pipeline.
struct layout {
    int data = 1;     ///< replicas, which average their gradients
    int tensor = 1;   ///< ranks that share each layer
    int pipeline = 1; ///< stages
    int zero = 0;     ///< sharded among replicas: 1 optimizer states, 2 also gradients, 3 also weights
    int samples = 1;  ///< of a microbatch, on one replica
    int chunks = 1;   ///< of each stage: 2 and more interleave the pipeline
    recompute again = recompute::nothing;

    [[nodiscard]] constexpr int gpus() const noexcept { return data * tensor * pipeline; }
    [[nodiscard]] constexpr int microbatches(int batch) const noexcept { return batch / (data * samples); }
    friend bool operator==(const layout&, const layout&) = default;
};

} // namespace tutti::tools::planner
