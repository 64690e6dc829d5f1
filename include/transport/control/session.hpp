// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/members.hpp"
#include "../contract/notice.hpp"
#include "../contract/transport.hpp"
#include "../join/identity.hpp"

#include <memory>
#include <vector>

namespace tutti::transport::status {
struct page;
}

namespace tutti::transport::bootstrap {

class address;
class control;

/// A rank's part in a world: the control connection, and on rank 0 the rendezvous behind it. To begin: construct,
/// listen for data at data_address(), join() with the port. Destroying it says `left`; on rank 0 that takes until the
/// others have left too, rendezvous_thread::settings::linger at most.
class session {
public:
    /// Rank 0 starts listening; every rank connects, retrying until me.timeout. Throws a bootstrap error.
    explicit session(identity me);
    ~session();

    [[nodiscard]] const identity& who() const noexcept { return me_; }
    [[nodiscard]] const world_table& table() const noexcept { return *table_; }
    /// The number of the host that a rank runs on, see world_table::nodes(). Only after join().
    [[nodiscard]] int node(int rank) const noexcept { return nodes_[static_cast<std::size_t>(rank)]; }

    /// Where to listen for data; the port is 0. Throws a bootstrap error that lists the candidates.
    [[nodiscard]] address data_address();
    /// Tells everyone where this rank listens for data, and how its fabrics are reached; waits for all of them. Throws
    /// a bootstrap error.
    const world_table& join(const address& data, std::vector<fabric_card> cards = {});

    /// From now on this rank tells other processes of its user what it does, if it may: last of all, once it has
    /// joined, since it can do without.
    void publish_page();
    /// Where it tells so; null if it does not.
    [[nodiscard]] status::page* status_page() noexcept;

    // The control connection: see control. What outside asks about this rank is answered by fetch().
    void tell(const notice& n);
    [[nodiscard]] bool fetch(notice& n);
    [[nodiscard]] int descriptor() const noexcept;
    [[nodiscard]] bool wants_write() const noexcept;
    [[nodiscard]] bool gone() const noexcept;
    [[nodiscard]] clock::time_point next_tick() const;
    [[nodiscard]] control& plane() noexcept;

private:
    struct connections;

    identity me_;
    std::unique_ptr<connections> open_;
    const world_table* table_;
    std::vector<int> nodes_; // by rank
};

} // namespace tutti::transport::bootstrap
