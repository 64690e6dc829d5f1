// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../base/linkage.hpp"

#include "contract/any.hpp"
#include "fabrics/simulated/world.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport {

namespace detail {
class simulated_channel;
class simulated_ranks;
} // namespace detail

/// Ranks in virtual time: fibers of one thread, which run their programs as they are, over messages that take what a
/// machine's prices say. Computing takes no virtual time but what simulated_world::compute() says. Two runs of the same
/// program take the same steps in the same order.
///
/// Sends are complete when the sender's processor is done with them, as long as the channel keeps no more than
/// simulated_options::eager_bytes; beyond that when they were received. There are no views, and no
/// progress::by_waiters. A context that was closed may be opened again, as with `memory`.
class simulated {
public:
    /// As the table of the concept `transport` has it.
    /// @{
    using channel = detail::simulated_channel;
    static constexpr medium near = medium::memory, far = medium::network;
    /// @}

    /// Made by simulated_world::run().
    simulated(std::shared_ptr<simulated_world> world, int rank);
    /// Takes the place of the other one, which can only be destroyed.
    simulated(simulated&&) noexcept;
    simulated& operator=(simulated&&) = delete;
    ~simulated();

    /// As the tables of the concepts `transport`, `timed_transport` and `lingering_transport` have it.
    /// @{
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept;
    [[nodiscard]] int node(int peer) const noexcept;
    [[nodiscard]] bool crowded() const noexcept { return false; }
    [[nodiscard]] peer_name name_of(int peer) const;

    channel& open(context k, int peer);
    void send(channel& h, transfer& x);
    void receive(channel& h, transfer& x);
    void close(context k);
    bool progress();
    void wait(clock::time_point until);
    void wake();
    [[nodiscard]] clock::time_point now() const noexcept;
    [[nodiscard]] std::vector<untaken> leave(clock::time_point until);

    void tell(notice n);
    [[nodiscard]] bool fetch(notice& n);
    [[nodiscard]] std::optional<std::string> broken(int peer);
    /// @}

private:
    [[nodiscard]] bool is_exhausted(int peer) const;

    std::shared_ptr<detail::simulated_ranks> world_; ///< null when moved from
    int rank_;
    std::map<std::pair<context, int>, std::unique_ptr<channel>> ends_;
};

} // namespace tutti::transport

#if !defined(TUTTI_COMPILED)
#include "fabrics/simulated/simulated.ipp"
#else
extern template class tutti::transport::detail::held_transport<tutti::transport::simulated>;
#define TUTTI_OVER_SIMULATED // for collectives/implementation.hpp
#endif
