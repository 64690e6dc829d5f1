// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../process_fence.hpp"
#include "control.hpp"
#include "host.hpp"
#include "rendezvous.hpp"
#include "route.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// A rank's part in a world: the control connection, and on rank 0 the rendezvous behind it. To begin: construct,
/// listen for data at data_address(), join() with the port. Destroying it says `left`; on rank 0 that takes until the
/// others have left too, rendezvous::settings::linger at most.
class session {
public:
    /// Rank 0 starts listening; every rank connects, retrying until me.timeout. Throws a bootstrap error.
    explicit session(identity me) : me_(std::move(me)) {
        transport::detail::process_fence::prepare(); // before others can wait for this rank, and rank 0 has two threads
        if (me_.encrypt && !me_.key.configured())
            bootstrap_failed("data are to be encrypted, and there is no secret to make keys of",
                             "set TUTTI_SECRET or TUTTI_SECRET_FILE on every rank, or unset TUTTI_ENCRYPT");
        if (me_.rank == 0) {
            rendezvous::settings how;
            how.timeout = me_.timeout;
            how.encrypted = me_.encrypt;
            server_.emplace(me_.size, listening_addresses(me_), me_.key, how);
        }
        control_.emplace(me_, server_ ? std::optional(server_->bound()) : std::nullopt);
    }

    [[nodiscard]] const identity& who() const noexcept { return me_; }
    [[nodiscard]] control& plane() noexcept { return *control_; }
    [[nodiscard]] const world_table& table() const noexcept { return control_->table(); }

    /// The number of the host that a rank runs on, see world_table::nodes(). Only after join().
    [[nodiscard]] int node(int rank) const noexcept { return nodes_[static_cast<std::size_t>(rank)]; }

    /// Where to listen for data; the port is 0. Throws a bootstrap error that lists the candidates.
    [[nodiscard]] address data_address() {
        try {
            return bootstrap::data_address(me_, control_->route());
        } catch (const error& e) {
            control_->give_up(e.facts().detail); // the others need not wait
            throw;
        }
    }

    /// Tells everyone where this rank listens for data, and how its fabrics are reached; waits for all of them. Throws
    /// a bootstrap error.
    const world_table& join(const address& data, std::vector<fabric_card> cards = {}) {
        member mine = me_.host.empty() ? this_process() : this_process(me_.host);
        mine.address = data.host();
        mine.port = data.port();
        mine.cards = std::move(cards);
        const world_table& all = control_->join(std::move(mine));
        nodes_ = all.nodes();
        return all;
    }

private:
    identity me_;
    std::optional<rendezvous> server_; // outlives the connection to it
    std::optional<control> control_;
    std::vector<int> nodes_; // by rank
};

} // namespace tutti::transport::bootstrap
