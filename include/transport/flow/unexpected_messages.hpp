// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "ring_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::transport::detail::tcp {

/// Messages of a channel that came before their receives. Only the newest may be incomplete. Credits bound its size,
/// and it takes no memory before the first early message.
class unexpected_messages {
public:
    struct message {
        std::uint64_t length;
        std::uint64_t signature;
        std::uint64_t arrived;
    };

    [[nodiscard]] bool empty() const noexcept { return messages_.empty(); }
    [[nodiscard]] const message& oldest() noexcept { return messages_.front(); }

    void begin(std::uint64_t length, std::uint64_t signature) { messages_.push(message{length, signature, 0}); }
    /// More of the newest message.
    void append(std::span<const std::byte> bytes) {
        bytes_.push(bytes);
        messages_.back().arrived += bytes.size();
    }

    /// Takes the oldest message out; `use` gets the bytes of it that had arrived, in order, in one or two pieces.
    template <class Use>
    void take(Use&& use) {
        std::size_t rest = messages_.front().arrived;
        messages_.pop();
        while (rest > 0) {
            const auto piece = bytes_.run().first(std::min(rest, bytes_.run().size()));
            use(piece);
            bytes_.pop(piece.size());
            rest -= piece.size();
        }
    }

private:
    ring_buffer<std::byte> bytes_;
    ring_buffer<message> messages_;
};

} // namespace tutti::transport::detail::tcp
