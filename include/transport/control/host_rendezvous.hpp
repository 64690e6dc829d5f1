// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../join/identity.hpp"
#include "../sockets/address.hpp"
#include "../sockets/socket.hpp"

#include <chrono>
#include <memory>

namespace tutti::transport::bootstrap {

struct rendezvous_settings {
    std::chrono::milliseconds timeout{60'000}; ///< for all ranks to come
    std::chrono::milliseconds linger{2'000};
    std::chrono::milliseconds stranger_time{5'000}; ///< for the proof, and again for the request to join
    /// When the user is told for the first time which ranks are missing. Then again when the wait has doubled.
    std::chrono::milliseconds first_word{5'000};
    bool any_port = false;  ///< allow port 0: the system picks one, see bound()
    bool encrypted = false; ///< rank 0 encrypts its data; the others must too, or all do not
};

/// Hosts the rendezvous of rank 0, for as long as the result lives: the address at which it is bound. `zero`: the other
/// end of rank 0's own connection. Throws a bootstrap error.
///
/// Header-only, a program has this where one of its sources includes transport/rendezvous.hpp; else it is null.
#if !defined(TUTTI_COMPILED)
[[gnu::weak]]
#endif
std::shared_ptr<const address>
host_rendezvous(const identity& me, descriptor zero);

} // namespace tutti::transport::bootstrap
