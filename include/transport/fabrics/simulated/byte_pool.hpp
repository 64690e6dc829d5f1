// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

/// Memory for messages, which is used again while the caches still have it: pieces of powers of two. A bounded amount
/// stays behind.
class byte_pool {
public:
    byte_pool() = default;
    byte_pool(const byte_pool&) = delete;
    byte_pool& operator=(const byte_pool&) = delete;

    using memory = std::unique_ptr<std::byte[]>;

    /// So many bytes, of any content.
    [[nodiscard]] memory take(std::size_t bytes) {
        auto& idle = free_[kind(bytes)];
        if (idle.empty()) return std::make_unique_for_overwrite<std::byte[]>(size_of(bytes));
        memory m = std::move(idle.back());
        idle.pop_back();
        idle_bytes_ -= size_of(bytes);
        return m;
    }
    /// What take(bytes) gave.
    void give_back(memory m, std::size_t bytes) {
        if (idle_bytes_ + size_of(bytes) > most_idle) return;
        free_[kind(bytes)].push_back(std::move(m));
        idle_bytes_ += size_of(bytes);
    }

private:
    static constexpr std::size_t least = 64, most_idle = std::size_t{64} << 20;

    [[nodiscard]] static std::size_t size_of(std::size_t bytes) noexcept {
        return std::bit_ceil(std::max(bytes, least));
    }
    [[nodiscard]] static std::size_t kind(std::size_t bytes) noexcept {
        return static_cast<std::size_t>(std::countr_zero(size_of(bytes)));
    }

    std::array<std::vector<memory>, 64> free_; // by the logarithm of their size
    std::size_t idle_bytes_ = 0;
};

} // namespace tutti::transport::detail
