// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../../transport/contract/any.hpp"
#include "../../transport/contract/notice.hpp"
#include "group.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace tutti::engine {

/// Before the transport is destroyed: waits until peers have taken the data of completed sends, and says on standard
/// error which data may be lost at `until`. A peer that is known to be `gone(peer)` loses nothing more.
template <class Gone>
void leave(transport::any& t, transport::clock::time_point until, Gone gone) noexcept {
    try {
        for (const auto& [peer, bytes] : t.leave(until)) {
            if (gone(peer)) continue;
            const std::string text = "tutti: rank " + std::to_string(t.rank()) + " has left, and " +
                                     std::to_string(bytes) + " bytes that it had sent to rank " + std::to_string(peer) +
                                     " may be lost: they were not received before its last call's deadline; a "
                                     "barrier() at the end keeps ranks together\n";
            std::fputs(text.c_str(), stderr);
        }
    } catch (const std::exception&) { // without memory to say so
    }
}

/// How many calls this rank has made on each communicator that it has closed, and the last of them. No message shows
/// that the last calls of all did not match: the coordinator compares them when ranks leave.
class closed_communicators {
public:
    /// A failure has been told already, unless all that is known is that a peer is gone. Past most_past_calls the
    /// oldest is forgotten; without memory this one is.
    TUTTI_COLD void add(const group& g, const call_sequence& made) noexcept {
        if (made.next == 0 || g.size() == 1 || (g.failure && g.failure->why != cause::lost_peer)) return;
        try {
            const auto* last = g.done_before(made.next - 1);
            if (all_.size() == transport::most_past_calls) all_.erase(all_.begin());
            std::string words = last        ? in_words(*last->what) + g.name
                                : g.failure ? g.failure->operation
                                            : std::string();
            all_.push_back({g.id, made.next, made.signature, std::move(words)});
        } catch (const std::exception&) {
        }
    }

    /// Before the transport goes.
    void tell(transport::any& t) noexcept {
        if (all_.empty()) return;
        try {
            transport::notice n;
            n.kind = transport::notice_kind::closing;
            n.rank = t.rank();
            n.calls = std::move(all_);
            t.tell(std::move(n));
        } catch (const std::exception&) {
        }
    }

private:
    std::vector<transport::past_call> all_;
};

} // namespace tutti::engine
