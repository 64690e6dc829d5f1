// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "communicator.hpp"
#include "engine/any_membership.hpp"

#include <memory>

namespace tutti {

/// A communicator of any transport. Code that takes it is compiled once, however many transports a program has: for
/// large code that makes few calls in a millisecond. It is made by type_erased(), and has all that others have. Cost: a
/// virtual call each time that it calls the engine, and an allocation of some ten bytes for each collective.
using any_communicator = communicator<transport::any>;

/// A handle of the same communicator whose transport the compiler does not know. Calls by either handle belong to its
/// one sequence of calls. It has the deadline and the executor of `world`. Not collective.
///
/// @snippet reference.cpp type_erased
template <transport::transport Transport>
[[nodiscard]] any_communicator type_erased(const communicator<Transport>& world) {
    return detail::access::over<any_communicator>(
        world, [](const auto& in) { return std::make_shared<engine::erased_membership<Transport>>(in); });
}

} // namespace tutti
