// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "any_world.hpp"
#include "bench.hpp"
#include "bind_exchange.hpp"

#include <collectives/machine.hpp>

#include <utility>

namespace tutti::tools {

/// The call that the job describes, on this communicator.
[[nodiscard]] call bind(const any_world& world, const job& what, const buffers& where);

/// Binds jobs to this communicator, which must outlive their calls.
template <class Communicator>
[[nodiscard]] binder binder_of(const Communicator& world) {
    return [erased = any_world(world), &world](const job& what, const buffers& where) {
        return what.messages ? bind_exchange(world, what, where) : bind(erased, what, where);
    };
}

/// The communicator that is measured: it chooses by the machine, if the settings have one. Collective.
template <class Transport>
[[nodiscard]] communicator<Transport> make_world(Transport fabric, const bench_settings& settings) {
    if (settings.machine) return communicator<Transport>{std::move(fabric), *settings.machine};
    return communicator<Transport>{std::move(fabric)};
}

/// Buffers as the settings want them.
template <class Communicator>
[[nodiscard]] allocator allocator_of(const Communicator& world, const bench_settings& settings) {
    if (!settings.symmetric) return plain_allocator;
    return [&world](std::size_t bytes) { return world.template allocate<std::byte>(bytes); };
}

} // namespace tutti::tools
