// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#if __cplusplus < 202002L
#error "tutti needs C++20: compile with -std=c++20"
#endif

#include <collectives/linkage.hpp>

#include "shared_memory/options.hpp"
#include "transport.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace tutti::transport {

namespace bootstrap {
struct identity;
}
namespace detail::shm {
struct endpoint;
class fabric;
class channel;
} // namespace detail::shm

/// Ranks that are processes of one host, over memory that they share.
///
/// - Small messages lie beside their flag, in one cache line up to 24 bytes; no system call unless somebody sleeps.
///   Parts of up to 16 KiB go through 16 slots of each channel and direction; a send completes when all of it has been
///   copied there, at most 256 KiB ahead of the receives.
/// - Messages in symmetric memory (see allocate) are read or reduced where they lie, from
///   shared_memory_limits::lend_symmetric_bytes on. Others of lend_bytes and more, which is none unless set, are read
///   straight from the sender's memory (process_vm_readv) where the kernel allows it; each rank tries that once with
///   each peer. All the rest goes through the slots. What lies in symmetric memory or in one slot can be viewed.
/// - Waiting spins briefly, yields (at once when ranks outnumber cores), and then sleeps on a futex. The control plane
///   is looked at at least every 20 ms, every millisecond when a rank of this host has raised the alarm.
/// - The shared memory has no name: nothing of it stays, however the processes end, and it is not bounded by the size
///   of /dev/shm. Each rank finds the others' through /proc, so all must run as one user in one process namespace.
/// - A context that was closed may be opened again when both sides have closed it. close() waits a tenth of a second at
///   most for a peer that reads symmetric memory in place; one that has not done by then delivers nothing.
/// - Memory: half a MiB a rank; for each channel and direction 4 KiB, and up to 256 KiB once larger messages pass.
class shared_memory {
public:
    using fabric = detail::shm::fabric;
    using limits = shared_memory_limits;
    using channel = detail::shm::channel;
    static constexpr medium near = medium::memory, far = medium::memory;

    /// Joins the world that the environment describes, see bootstrap::identity_from_environment(). Blocks until all
    /// ranks have come. Precondition on all ranks: the same size, rendezvous and secret, on one host. Throws a
    /// bootstrap error, and std::system_error where the system gives no memory.
    [[nodiscard]] static shared_memory from_environment(const shared_memory_limits& how = {});

    /// The same for a rank that knows who it is.
    explicit shared_memory(bootstrap::identity me, const shared_memory_limits& how = {});
    shared_memory(shared_memory&&) noexcept;
    shared_memory& operator=(shared_memory&&) noexcept;
    ~shared_memory();

    [[nodiscard]] int rank() const noexcept;
    [[nodiscard]] int size() const noexcept;
    [[nodiscard]] int node(int) const noexcept { return 0; }
    [[nodiscard]] bool crowded() const noexcept;

    /// Symmetric memory: zeroed, aligned to pages, and mapped by peers that receive from it, who read and reduce it
    /// where it lies. Not collective; any thread; it may outlive the transport. 256 pieces of it a rank, beyond that it
    /// is memory as any other. Throws std::system_error.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const;

    channel& open(context k, int peer);
    void send(channel& c, transfer& x);
    void receive(channel& c, transfer& x);
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
    [[nodiscard]] std::chrono::milliseconds longest_sleep() noexcept;

    std::unique_ptr<detail::shm::endpoint> it_;
};

static_assert(viewing_transport<shared_memory>);

} // namespace tutti::transport

#if !defined(TUTTI_COMPILED)
#include "shared_memory.ipp"
#endif
