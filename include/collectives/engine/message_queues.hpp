// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutti::engine {

/// A message that came, or was announced, before its receive.
struct unexpected_message {
    std::int32_t tag = 0;
    std::uint32_t type = 0;
    std::size_t bytes = 0;
    unexpected_message* next = nullptr;
    message* sender = nullptr; ///< of one from this rank to itself that is not stored
    message* taker = nullptr;  ///< the receive that waits until it has arrived
    bool is_announced = false; ///< its data wait at the sender
    bool has_arrived = false;
    std::uint64_t number = 0; ///< of an announced one
    std::unique_ptr<std::byte[]> data;
    message_transfer body;
};

/// Messages of one peer in the order in which they came, found by their tags. Linked through themselves.
template <class Message>
class tag_queues {
public:
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

    void push(Message& m) noexcept {
        queue& q = queue_of(m.tag);
        m.next = nullptr;
        (q.last ? q.last->next : q.first) = &m;
        q.last = &m;
        ++count_;
    }
    /// Removes the first with this tag and returns it; null if there is none.
    [[nodiscard]] Message* take(std::int32_t tag) noexcept {
        return take(tag, [tag](const Message& m) { return m.tag == tag; });
    }
    /// The first with this tag; null if there is none.
    [[nodiscard]] Message* find(std::int32_t tag) const noexcept {
        Message* m = queues_[static_cast<std::uint32_t>(tag) % number].first;
        while (m && m->tag != tag) m = m->next;
        return m;
    }
    /// Removes this one; false if it is not among them.
    [[nodiscard]] bool remove(const Message& which) noexcept {
        return take(which.tag, [&which](const Message& m) { return &m == &which; }) != nullptr;
    }
    /// Removes any one; null if there is none.
    [[nodiscard]] Message* take_any() noexcept {
        for (queue& q : queues_)
            if (q.first) return take(q.first->tag);
        return nullptr;
    }

private:
    struct queue {
        Message* first = nullptr;
        Message* last = nullptr;
    };
    static constexpr std::size_t number = 16;
    [[nodiscard]] queue& queue_of(std::int32_t tag) noexcept {
        return queues_[static_cast<std::uint32_t>(tag) % number];
    }

    [[nodiscard]] Message* take(std::int32_t tag, const auto& is_it) noexcept {
        queue& q = queue_of(tag);
        for (Message *m = q.first, *before = nullptr; m; before = m, m = m->next) {
            if (!is_it(*m)) continue;
            (before ? before->next : q.first) = m->next;
            if (q.last == m) q.last = before;
            --count_;
            return m;
        }
        return nullptr;
    }

    std::array<queue, number> queues_{};
    std::size_t count_ = 0;
};

} // namespace tutti::engine
