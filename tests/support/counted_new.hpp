// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

// Replaces the program's operator new: for tests of what allocates. Included by one unit of a program, and the program
// is that unit's alone.

namespace tutti::test {
inline thread_local std::size_t allocations = 0; ///< of this thread, so far
} // namespace tutti::test

// Not inlined, or g++ takes malloc and delete for a pair that does not match. The nothrow form too, or sanitizers do.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    ++tutti::test::allocations;
    return std::malloc(bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    if (void* memory = operator new(bytes, std::nothrow)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
