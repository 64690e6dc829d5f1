// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The reduction kernels beside what they are measured by. Each row times its contestants in turn, in every iteration,
// so that a busy machine slows all of them; ratios are of medians, and above 1 the kernel is faster.
//
// `of_copy` compares with a copy that moves the same bytes: reducing n bytes of two sources reads 2n and writes n, as
// memcpy of 1.5n reads and writes 3n together. The aim is 0.9 of it beyond the cache; more than 1 is possible there,
// because the copy writes more of them. `of_plain` compares with the loop that one would write, compiled like this
// file.

#include "in_turn.hpp"

#include <collectives/reduction/kernel.hpp>

#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace tutti::measured;
using tutti::bfloat16;
using tutti::float16;

template <class T, class Op>
[[gnu::noinline]] void plain(T* to, const T* left, const T* right, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<Op, tutti::maximum_operator>)
            to[i] = left[i] < right[i] ? right[i] : left[i];
        else
            to[i] = static_cast<T>(left[i] + right[i]);
    }
}

/// Two sources into a third place, or with `in_place` into the first source.
template <class T, class Op>
void combine(benchmark::State& state, bool in_place) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    const std::size_t count = bytes / sizeof(T);
    const tutti::reducer r = tutti::make_reducer<T>(Op{});
    const memory a = touched(bytes), b = touched(bytes), apart = touched(bytes);
    const memory copied = touched(bytes * 3 / 2), copy = touched(bytes * 3 / 2);
    std::byte* const to = in_place ? a.get() : apart.get();
    const auto [kernel, loop, memcpy_] = in_turn(
        state, bytes, [&] { r.combine(to, a.get(), b.get(), count, r.state); },
        [&] {
            plain<T, Op>(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(a.get()),
                         reinterpret_cast<const T*>(b.get()), count);
        },
        [&] { std::memcpy(copy.get(), copied.get(), bytes * 3 / 2); });
    report(state, 3 * bytes, kernel, "of_copy", memcpy_);
    report(state, 3 * bytes, kernel, "of_plain", loop);
}

/// Several sources in one pass, beside as many passes as there are operators between them.
template <class T, class Op>
void combine_many(benchmark::State& state) {
    const auto bytes = static_cast<std::size_t>(state.range(0)), number = static_cast<std::size_t>(state.range(1));
    const std::size_t count = bytes / sizeof(T), moved = (number + 1) * bytes;
    const tutti::reducer r = tutti::make_reducer<T>(Op{});
    std::vector<memory> owned;
    std::vector<const std::byte*> sources;
    for (std::size_t s = 0; s < number; ++s) sources.push_back(owned.emplace_back(touched(bytes)).get());
    const memory to = touched(bytes), copied = touched(moved / 2), copy = touched(moved / 2);
    const auto [kernel, passes, memcpy_] = in_turn(
        state, bytes, [&] { r.combine_many(to.get(), sources.data(), number, count, r.state); },
        [&] {
            r.combine(to.get(), sources[0], sources[1], count, r.state);
            for (std::size_t s = 2; s < number; ++s) r.combine(to.get(), to.get(), sources[s], count, r.state);
        },
        [&] { std::memcpy(copy.get(), copied.get(), moved / 2); });
    report(state, moved, kernel, "of_copy", memcpy_);
    report(state, moved, kernel, "of_passes", passes);
}

/// From which size on stores past the caches pay (`streamed_bytes`): the kernel that streams everything beside the one
/// that streams nothing, where the result is left alone and where it is read next.
void streaming(benchmark::State& state, bool read_next) {
    using namespace tutti::detail;
    const auto bytes = static_cast<std::size_t>(state.range(0)), count = bytes / sizeof(float);
    const memory a = touched(bytes), b = touched(bytes), to = touched(bytes), next = touched(bytes);
    const std::byte* const sources[] = {a.get(), b.get()};
    const auto run = [&](tutti::reducer::many_kernel kernel) {
        kernel(to.get(), sources, 2, count, nullptr);
        if (read_next) std::memcpy(next.get(), to.get(), bytes);
    };
    using all = compiled<reduce_kernel<float, tutti::sum_operator, cache_line_bytes>, instructions::baseline>;
    using none = compiled<reduce_kernel<float, tutti::sum_operator, SIZE_MAX>, instructions::baseline>;
    const auto [streamed, cached] = in_turn(
        state, bytes, [&] { run(&all::run); }, [&] { run(&none::run); });
    report(state, 3 * bytes, streamed, "of_cached", cached);
}

template <class T>
void add_rows() {
    const std::string type = tutti::type_name<T>();
    const auto add = [&](const std::string& name, void (*row)(benchmark::State&, bool), bool in_place) {
        benchmark::RegisterBenchmark((name + "/" + type).c_str(), row, in_place)
            ->Arg(4 << 10)
            ->Arg(256 << 10)
            ->Arg(32 << 20)
            ->UseManualTime()
            ->Iterations(rounds);
    };
    add("sum", combine<T, tutti::sum_operator>, false);
    add("sum_in_place", combine<T, tutti::sum_operator>, true);
    add("maximum", combine<T, tutti::maximum_operator>, false);
}

template <class T>
void add_rows_of_many() {
    benchmark::RegisterBenchmark(("sum_of_many/" + tutti::type_name<T>()).c_str(), combine_many<T, tutti::sum_operator>)
        ->ArgsProduct({{4 << 10, 256 << 10, 32 << 20}, {4, 8}})
        ->UseManualTime()
        ->Iterations(rounds);
}

} // namespace

BENCHMARK_CAPTURE(streaming, left_alone, false)
    ->RangeMultiplier(2)
    ->Range(1 << 20, 64 << 20)
    ->UseManualTime()
    ->Iterations(rounds);
BENCHMARK_CAPTURE(streaming, read_next, true)
    ->RangeMultiplier(2)
    ->Range(1 << 20, 64 << 20)
    ->UseManualTime()
    ->Iterations(rounds);

int main(int count, char** words) {
    add_rows<float>();
    add_rows<double>();
    add_rows<std::int32_t>();
    add_rows<std::int64_t>();
    add_rows<float16>();
    add_rows<bfloat16>();
    add_rows_of_many<float>();
    add_rows_of_many<bfloat16>();
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return 1;
    benchmark::RunSpecifiedBenchmarks();
}
