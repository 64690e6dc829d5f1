// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transport.hpp"
#include "long_messages.hpp"
#include "resources.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace tutti::transport::detail::verbs {

/// The long messages of this rank that one peer is to read.
class long_sends {
public:
    explicit long_sends(resources& all) noexcept : all_(all) {}

    /// Registers a message; returns its announcement, which goes the way of a short message. Null, with all.refused,
    /// if the system does not register it: then it stays pending.
    [[nodiscard]] outgoing* announce(context where, transfer& x) {
        x.status = transfer_status::pending;
        x.moved = 0;
        auto lease = all_.memory->acquire(x.from, x.bytes, false);
        if (!lease) {
            all_.refused[where] = all_.memory->refusal();
            return nullptr;
        }
        outgoing& o = all_of_it_[++last_];
        o.where = where;
        o.message = &x;
        o.ticket = last_;
        announcement a{last_, reinterpret_cast<std::uint64_t>(x.from), {}};
        for (std::size_t i = 0; i < all_.rails.size(); ++i) a.keys[i] = lease.remote(i);
        encode(a, o.image);
        o.lease = std::move(lease);
        o.from = o.image.data();
        o.bytes = announcement_bytes;
        o.signature = announced_signature(x.signature, x.bytes);
        o.owner = &sent_;
        return &o;
    }

    /// A message of the multiplexer's is an announcement.
    [[nodiscard]] bool is_mine(const transfer& x) const noexcept { return x.owner == &sent_; }
    static void told(transfer& x) noexcept { static_cast<outgoing&>(x).told = true; }

    /// The peer has read it, refuses it, or does not read it any more. False if a sane peer does not say so.
    [[nodiscard]] bool answered(std::uint64_t ticket) {
        const auto found = all_of_it_.find(ticket);
        if (found == all_of_it_.end()) return ticket <= last_; // it was answered before, or given up
        if (!found->second.told) return false;
        if (transfer* const x = found->second.message) {
            x->moved = x->bytes;
            complete(*x);
        }
        all_of_it_.erase(found);
        return true;
    }

    /// The multiplexer has forgotten that context. `withdraw(ticket)` is called for what the peer may be reading.
    template <class Withdraw>
    void close(context k, bool broken, Withdraw&& withdraw) {
        for (auto next = all_of_it_.begin(); next != all_of_it_.end();) {
            const auto it = next++;
            outgoing& o = it->second;
            if (o.where != k || !o.message) continue;
            o.message = nullptr;
            o.withdrawing = o.told && !broken;
            if (o.withdrawing)
                withdraw(o.ticket);
            else
                all_of_it_.erase(it);
        }
    }
    /// The peer has not yet answered a withdrawal of that context.
    [[nodiscard]] bool closing(context k) const noexcept {
        for (const auto& [ticket, o] : all_of_it_)
            if (o.withdrawing && o.where == k) return true;
        return false;
    }
    /// It does not answer. False if memory that it may read could not be taken from it.
    [[nodiscard]] bool give_up(context k) {
        bool all = true;
        for (auto next = all_of_it_.begin(); next != all_of_it_.end();) {
            const auto it = next++;
            if (!it->second.withdrawing || it->second.where != k) continue;
            all = it->second.lease.revoke() && all;
            all_of_it_.erase(it);
        }
        return all;
    }
    /// The peer does not read any more.
    void end() noexcept {
        std::erase_if(all_of_it_, [](const auto& each) { return each.second.withdrawing; });
    }

private:
    resources& all_;
    std::map<std::uint64_t, outgoing> all_of_it_; // by ticket
    std::uint64_t last_ = 0;                      // ticket
    transfer_queue sent_;                         // by it announcements are known; it stays empty
};

} // namespace tutti::transport::detail::verbs
