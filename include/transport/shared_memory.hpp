// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#if __cplusplus < 202002L
#error "tutti needs C++20: compile with -std=c++20"
#endif

#include "backoff.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/session.hpp"
#include "shared_memory/fabric.hpp"
#include "shared_memory/options.hpp"
#include "transport.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti::transport {

namespace detail::shm {

/// One rank's control plane and data channels; stays where it is.
struct endpoint {
    endpoint(bootstrap::identity me, const shared_memory_limits& limits) : session(std::move(me)), data(limits) {
        const auto& mine = data.mine();
        const auto& world = session.join(session.data_address(), mine.file(), mine.key());
        const auto& self = world.members[static_cast<std::size_t>(session.who().rank)];
        for (const auto& m : world.members)
            if (m.host_id != self.host_id)
                bootstrap::bootstrap_failed("rank " + std::to_string(m.rank) + " runs on " + m.host + ", this one on " +
                                                self.host + ": shared memory does not reach that far",
                                            "use transport::routed or tcp, or one TUTTI_HOST where it is one host",
                                            m.rank);
        data.join(session.who().rank, world);
        crowded = world.crowded(session.who().rank);
    }

    bootstrap::session session;
    fabric data; // goes first: who hears that a rank has left may take it that all its data is there
    std::uint32_t seen_alarm = 0;
    int hurried_waits = 0; // left of those that look at the control plane soon
    bool crowded = false;
};

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
    using channel = fabric::channel;
    static constexpr medium near = medium::memory, far = medium::memory;

    /// Joins the world that the environment describes, see bootstrap::identity_from_environment(). Blocks until all
    /// ranks have come. Precondition on all ranks: the same size, rendezvous and secret, on one host. Throws a
    /// bootstrap error, and std::system_error where the system gives no memory.
    [[nodiscard]] static shared_memory from_environment(const shared_memory_limits& limits = {}) {
        return shared_memory(bootstrap::identity_from_environment(), limits);
    }

    /// The same for a rank that knows who it is.
    explicit shared_memory(bootstrap::identity me, const shared_memory_limits& limits = {})
        : it_(std::make_unique<detail::shm::endpoint>(std::move(me), limits)) {}

    [[nodiscard]] int rank() const noexcept { return it_->session.who().rank; }
    [[nodiscard]] int size() const noexcept { return it_->session.who().size; }
    [[nodiscard]] int node(int) const noexcept { return 0; }
    [[nodiscard]] bool crowded() const noexcept { return it_->crowded; }

    /// Symmetric memory: zeroed, aligned to pages, and mapped by peers that receive from it, who read and reduce it
    /// where it lies. Not collective; any thread; it may outlive the transport. 256 pieces of it a rank, beyond that it
    /// is memory as any other. Throws std::system_error.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const { return it_->data.allocate(bytes); }

    channel& open(context k, int peer) { return it_->data.open(k, peer); }
    void send(channel& c, transfer& x) { it_->data.send(c, x); }
    void receive(channel& c, transfer& x) { it_->data.receive(c, x); }
    [[nodiscard]] const std::byte* look(channel& c, const transfer& x) { return it_->data.look(c, x); }
    [[nodiscard]] bool release(channel& c, const transfer&) { return it_->data.release(c); }
    void close(context k) { it_->data.close(k); }
    bool progress() { return it_->data.progress(); }

    void wait(clock::time_point until) {
        auto& bell = it_->data.mine().top().bell;
        backoff pause(crowded());
        for (unsigned looks = 1;; ++looks) {
            if (it_->data.ready() || bell.answer()) return;
            if (looks % looks_a_clock == 0 && clock::now() >= until) return; // the clock takes as long as several looks
            if (!pause.rest()) break;
        }
        // Each channel now gets the peer's promise to ring, or turns out to be ready after all.
        if (it_->data.ask()) return;
        bell.sleep(std::min({until, it_->session.plane().next_tick(), clock::now() + longest_sleep()}));
    }
    void wake() noexcept { it_->data.mine().top().bell.ring(); }

    void tell(const notice& n) {
        it_->session.plane().tell(n);
        if (n.kind == notice_kind::abort) it_->data.raise_alarm();
    }
    [[nodiscard]] bool fetch(notice& n) { return it_->session.plane().fetch(n); }

    [[nodiscard]] std::optional<std::string> broken(int peer) { return it_->data.broken(peer); }
    [[nodiscard]] peer_name name_of(int peer) const {
        const auto& m = it_->session.table().members[static_cast<std::size_t>(peer)];
        return {m.host, "process " + std::to_string(m.pid)};
    }

private:
    static constexpr unsigned looks_a_clock = 16;

    /// A futex cannot wait for a socket too, so the control plane gets its looks between sleeps.
    [[nodiscard]] std::chrono::milliseconds longest_sleep() noexcept {
        constexpr int waits_in_hurry = 50;
        // Relaxed: a hint, the ring that follows it wakes.
        const auto alarm = it_->data.mine().top().alarm.load(std::memory_order_relaxed);
        if (alarm != std::exchange(it_->seen_alarm, alarm)) it_->hurried_waits = waits_in_hurry;
        return std::chrono::milliseconds{it_->hurried_waits > 0 && --it_->hurried_waits > 0 ? 1 : 20};
    }

    std::unique_ptr<detail::shm::endpoint> it_;
};

static_assert(viewing_transport<shared_memory>);

} // namespace tutti::transport
