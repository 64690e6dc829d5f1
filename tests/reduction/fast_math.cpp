// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Compiled with -ffast-math, which reorders sums and flushes subnormal numbers: accumulators must not notice.
#include <collectives/reduction/accumulator.hpp>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
    std::vector<double> numbers(1024);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = (i % 2 == 0 ? 1 : -1) * 1e3 / static_cast<double>(i + 1);
    numbers[7] = std::bit_cast<double>(std::uint64_t{12345});
    tutti::exact_accumulator<double> blocks, single;
    tutti::accumulator<double> binned;
    blocks.add(numbers);
    binned.add(numbers);
    for (const double x : numbers) single.add(x);
    const bool one_state = blocks == single && blocks.value() == binned.value();
    single.add(std::bit_cast<double>(std::uint64_t{0x7ff0000000000000}));
    const bool infinite = std::bit_cast<std::uint64_t>(single.value()) == 0x7ff0000000000000;
    if (!one_state || !infinite) std::printf("one state: %d, infinite: %d\n", one_state, infinite);
    return one_state && infinite ? 0 : 1;
}
