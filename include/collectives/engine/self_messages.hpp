// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/copy.hpp"
#include "message_link.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutti::engine {

/// The messages of a rank to itself. No transport carries them. Short ones are stored until their receive, within the
/// same bounds as those of peers; longer ones wait for it.
class self_messages {
public:
    explicit self_messages(messages_under_way& all) noexcept : all_(all) {}
    self_messages(const self_messages&) = delete;
    self_messages& operator=(const self_messages&) = delete;
    ~self_messages() {
        while (unexpected_message* const u = unexpected_.take_any()) delete u;
    }

    void send(message& m, std::size_t most_bytes, std::uint64_t window) {
        if (message* const r = all_.receiver_of(posted_, m.peer, m.tag, m.bytes)) {
            if (!fits(m.type, m.bytes, *r, all_)) return;
            deliver(*r, m.data, m.bytes);
            return all_.complete(m);
        }
        auto u = std::make_unique<unexpected_message>();
        u->tag = m.tag;
        u->type = m.type;
        u->bytes = m.bytes;
        const bool stores = m.bytes <= most_bytes && stored_ + cost_of(m.bytes) <= window;
        if (stores)
            store(*u, m);
        else
            u->sender = &m;
        unexpected_.push(*u.release());
        if (stores) all_.complete(m);
    }

    void receive(message& m) {
        if (!take_unexpected(m, m.peer)) posted_.push(m);
    }
    /// As message_link has it.
    bool take_unexpected(message& m, int self) {
        unexpected_message* const found = unexpected_.find(m.tag);
        if (!found) return false;
        m.source = self;
        if (m.probes) {
            m.bytes = found->bytes;
            return all_.complete(m), true;
        }
        const std::unique_ptr<unexpected_message> u(unexpected_.take(m.tag));
        return deliver(m, *u), true;
    }

    [[nodiscard]] bool withdraw(const message& m) noexcept { return posted_.remove(m); }

private:
    void deliver(message& m, const unexpected_message& u) {
        if (!fits(u.type, u.bytes, m, all_)) return;
        deliver(m, u.sender ? u.sender->data : u.data.get(), u.bytes);
        if (u.sender)
            all_.complete(*u.sender);
        else
            stored_ -= cost_of(u.bytes);
    }
    [[nodiscard]] static std::uint64_t cost_of(std::size_t bytes) noexcept {
        return sizeof(unexpected_message) + bytes;
    }
    void store(unexpected_message& u, const message& m) {
        u.data.reset(new std::byte[m.bytes]);
        if (m.bytes > 0) tutti::detail::copy_bytes(u.data.get(), m.data, m.bytes);
        stored_ += cost_of(m.bytes);
    }
    void deliver(message& to, const std::byte* data, std::size_t bytes) {
        copy_into(to, data, bytes);
        all_.complete(to);
    }

    messages_under_way& all_;
    tag_queues<message> posted_;
    tag_queues<unexpected_message> unexpected_;
    std::uint64_t stored_ = 0; ///< what they cost
};

} // namespace tutti::engine
