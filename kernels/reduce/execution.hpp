// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <tutti/base/language.hpp>

#include <tutti/collectives/reduction/host_device.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

/// Where a kernel's body runs: the threads of a GPU's block, or threads of the host that stand for them. A body is a
/// template over this, so g++, ThreadSanitizer and nvcc compile one source.
namespace tutti::kernels {

/// One thread of one block. `thread()` is less than `threads()`, `block()` less than `blocks()`. `sync()` is called by
/// all threads of a block or by none. Their writes before it, to any memory, are visible to all of them
/// after it.
template <class Execution>
concept execution = requires(const Execution& here) {
    { here.thread() } -> std::same_as<unsigned>;
    { here.threads() } -> std::same_as<unsigned>;
    { here.block() } -> std::same_as<unsigned>;
    { here.blocks() } -> std::same_as<unsigned>;
    here.sync();
};

/// A thread that also meets threads of other kernels, on this device or another. Words are aligned, and several kernels
/// touch one by these operations alone, or with a kernel's end between. A thread that acquires a word sees everything
/// that its releasing thread had written or seen before. Relaxed operations are whole, and order nothing else.
template <class Execution>
concept peer_execution =
    execution<Execution> && requires(const Execution& here, const std::uint64_t* at, std::uint64_t* to) {
        { here.load_acquire(at) } -> std::same_as<std::uint64_t>;
        { here.load_relaxed(at) } -> std::same_as<std::uint64_t>;
        here.store_release(to, std::uint64_t{});
        here.store_relaxed(to, std::uint64_t{});
        { here.nanoseconds() } -> std::same_as<std::uint64_t>; // of a clock that never goes back
        here.rest();                                           // between two looks at a word
    };

/// A thread's number among those of all blocks, and how many there are: it takes each of so many elements.
template <execution Here>
[[nodiscard]] TUTTI_HOST_DEVICE std::size_t number_of(const Here& here) noexcept {
    return std::size_t{here.block()} * here.threads() + here.thread();
}
/// All threads of all blocks.
template <execution Here>
[[nodiscard]] TUTTI_HOST_DEVICE std::size_t stride_of(const Here& here) noexcept {
    return std::size_t{here.blocks()} * here.threads();
}

/// How many blocks of how many threads run a body.
struct geometry {
    unsigned blocks = 1;    ///< of the launch
    unsigned threads = 256; ///< of each block
    friend bool operator==(const geometry&, const geometry&) = default;
};

} // namespace tutti::kernels
