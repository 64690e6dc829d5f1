// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "access.hpp"

#include <tutti/collectives/reduction/host_device.hpp>

#include <cassert>
#include <cstddef>
#include <cstdint>

/// Elements that a thread holds in registers, read and written by accesses of up to 16 bytes.
namespace tutti::kernels {

namespace detail {

/// One access of so many bytes. Not `const __restrict__` and not read-only on the way: peers may write this memory.
template <std::size_t bytes>
struct piece;
template <>
struct alignas(16) piece<16> {
    std::uint32_t words[4];
};
template <>
struct alignas(8) piece<8> {
    std::uint32_t words[2];
};
template <>
struct alignas(4) piece<4> {
    std::uint32_t word;
};
template <>
struct alignas(2) piece<2> {
    std::uint16_t word;
};
template <>
struct piece<1> {
    std::uint8_t word;
};

[[nodiscard]] TUTTI_HOST_DEVICE constexpr std::size_t piece_bytes(std::size_t bytes) noexcept {
    return bytes < widest ? bytes : widest;
}

/// Copies between registers and memory that is aligned to its accesses.
template <std::size_t bytes>
TUTTI_HOST_DEVICE inline void copy_pieces(void* to, const void* from) noexcept {
#if defined(__CUDA_ARCH__)
    using one = piece<piece_bytes(bytes)>;
#pragma unroll
    for (std::size_t k = 0; k < bytes / sizeof(one); ++k) static_cast<one*>(to)[k] = static_cast<const one*>(from)[k];
#else
    assert(reinterpret_cast<std::uintptr_t>(to) % piece_bytes(bytes) == 0);
    assert(reinterpret_cast<std::uintptr_t>(from) % piece_bytes(bytes) == 0);
    __builtin_memcpy(to, from, bytes);
#endif
}

} // namespace detail

/// `lanes` elements. Read and written whole: as pieces of up to 16 bytes, to which `at` is aligned; a single element
/// as itself.
template <class T, unsigned lanes>
struct pack {
    alignas(lanes == 1 ? alignof(T) : detail::piece_bytes(sizeof(T) * lanes)) T element[lanes];

    TUTTI_HOST_DEVICE void load(const T* at) noexcept {
        if constexpr (lanes == 1)
            element[0] = *at;
        else
            detail::copy_pieces<sizeof(T) * lanes>(element, at);
    }
    TUTTI_HOST_DEVICE void store(T* at) const noexcept {
        if constexpr (lanes == 1)
            *at = element[0];
        else
            detail::copy_pieces<sizeof(T) * lanes>(at, element);
    }
};

} // namespace tutti::kernels
