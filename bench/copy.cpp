// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The library's copy (base/copy.hpp) beside memcpy(3) and the loops that it may take, in turn. `from` and `to` are how
// many bytes behind a page's start the ranges begin: std::vector's of 128 KiB and more begin 16 behind. Each counter is
// another way's time by that of the library's copy: below 1 the other way is faster.

#include "in_turn.hpp"

#include <base/copy.hpp>

#include <cstddef>
#include <cstring>

namespace {

namespace measured = tutti::measured;

void copies(benchmark::State& state) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    const auto source = tutti::tools::page_memory(bytes, static_cast<std::size_t>(state.range(1)));
    const auto destination = tutti::tools::page_memory(bytes, static_cast<std::size_t>(state.range(2)));
    const std::byte* const from = source.get();
    std::byte* const to = destination.get();
    const auto by = [=](auto how) { return [=] { how(to, from, bytes); }; };
    const auto library = by([](auto* t, auto* f, auto n) { tutti::detail::copy_bytes(t, f, n); });
    const auto c = by([](auto* t, auto* f, auto n) { std::memcpy(t, f, n); });
#if defined(__x86_64__)
    const auto sse2 = by(tutti::detail::copy_by_sse2);
    const auto avx2 = by(__builtin_cpu_supports("avx2") ? tutti::detail::copy_by_avx2 : tutti::detail::copy_by_sse2);
    const auto moves = by([](auto* t, auto* f, auto n) {
        asm volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(n)::"memory");
    });
    const auto times = measured::in_turn(state, bytes, library, c, sse2, avx2, moves);
    state.counters["sse2"] = times[2] / times[0];
    state.counters["avx2"] = times[3] / times[0];
    state.counters["movsb"] = times[4] / times[0];
#else
    const auto times = measured::in_turn(state, bytes, library, c);
#endif
    measured::report(state, bytes, times[0], "memcpy", times[1]);
}

} // namespace

BENCHMARK(copies)
    ->ArgNames({"bytes", "from", "to"})
    ->ArgsProduct({benchmark::CreateRange(1 << 10, 64 << 20, 4), {0, 16, 32, 48}, {0, 16}})
    ->Iterations(measured::rounds)
    ->UseManualTime();

BENCHMARK_MAIN();
