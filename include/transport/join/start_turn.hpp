// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../sockets/errors.hpp"
#include "identity.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

#include <unistd.h>

namespace tutti::transport::bootstrap {

/// Held while this process makes a world, as one rank at one rendezvous: threads that do so at once wait for each
/// other. So a rank never asks to join two worlds that both assemble, which nobody could tell apart.
class start_turn {
public:
    /// Waits for it; the time is taken off me.timeout. Throws a bootstrap error.
    TUTTI_COLD explicit start_turn(identity& me)
        : name_(std::to_string(::getpid()) + " " + std::to_string(me.rank) + " " + me.rendezvous.text()) {
        const std::chrono::milliseconds longest = std::chrono::hours(24);
        const auto until = std::chrono::steady_clock::now() + std::min(me.timeout, longest);
        std::unique_lock lock(all().mutex);
        if (!all().freed.wait_until(lock, until, [this] { return !all().taken.contains(name_); }))
            bootstrap_failed("rank " + std::to_string(me.rank) +
                                 ": another thread of this process still makes a world at " + me.rendezvous.text(),
                             "make worlds one after the other, on all ranks in the same order", me.rank);
        all().taken.insert(name_);
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        me.timeout = std::max(left, std::chrono::milliseconds(1));
    }
    start_turn(const start_turn&) = delete;
    start_turn& operator=(const start_turn&) = delete;
    TUTTI_COLD ~start_turn() {
        const std::lock_guard lock(all().mutex);
        all().taken.erase(name_);
        all().freed.notify_all();
    }

private:
    struct turns {
        std::mutex mutex;
        std::condition_variable freed;
        std::set<std::string> taken; // with the process, since a child has those of its parent
    };
    TUTTI_COLD static turns& all() {
        static turns& of_this_process = *new turns; // never destroyed, as own_descriptors
        return of_this_process;
    }
    std::string name_;
};

} // namespace tutti::transport::bootstrap
