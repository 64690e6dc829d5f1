// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../base/linkage.hpp"
#include "../base/own_process.hpp"

#include "contract/any.hpp"
#include "fabrics/memory/world.hpp"
#include "world/backoff.hpp"
#include "world/busy_channels.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti::transport {

namespace detail {
class memory_channel;
class memory_ranks;
struct memory_channel_end;
} // namespace detail

/// Ranks are threads of one process: the reference model of the contract in transport.hpp.
///
/// Messages of up to 2 KiB are copied into a slot of the channel, and their sends are then complete; larger ones are
/// read by the receiver straight from the sender's memory, once, whether it keeps or reduces them. Each channel has 16
/// slots in each direction, in which at most 32 KiB of completed sends wait for their receives; no message allocates.
/// Every message can be viewed, and one of more than 512 bytes answered where it lies, for which it is not copied.
///
/// A context that was closed may be opened again: a channel of it is a new one then, met by the peer when it has
/// closed its old one too.
class memory {
public:
    /// As the table of the concept `transport` has it.
    /// @{
    using channel = detail::memory_channel;
    static constexpr medium near = medium::memory, far = medium::memory;
    static constexpr bool reads_in_place = true;
    /// @}

    /// Takes the place of rank `rank`. Throws `error` (invalid_argument) when there is none or it has been taken.
    memory(std::shared_ptr<memory_world> world, int rank);
    /// Takes the place of the other one, which can only be destroyed or assigned to.
    memory(memory&&) noexcept;
    /// Leaves its own place first.
    memory& operator=(memory&& other) noexcept;
    /// Leaves its place. In a child of the process that has made this, does nothing.
    ~memory();

    /// Throws invalid_argument in such a child.
    void require_own() const { process_.require_this(); }

    /// As the tables of the concepts `transport` and `viewing_transport` have it.
    /// @{
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept;
    [[nodiscard]] int node(int) const noexcept { return 0; }
    [[nodiscard]] bool crowded() const noexcept;
    [[nodiscard]] peer_name name_of(int peer) const;

    channel& open(context k, int peer);
    void send(channel& h, transfer& x);
    void receive(channel& h, transfer& x);
    [[nodiscard]] const std::byte* look(channel& h, const transfer&);
    [[nodiscard]] bool release(channel& h, const transfer&);
    [[nodiscard]] bool answer(channel& h, std::size_t offset, const std::byte* from, std::size_t bytes);
    void close(context k);
    bool progress();
    void wait(clock::time_point until);
    void wake();

    void tell(notice n);
    [[nodiscard]] bool fetch(notice& n);
    [[nodiscard]] std::optional<std::string> broken(int peer);
    /// @}

private:
    [[nodiscard]] bool is_alive() const noexcept;
    template <class Predicate>
    [[nodiscard]] bool any_busy(Predicate holds) const;
    [[nodiscard]] bool is_exhausted(int peer) const;

    tutti::detail::own_process process_;
    std::shared_ptr<detail::memory_ranks> world_; ///< null when moved from
    int rank_;
    std::map<std::pair<context, int>, std::unique_ptr<detail::memory_channel_end>> ends_;
    detail::busy_channels<channel> busy_;
    backoff pause_{false};
};

static_assert(viewing_transport<memory>);

} // namespace tutti::transport

#if !defined(TUTTI_COMPILED)
#include "fabrics/memory/memory.ipp"
#else
extern template class tutti::transport::detail::held_transport<tutti::transport::memory>;
#define TUTTI_OVER_MEMORY // for collectives/implementation.hpp
#endif
