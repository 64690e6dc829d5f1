// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

/// Counts what each kind of rank has on the heap, where all ranks are threads of one process. Replaces operator new, so
/// one unit of a program includes it. What the kernel keeps for sockets is not in it, nor are stacks.
namespace scale {

enum class owner : unsigned char {
    rank_zero, ///< also the threads that it starts, such as that of the rendezvous
    other_rank,
    program,
};

/// Whose allocations this thread makes.
inline thread_local owner this_owner = owner::rank_zero;

/// Bytes of one owner; any thread counts, with no order among them.
struct tally {
    std::atomic<std::ptrdiff_t> now{0}, most{0};

    void add(std::ptrdiff_t bytes) noexcept {
        const auto sum = now.fetch_add(bytes, std::memory_order_relaxed) + bytes;
        auto seen = most.load(std::memory_order_relaxed);
        while (sum > seen && !most.compare_exchange_weak(seen, sum, std::memory_order_relaxed)) {
        }
    }
};
inline constinit std::array<tally, 3> tallies{};

[[nodiscard]] inline tally& of(owner o) noexcept { return tallies[static_cast<std::size_t>(o)]; }

/// Stands before each allocation; whoever frees it need not be who made it.
struct alignas(std::max_align_t) header {
    std::size_t bytes;
    owner who;
};

} // namespace scale

// Not inlined, or g++ takes malloc and delete for a pair that does not match.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    void* const at = std::malloc(sizeof(scale::header) + bytes);
    if (!at) throw std::bad_alloc();
    const auto* const h = new (at) scale::header{bytes, scale::this_owner};
    scale::of(h->who).add(static_cast<std::ptrdiff_t>(bytes));
    return static_cast<std::byte*>(at) + sizeof(scale::header);
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    if (!p) return;
    void* const at = static_cast<std::byte*>(p) - sizeof(scale::header);
    const auto* const h = static_cast<scale::header*>(at);
    scale::of(h->who).add(-static_cast<std::ptrdiff_t>(h->bytes));
    std::free(at);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { ::operator delete(p); }
