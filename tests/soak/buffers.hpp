// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/symmetric_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace tutti::soak {

/// A range for a collective with a margin on both sides, in which nobody may write.
template <class T>
class guarded {
public:
    static constexpr std::size_t margin = 3; // odd, so that a byte's range begins at any address

    /// In symmetric memory of the communicator if so; then without margins if `whole`.
    template <class Communicator>
    void make(const Communicator& on, std::size_t n, bool symmetric, bool whole) {
        margin_ = whole ? 0 : margin;
        const std::size_t all = n + 2 * margin_;
        if (symmetric)
            symmetric_ = on.template allocate<T>(all);
        else
            plain_.resize(all);
        everything_ = symmetric ? std::span<T>(symmetric_) : std::span<T>(plain_);
        if (!everything_.empty()) std::memset(everything_.data(), canary, everything_.size_bytes());
    }

    [[nodiscard]] std::span<T> range() const noexcept {
        return everything_.subspan(std::min(margin_, everything_.size()), everything_.size() - 2 * margin_);
    }
    [[nodiscard]] symmetric_memory<T>& object() noexcept { return symmetric_; }
    [[nodiscard]] bool margins_are_well() const noexcept {
        return untouched(everything_.first(margin_)) && untouched(everything_.last(margin_));
    }
    /// Nobody has written to it since it was made.
    [[nodiscard]] static bool untouched(std::span<const T> part) noexcept {
        const auto bytes = std::as_bytes(part);
        return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{canary}; });
    }

private:
    static constexpr unsigned char canary = 0xa5;

    std::vector<T> plain_;
    symmetric_memory<T> symmetric_;
    std::span<T> everything_;
    std::size_t margin_ = 0;
};

} // namespace tutti::soak
