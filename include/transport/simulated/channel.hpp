// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../transport.hpp"
#include "options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

class simulated_channel;

/// A transfer on the way to its completion. The channel forgets it by setting it null when the context is closed.
struct simulated_job {
    simulated_channel* of = nullptr;
    transfer* what = nullptr;
};

/// A message that has left.
struct simulated_message {
    std::vector<std::byte> kept;         ///< its data, if the sender has its memory back
    std::shared_ptr<simulated_job> lent; ///< else the send, which completes when the message is received
    std::size_t bytes = 0;
    std::uint64_t signature = 0;
    message_price price;
    bool is_here = false; ///< the port has taken it in

    /// The sender has closed the context meanwhile, and taken its memory back.
    [[nodiscard]] bool is_withdrawn() const noexcept { return lent && !lent->what; }
    [[nodiscard]] const std::byte* data() const noexcept { return lent ? lent->what->from : kept.data(); }
};

/// The way from one rank to another in one context.
struct simulated_way {
    std::deque<std::shared_ptr<simulated_message>> messages; ///< that have left, and are not being received
    std::size_t kept_bytes = 0;                              ///< of messages whose sends are complete
    simulated_channel* receiver = nullptr;                   ///< null: not opened, or closed again
};

/// Both ways between two ranks in one context, and which of the two have opened and closed it: [0] the lower rank, or
/// the way from it.
struct simulated_line {
    std::array<simulated_way, 2> ways;
    std::array<bool, 2> closed{};
};

/// One rank's end of a line.
class simulated_channel {
public:
    simulated_channel(std::shared_ptr<simulated_line> l, int self, int other)
        : line(std::move(l)), peer(other), side(self < other ? 0 : 1) {
        in().receiver = this;
    }
    simulated_channel(const simulated_channel&) = delete;
    simulated_channel& operator=(const simulated_channel&) = delete;
    /// Forgets all transfers, and drops what has come.
    ~simulated_channel() {
        for (const auto& j : jobs_) j->what = nullptr;
        in().receiver = nullptr;
        in().messages.clear();
        line->closed[side] = true;
    }

    [[nodiscard]] simulated_way& out() noexcept { return line->ways[side]; }
    [[nodiscard]] simulated_way& in() noexcept { return line->ways[1 - side]; }

    /// A transfer is under way until finish().
    std::shared_ptr<simulated_job> begin(transfer& x) {
        jobs_.push_back(std::make_shared<simulated_job>(simulated_job{this, &x}));
        return jobs_.back();
    }
    void finish(const simulated_job& j) {
        std::erase_if(jobs_, [&](const auto& mine) { return mine.get() == &j; });
    }
    [[nodiscard]] bool busy() const noexcept { return !jobs_.empty(); }
    /// A message is under way from the peer, is there, or is being received.
    [[nodiscard]] bool has_more() noexcept {
        return being_received > 0 || (!in().messages.empty() && !in().messages.front()->is_withdrawn());
    }

    const std::shared_ptr<simulated_line> line;
    const int peer;
    const std::size_t side;
    std::deque<std::shared_ptr<simulated_job>> waiting; ///< receives, for their messages
    int being_received = 0;                             ///< messages that have found their receives

private:
    std::vector<std::shared_ptr<simulated_job>> jobs_;
};

} // namespace tutti::transport::detail
