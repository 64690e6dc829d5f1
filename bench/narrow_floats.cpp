// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Prints what docs/numerics.md sums up: how many bytes a second a reduction of narrow floats handles, divided by those
// of the same reduction of float. Both are timed in turn on the same memory; a figure is the ratio of medians.
//
// usage: narrow_floats [baseline|avx2|avx512|avx512_vnni|avx512_fp16]
//
// The first columns are of two sources, the others of eight; the first and third fit into the first cache, the others
// into the second.

#include "in_turn.hpp"

#include <collectives/reduction/kernel.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string_view>

namespace {

using namespace tutti::measured;
using tutti::detail::instructions;

struct extent {
    std::size_t bytes, sources;
};
constexpr extent extents[] = {{4 << 10, 2}, {256 << 10, 2}, {4 << 10, 8}, {128 << 10, 8}};

/// Bytes a second of T over those of float.
template <class T, class Op>
double of_float(instructions set, extent e) {
    const tutti::reducer narrow = tutti::detail::vector_reducer<T, Op>(set);
    const tutti::reducer wide = tutti::detail::vector_reducer<float, Op>(set);
    std::vector<memory> owned;
    std::vector<const std::byte*> sources;
    for (std::size_t s = 0; s < e.sources; ++s) sources.push_back(owned.emplace_back(touched(e.bytes)).get());
    const memory to = touched(e.bytes);
    const auto run = [&](const tutti::reducer& r) {
        const std::size_t count = e.bytes / r.element_bytes;
        if (e.sources == 2)
            r.combine(to.get(), sources[0], sources[1], count, r.state);
        else
            r.combine_many(to.get(), sources.data(), e.sources, count, r.state);
    };
    std::vector<double> seconds[2];
    for (int round = 0; round < rounds; ++round) {
        seconds[0].push_back(seconds_of([&] { run(narrow); }, e.bytes * e.sources));
        seconds[1].push_back(seconds_of([&] { run(wide); }, e.bytes * e.sources));
    }
    return median(seconds[1]) / median(seconds[0]);
}

template <class T, class Op>
void tell_row(instructions set) {
    std::printf("| `%s` | %s |", tutti::type_name<T>().c_str(), tutti::operator_name<Op>().c_str());
    for (const extent e : extents) std::printf(" %.2f |", of_float<T, Op>(set, e));
    std::puts("");
    std::fflush(stdout);
}

template <class... T>
void tell(instructions set) {
    std::puts("| type | operator | 2 of 4 KiB | 2 of 256 KiB | 8 of 4 KiB | 8 of 128 KiB |\n|---|---|---|---|---|---|");
    ((tell_row<T, tutti::sum_operator>(set), tell_row<T, tutti::product_operator>(set),
      tell_row<T, tutti::minimum_operator>(set), tell_row<T, tutti::maximum_operator>(set)),
     ...);
}

constexpr std::string_view names[] = {"baseline", "avx2", "avx512", "avx512_vnni", "avx512_fp16"}; // in their order

} // namespace

int main(int count, char** words) {
    instructions set = tutti::detail::best_instructions();
    if (count > 1) {
        const auto* const named = std::find(std::begin(names), std::end(names), words[1]);
        set = static_cast<instructions>(named - names);
        if (named == std::end(names) || !tutti::detail::has(set)) {
            std::fprintf(stderr, "narrow_floats: this processor has no instructions '%s'\n", words[1]);
            return 1;
        }
    }
    tell<tutti::float16, tutti::bfloat16, tutti::float8_e4m3, tutti::float8_e5m2>(set);
}
