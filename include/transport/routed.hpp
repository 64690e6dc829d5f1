// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#if __cplusplus < 202002L
#error "tutti needs C++20: compile with -std=c++20"
#endif

#include "bootstrap/environment.hpp"
#include "routed/endpoint.hpp"
#include "shared_memory.hpp"
#include "tcp.hpp"
#include "transport.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti::transport {

/// Ranks on any number of hosts: those of one host over Near, all others over Far, as in
/// `routed<shared_memory, tcp>::from_environment()`. What Near and Far say of themselves holds for their messages.
///
/// - Ranks share a host if they run on one kernel under one host name, or under one name that the launcher gave them
///   (TUTTI_HOST). Those that do must run as one user in one process namespace; they may be in different network
///   namespaces. Between hosts nothing is needed but TCP.
/// - One world, one control plane: what is said of faults holds whichever way they come.
/// - Waiting spins briefly on both ways, yields (at once when ranks outnumber cores), and then sleeps in poll(2), also
///   where only messages of this host are waited for.
/// - Takes what Near and Far take together, and two more descriptors and one for each peer of this host.
template <class Near, class Far>
class routed {
    static_assert(
        requires {
            requires ringing_fabric<typename Near::fabric>;
            requires polling_fabric<typename Far::fabric>;
        }, "tutti: routed<Near, Far> goes over shared_memory within a host and over tcp between hosts");
    using endpoint = detail::routed_endpoint<typename Near::fabric, typename Far::fabric>;

public:
    using channel = typename endpoint::channel;
    static constexpr medium near = Near::near, far = Far::far;

    /// Joins the world that the environment describes, see bootstrap::identity_from_environment(). Blocks until all
    /// ranks have come. Precondition on all ranks: the same size, rendezvous and secret. Throws a bootstrap error, and
    /// std::system_error where the system gives no memory.
    [[nodiscard]] static routed from_environment(const typename Near::limits& within_host = {},
                                                 const typename Far::limits& between_hosts = {}) {
        return routed(bootstrap::identity_from_environment(), within_host, between_hosts);
    }

    /// The same for a rank that knows who it is. Precondition on all ranks: as Far has it for its limits.
    explicit routed(bootstrap::identity me, const typename Near::limits& within_host = {},
                    const typename Far::limits& between_hosts = {})
        : it_(std::make_unique<endpoint>(std::move(me), within_host, Far::fabric::checked(between_hosts))) {}

    [[nodiscard]] int rank() const noexcept { return it_->session().who().rank; }
    [[nodiscard]] int size() const noexcept { return it_->session().who().size; }
    [[nodiscard]] int node(int peer) const noexcept { return it_->session().node(peer); }
    [[nodiscard]] bool crowded() const noexcept { return it_->crowded(); }

    /// Symmetric memory, which peers of this host reach, as Near has it; to others it is memory as any other.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const { return it_->near().allocate(bytes); }

    channel& open(context k, int peer) { return it_->open(k, peer); }
    void send(channel& c, transfer& x) { it_->send(c, x); }
    void receive(channel& c, transfer& x) { it_->receive(c, x); }
    /// Only messages of this host are ever viewed.
    [[nodiscard]] const std::byte* look(channel& c, const transfer& x) { return it_->near().look(*c.near, x); }
    [[nodiscard]] bool release(channel& c, const transfer&) { return it_->near().release(*c.near); }
    void close(context k) { it_->close(k); }
    bool progress() { return it_->progress(); }

    void wait(clock::time_point until) { it_->wait(until); }
    void wake() noexcept { it_->near().wake(); }

    void tell(const notice& n) { it_->session().plane().tell(n); }
    [[nodiscard]] bool fetch(notice& n) { return it_->fetch(n); }

    [[nodiscard]] std::optional<std::string> broken(int peer) { return it_->broken(peer); }
    [[nodiscard]] peer_name name_of(int peer) const {
        const auto& m = it_->session().table().members[static_cast<std::size_t>(peer)];
        if (it_->is_near(peer)) return {m.host, "process " + std::to_string(m.pid)};
        return {m.host, bootstrap::endpoint{m.address, m.port}.text()};
    }

private:
    std::unique_ptr<endpoint> it_;
};

static_assert(viewing_transport<routed<shared_memory, tcp>>);

} // namespace tutti::transport
