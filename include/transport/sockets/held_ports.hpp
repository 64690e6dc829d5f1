// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "address.hpp"
#include "socket.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// Ports on which this process listens already, for a rendezvous that it has offered and not begun. A world of rank 0
/// takes its port out of here. What nobody takes stays held until the process ends. Any thread.
class TUTTI_SHARED held_ports {
public:
    /// That of this process. It is never destroyed, as own_descriptors.
    [[nodiscard]] static held_ports& list() {
        static held_ports& all = *new held_ports;
        return all;
    }

    void add(descriptor listening) {
        const std::lock_guard lock(mutex_);
        held_.push_back(std::move(listening));
    }

    /// The socket that listens exactly there; empty if none does.
    [[nodiscard]] descriptor take(const endpoint& where) {
        const std::lock_guard lock(mutex_);
        const auto found = find(where);
        if (found == held_.end()) return {};
        descriptor out = std::move(*found);
        held_.erase(found);
        return out;
    }

    /// False in a child of the process that made the offer: see own_descriptors.
    [[nodiscard]] bool holds(const endpoint& where) {
        const std::lock_guard lock(mutex_);
        return find(where) != held_.end();
    }

private:
    std::vector<descriptor>::iterator find(const endpoint& where) {
        const auto wanted = address::literal(where.host, where.port);
        if (!wanted) return held_.end();
        return std::find_if(held_.begin(), held_.end(),
                            [&](const descriptor& d) { return local_address(d.get()) == *wanted; });
    }

    std::mutex mutex_;
    std::vector<descriptor> held_;
};

} // namespace tutti::transport::bootstrap
