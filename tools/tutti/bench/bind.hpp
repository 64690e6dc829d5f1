// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"
#include "bind_exchange.hpp"

#include <collectives/any_communicator.hpp>
#include <collectives/collectives.hpp>
#include <collectives/machine.hpp>

#include <array>
#include <cstddef>
#include <utility>
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

/// Binds jobs without messages.
template <class Communicator>
[[nodiscard]] binder collective_binder_of(const Communicator& world) {
    return [erased = type_erased(world)](const job& what, const buffers& where) { return bind(erased, what, where); };
}

/// Binds jobs to this communicator, which must outlive their calls.
template <class Communicator>
[[nodiscard]] binder binder_of(const Communicator& world) {
    return [collectives = collective_binder_of(world), &world](const job& what, const buffers& where) {
        return what.messages ? bind_exchange(world, what, where) : collectives(what, where);
    };
}

/// The communicator that is measured: it chooses by the machine, if the settings have one. Collective.
template <class Transport>
[[nodiscard]] communicator<Transport> make_world(Transport fabric, const bench_settings& settings) {
    const progress by = settings.in_thread ? progress::in_thread : progress::in_calls;
    if (settings.machine) return communicator<Transport>{std::move(fabric), *settings.machine, by};
    return communicator<Transport>{std::move(fabric), by};
}

/// Buffers as the settings want them.
template <class Communicator>
[[nodiscard]] allocator allocator_of(const Communicator& world, const bench_settings& settings) {
    if (settings.memory != memory_kind::symmetric) return host_allocator_of(settings);
    return [&world](std::size_t bytes) { return world.template allocate<std::byte>(bytes); };
}

} // namespace tutti::tools
