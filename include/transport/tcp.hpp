// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#if __cplusplus < 202002L
#error "tutti needs C++20: compile with -std=c++20"
#endif

#include <collectives/linkage.hpp>

#include "tcp/options.hpp"
#include "transport.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tutti::transport {

namespace bootstrap {
struct identity;
}
namespace detail::tcp {
struct endpoint;
class fabric;
class channel;
} // namespace detail::tcp

/// Ranks anywhere, over TCP: IPv4 or IPv6, on the interface of the route to the rendezvous unless told otherwise.
///
/// - Everything happens in the calls of the one thread that drives it; rank 0 alone has a second thread, for the
///   rendezvous, which is on no data path.
/// - Connections are made when a context first needs them, by the lower rank; both ranks must open a channel before
///   they are. All contexts of two ranks share their connection (or its lanes). A peer is let in only after it has
///   proven to know the secret.
/// - A send completes when the kernel has all of it. Without a receive it gets at most tcp_limits::window_bytes ahead,
///   in each channel.
/// - A plain receive of 16 KiB or more is read straight to its place, but for the beginning of each message; all else
///   passes through a landing buffer that stays in the cache. The reducer gets its pieces in order, on any number of
///   lanes.
/// - A context that was closed may be opened again only when both sides have closed it after all that was sent in it
///   had been received, and each knows that of the other: the wire cannot tell the old one from the new.
/// - Memory: per rank tcp_limits::landing_bytes, per connection some kilobytes beside the kernel's buffers, per channel
///   some hundred bytes, and up to the window once messages come before their receives.
class tcp {
public:
    using fabric = detail::tcp::fabric;
    using limits = tcp_limits;
    using channel = detail::tcp::channel;
    static constexpr medium near = medium::network, far = medium::network;

    /// Joins the world that the environment describes, see bootstrap::identity_from_environment(). Blocks until all
    /// ranks have come. Precondition on all ranks: the same size, rendezvous and secret. Throws a bootstrap error.
    [[nodiscard]] static tcp from_environment(const tcp_limits& how = {});

    /// The same for a rank that knows who it is. Precondition on all ranks: equal window_bytes.
    explicit tcp(bootstrap::identity me, const tcp_limits& how = {});
    tcp(tcp&&) noexcept;
    tcp& operator=(tcp&&) noexcept;
    ~tcp();

    [[nodiscard]] int rank() const noexcept;
    [[nodiscard]] int size() const noexcept;
    [[nodiscard]] int node(int peer) const noexcept;
    [[nodiscard]] bool crowded() const noexcept;

    channel& open(context k, int peer);
    void send(channel& c, transfer& x);
    void receive(channel& c, transfer& x);
    void close(context k);
    bool progress();
    void wait(clock::time_point until);
    void wake() noexcept;

    void tell(const notice& n);
    bool fetch(notice& n);
    [[nodiscard]] std::optional<std::string> broken(int peer) const;
    [[nodiscard]] peer_name name_of(int peer) const;

private:
    void sleep(clock::time_point until);

    std::unique_ptr<detail::tcp::endpoint> it_;
};

static_assert(transport<tcp>);

} // namespace tutti::transport

#if !defined(TUTTI_COMPILED)
#include "tcp.ipp"
#endif
