// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "communicator.hpp"

namespace tutti {

/// A communicator of any transport. Code that takes it is compiled once, however many transports a program has. It is
/// made by type_erased(), or over a transport::any, and has all that others have. Cost: none beyond what other
/// communicators cost.
using any_communicator = communicator<transport::any>;

/// A handle of the same communicator whose transport the compiler does not know. Calls by either handle belong to its
/// one sequence of calls. It has the deadline and the executor of `world`. Not collective.
///
/// @snippet reference.cpp type_erased
template <transport::transport Transport>
[[nodiscard]] any_communicator type_erased(const communicator<Transport>& world) {
    return detail::access::as<any_communicator>(world);
}

} // namespace tutti
