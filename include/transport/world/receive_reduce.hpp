// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/copy.hpp"
#include "../contract/transfer.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

/// Reduces whole elements that came into a receive.
inline void combine(transfer& x, const std::byte* incoming, std::size_t elements) {
    if (elements == 0) return;
    const std::byte* const own = x.from + x.moved;
    x.reduce->combine(x.to + x.moved, x.incoming_left ? incoming : own, x.incoming_left ? own : incoming, elements,
                      x.reduce->state);
    x.moved += elements * x.reduce->element_bytes;
}

/// Delivers a message that came as a whole.
inline void deliver(transfer& x, const std::byte* incoming) {
    if (x.reduce) return combine(x, incoming, x.bytes / x.reduce->element_bytes);
    if (x.bytes > 0) tutti::detail::copy_bytes(x.to, incoming, x.bytes);
    x.moved = x.bytes;
}

/// Brings the bytes of a message, in whatever pieces they come, to the receive that waits for them; or to nowhere.
class delivery {
public:
    void begin(transfer& x) noexcept { receiver_ = &x; }
    [[nodiscard]] transfer* receiver() const noexcept { return receiver_; }
    /// Hands the receive back; later bytes of the message are dropped.
    transfer* end() noexcept {
        part_.clear();
        return std::exchange(receiver_, nullptr);
    }

    /// Where the next bytes can be put without a detour: the receiver's own memory, or null.
    [[nodiscard]] std::byte* place() const noexcept {
        return receiver_ && !receiver_->reduce ? receiver_->to + receiver_->moved : nullptr;
    }
    /// That many bytes were put there.
    void placed(std::size_t bytes) noexcept { receiver_->moved += bytes; }

    /// The next bytes, which came elsewhere.
    void take(std::span<const std::byte> bytes) {
        if (!receiver_ || bytes.empty()) return;
        if (receiver_->reduce) return reduce(bytes);
        tutti::detail::copy_bytes(place(), bytes.data(), bytes.size());
        placed(bytes.size());
    }

private:
    /// An element may come in two pieces, whose first waits in `part_`.
    void reduce(std::span<const std::byte> bytes) {
        const std::size_t element = receiver_->reduce->element_bytes;
        if (!part_.empty()) {
            const std::size_t more = std::min(element - part_.size(), bytes.size());
            part_.insert(part_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(more));
            bytes = bytes.subspan(more);
            if (part_.size() < element) return;
            combine(*receiver_, part_.data(), 1);
            part_.clear();
        }
        const std::size_t whole = bytes.size() / element;
        combine(*receiver_, bytes.data(), whole);
        const auto rest = bytes.subspan(whole * element);
        part_.assign(rest.begin(), rest.end());
    }

    transfer* receiver_ = nullptr;
    std::vector<std::byte> part_; // of an element
};

} // namespace tutti::transport::detail
