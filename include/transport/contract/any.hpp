// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "transport.hpp"

namespace tutti::transport {

/// Stands for a transport that is known only when the program runs: a communicator over it is type-erased, see
/// any_communicator. There are no objects of it, and its functions have no bodies.
class any {
public:
    any() = delete;

    class channel; ///< to and from another rank

    /// As the table of the concept `transport` has it.
    /// @{
    static constexpr medium near = medium::memory;
    static constexpr medium far = medium::network;
    [[nodiscard]] int rank() const;
    [[nodiscard]] int size() const;
    [[nodiscard]] int node(int peer) const;
    [[nodiscard]] bool crowded() const;
    [[nodiscard]] channel& open(context k, int peer);
    void send(channel& h, transfer& x);
    void receive(channel& h, transfer& x);
    [[nodiscard]] bool progress();
    void wait(clock::time_point until);
    void wake();
    void close(context k);
    void tell(notice n);
    [[nodiscard]] bool fetch(notice& n);
    [[nodiscard]] std::optional<std::string> broken(int peer);
    [[nodiscard]] peer_name name_of(int peer) const;
    /// @}
};

static_assert(transport<any>);

} // namespace tutti::transport
