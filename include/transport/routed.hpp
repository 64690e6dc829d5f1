// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#if __cplusplus < 202002L
#error "tutti needs C++20: compile with -std=c++20"
#endif

#include "shared_memory.hpp"
#include "tcp.hpp"
#include "transport.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace tutti::transport {

namespace detail {
template <class Near, class Far>
class routed_endpoint;

/// One end of a message stream, on one of the two ways: the other pointer is null.
template <class Near, class Far>
struct routed_channel {
    Near* near = nullptr;
    Far* far = nullptr;
};
} // namespace detail

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
    using endpoint = detail::routed_endpoint<typename Near::fabric, typename Far::fabric>;

public:
    using channel = detail::routed_channel<typename Near::channel, typename Far::channel>;
    static constexpr medium near = Near::near, far = Far::far;
    static_assert(near == medium::memory && far == medium::network,
                  "tutti: routed<Near, Far> goes over shared_memory within a host and over tcp between hosts");

    /// Joins the world that the environment describes, see bootstrap::identity_from_environment(). Blocks until all
    /// ranks have come. Precondition on all ranks: the same size, rendezvous and secret. Throws a bootstrap error, and
    /// std::system_error where the system gives no memory.
    [[nodiscard]] static routed from_environment(const typename Near::limits& within_host = {},
                                                 const typename Far::limits& between_hosts = {});

    /// The same for a rank that knows who it is. Precondition on all ranks: as Far has it for its limits.
    explicit routed(bootstrap::identity me, const typename Near::limits& within_host = {},
                    const typename Far::limits& between_hosts = {});
    routed(routed&&) noexcept;
    routed& operator=(routed&&) noexcept;
    ~routed();

    [[nodiscard]] int rank() const noexcept;
    [[nodiscard]] int size() const noexcept;
    [[nodiscard]] int node(int peer) const noexcept;
    [[nodiscard]] bool crowded() const noexcept;

    /// Symmetric memory, which peers of this host reach, as Near has it; to others it is memory as any other.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const;

    channel& open(context k, int peer);
    void send(channel& c, transfer& x);
    void receive(channel& c, transfer& x);
    /// Only messages of this host are ever viewed.
    [[nodiscard]] const std::byte* look(channel& c, const transfer& x);
    [[nodiscard]] bool release(channel& c, const transfer&);
    void close(context k);
    bool progress();
    void wait(clock::time_point until);
    void wake() noexcept;

    void tell(const notice& n);
    [[nodiscard]] bool fetch(notice& n);
    [[nodiscard]] std::optional<std::string> broken(int peer);
    [[nodiscard]] peer_name name_of(int peer) const;

private:
    std::unique_ptr<endpoint> it_;
};

static_assert(viewing_transport<routed<shared_memory, tcp>>);

} // namespace tutti::transport

#if !defined(TUTTI_COMPILED)
#include "routed.ipp"
#endif
