// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

/// Where a kernel's body runs: the threads of a GPU's block, or threads of the host that stand for them. A body is a
/// template over this, so g++, ThreadSanitizer and nvcc compile one source.
namespace tutti::kernels {

/// One thread of one block. `thread()` is less than `threads()`, `block()` less than `blocks()`. `sync()` is called by
/// all threads of a block or by none. What they wrote before it, to memory of the block or any other, they all see
/// after it.
template <class Execution>
concept execution = requires(const Execution& here) {
    { here.thread() } -> std::same_as<unsigned>;
    { here.threads() } -> std::same_as<unsigned>;
    { here.block() } -> std::same_as<unsigned>;
    { here.blocks() } -> std::same_as<unsigned>;
    here.sync();
};

/// How many blocks of how many threads run a body.
struct geometry {
    unsigned blocks = 1;
    unsigned threads = 256;
    friend bool operator==(const geometry&, const geometry&) = default;
};

} // namespace tutti::kernels
