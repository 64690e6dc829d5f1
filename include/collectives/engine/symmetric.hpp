// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <new>

namespace tutti::engine {

/// A transport's power to make memory that peers reach, from any thread.
template <class Transport>
concept makes_symmetric_memory = requires(const Transport t, std::size_t bytes) {
    { t.allocate(bytes) } -> std::same_as<std::shared_ptr<std::byte>>;
};

/// A transport's power to let peers reach memory of the user's own, from any thread.
template <class Transport>
concept registers_memory = requires(const Transport t, std::byte* p, std::size_t bytes) {
    { t.register_memory(p, bytes) } -> std::same_as<void>;
};

/// Zeroed memory aligned to 64 bytes: for transports without symmetric memory, or that reach all memory anyway.
[[nodiscard]] inline std::shared_ptr<std::byte> plain_memory(std::size_t bytes) {
    constexpr std::align_val_t alignment{64};
    auto* const made = static_cast<std::byte*>(::operator new(bytes, alignment));
    std::fill_n(made, bytes, std::byte{0});
    return {made, [](std::byte* p) { ::operator delete(p, alignment); }};
}

template <class Transport>
[[nodiscard]] std::shared_ptr<std::byte> symmetric_bytes(const Transport& t, std::size_t bytes) {
    if constexpr (makes_symmetric_memory<Transport>)
        return t.allocate(bytes);
    else
        return plain_memory(bytes);
}

} // namespace tutti::engine
