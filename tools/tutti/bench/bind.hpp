// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"

#include <collectives/any_communicator.hpp>
#include <collectives/collectives.hpp>
#include <collectives/machine.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace tutti::tools {

/// The call that a job describes. A copy of a premultiplied sum's factor goes with it, and the lengths of parts.
struct described_call {
    runtime_call call;
    std::array<std::byte, sizeof(double)> factor{};
    std::vector<std::size_t> counts{}; ///< of an alltoall those sent, and received; empty: parts are equal

    /// Valid while this object stays where it is.
    [[nodiscard]] const runtime_call& ready() noexcept {
        call.factor = factor.data();
        if (!counts.empty()) call.counts = runtime_counts{.of_ranks = counts, .received = counts};
        return call;
    }
};
[[nodiscard]] described_call describe(const job& what, const buffers& where);

/// The call that the job describes, on this communicator.
[[nodiscard]] call bind(const any_communicator& world, const job& what, const buffers& where);

/// Binds jobs without messages to this communicator; jobs of all kinds.
/// @{
[[nodiscard]] binder collective_binder_of(any_communicator world);
[[nodiscard]] binder binder_of(any_communicator world);
/// @}

/// Starts jobs on this communicator: collectives and barriers; these and sendrecv.
/// @{
[[nodiscard]] start_binder collective_starter_of(any_communicator world);
[[nodiscard]] start_binder starter_of(any_communicator world);
/// @}

/// Records calls on this communicator.
[[nodiscard]] recorder recorder_of(any_communicator world);

/// The communicator that is measured: it chooses by the machine, if the settings have one. Collective.
[[nodiscard]] any_communicator make_world(transport::any fabric, const bench_settings& settings);

/// Buffers as the settings want them.
[[nodiscard]] allocator allocator_of(any_communicator world, const bench_settings& settings);

} // namespace tutti::tools
