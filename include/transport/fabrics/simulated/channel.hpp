// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transport.hpp"
#include "byte_pool.hpp"
#include "options.hpp"
#include "pool.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tutti::transport::detail {

class simulated_channel;

/// A transfer on the way to its completion. The channel forgets it by setting it null when the context is closed.
struct simulated_job {
    pool_uses<simulated_job> uses;
    pooled<simulated_job> next; ///< in the chain of receives that wait
    simulated_channel* of = nullptr;
    transfer* what = nullptr;
    simulated_job* before = nullptr; ///< of the channel's
    pooled<simulated_job> after;     ///< likewise

    void clear() noexcept { what = nullptr; }
};
using job_pointer = pooled<simulated_job>;

struct simulated_line;
using line_pointer = pooled<simulated_line>;

/// A message on its way. The line that it is on has it, or an event that keeps the line, or the receiver; before it
/// leaves, the sender.
struct simulated_message {
    pool_uses<simulated_message> uses;
    pooled<simulated_message> next; ///< in the chain of those that wait for a port, or have left
    int from = -1, to = -1;         ///< ranks
    std::size_t side = 0;           ///< of the line, from which it comes
    simulated_line* line = nullptr; ///< which whoever has the message keeps
    job_pointer lent;               ///< the send, unless that is complete when the message has left
    byte_pool::memory kept;         ///< then its data
    byte_pool* home = nullptr;      ///< of `kept`
    std::size_t bytes = 0;
    std::uint64_t signature = 0;
    message_price price;
    int parts_under_way = 1; ///< 0: the port has taken it in, and the network has carried it

    /// The sender has closed the context meanwhile, and taken its memory back.
    [[nodiscard]] bool is_withdrawn() const noexcept { return lent && !lent->what; }
    [[nodiscard]] const std::byte* data() const noexcept { return lent ? lent->what->from : kept.get(); }
    void keep(const std::byte* data, byte_pool& in);
    void clear() noexcept;
};
using message_pointer = pooled<simulated_message>;

/// The way from one rank to another in one context.
struct simulated_way {
    chain<simulated_message> messages;     ///< that have left, and are not being received
    std::size_t kept_messages = 0;         ///< whose sends are complete
    std::size_t kept_bytes = 0;            ///< of these
    std::size_t used_credit = 0;           ///< by these
    simulated_channel* receiver = nullptr; ///< null: not opened, or closed again
};

/// Both ways between two ranks in one context, and which of the two have closed it: [0] the lower rank, or the way from
/// it.
struct simulated_line {
    pool_uses<simulated_line> uses;
    std::array<simulated_way, 2> ways;
    std::array<bool, 2> closed{};

    void clear() noexcept {
        for (simulated_way& w : ways) {
            w.messages.clear();
            w.kept_messages = w.kept_bytes = w.used_credit = 0;
            w.receiver = nullptr;
        }
        closed = {};
    }
};

inline void simulated_message::keep(const std::byte* data, byte_pool& in) {
    lent = {};
    if (bytes == 0) return;
    home = &in;
    kept = in.take(bytes);
    std::copy_n(data, bytes, kept.get());
}
inline void simulated_message::clear() noexcept {
    if (kept) home->give_back(std::move(kept), bytes);
    lent = {};
    line = nullptr;
    parts_under_way = 1;
}

/// Of a world. It must outlive all that points into it.
struct simulated_pools {
    byte_pool bytes;
    pool<simulated_line> lines;
    pool<simulated_job> jobs;
    pool<simulated_message> messages;
};

/// One rank's end of a line.
class simulated_channel {
public:
    simulated_channel(line_pointer l, int self, int other)
        : line(std::move(l)), peer(other), side(self < other ? 0 : 1) {
        in().receiver = this;
    }
    simulated_channel(const simulated_channel&) = delete;
    simulated_channel& operator=(const simulated_channel&) = delete;
    /// Forgets all transfers, and drops what has come.
    ~simulated_channel() {
        for (; jobs_; jobs_ = std::move(jobs_->after)) jobs_->what = nullptr;
        in().receiver = nullptr;
        in().messages.clear();
        line->closed[side] = true;
    }

    [[nodiscard]] simulated_way& out() noexcept { return line->ways[side]; }
    [[nodiscard]] simulated_way& in() noexcept { return line->ways[1 - side]; }

    /// A transfer is under way until finish().
    void begin(const job_pointer& j, transfer& x) noexcept {
        j->of = this;
        j->what = &x;
        j->before = nullptr;
        j->after = std::move(jobs_);
        if (j->after) j->after->before = j.get();
        jobs_ = j;
    }
    void finish(const job_pointer& j) noexcept {
        job_pointer rest = std::move(j->after);
        if (rest) rest->before = j->before;
        (j->before ? j->before->after : jobs_) = std::move(rest);
        j->what = nullptr;
    }
    [[nodiscard]] bool busy() const noexcept { return static_cast<bool>(jobs_); }
    /// A message is under way from the peer, is there, or is being received.
    [[nodiscard]] bool has_more() noexcept {
        return being_received > 0 || (!in().messages.empty() && !in().messages.front().is_withdrawn());
    }

    const line_pointer line;
    const int peer;
    const std::size_t side;
    chain<simulated_job> waiting; ///< receives, for their messages
    int being_received = 0;       ///< messages that have found their receives

private:
    job_pointer jobs_; ///< a list of those under way
};

} // namespace tutti::transport::detail
