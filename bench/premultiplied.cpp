// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What a premultiplied sum costs beside a plain one, and beside a loop of the caller's that multiplies before a plain
// one. Two ranks over shared_memory, each a thread; the time is rank 0's of one allreduce by the library's choice.

#include <collectives/collectives.hpp>
#include <transport/shared_memory.hpp>

#include "../tests/support/identity.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace {

using namespace tutti;

enum class way { plain, premultiplied, own_loop };

/// One call; of two buffers that are the same it is in place.
void once(const auto& world, std::span<float> in, std::span<float> out, way how) {
    const float factor = 1.0F; // data keep their size; that it is 1 nobody knows
    if (how == way::plain) return world.allreduce(in, out, sum);
    if (how == way::premultiplied) return world.allreduce(in, out, premultiplied_sum(factor));
    const float by = *const_cast<const volatile float*>(&factor);
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] * by;
    world.allreduce(out, sum);
}

void allreduce(benchmark::State& state, way how, bool in_place) {
    using transport = tutti::transport::shared_memory;
    const test::reserved_port at;
    const auto count = static_cast<std::size_t>(state.range(0)) / sizeof(float);
    const auto more = [](const auto& world, int go) {
        world.broadcast(std::span(&go, 1), 0);
        return go != 0;
    };
    const auto take_part = [&](const auto& world, std::vector<float>& in, std::vector<float>& out) {
        once(world, in, in_place ? in : out, how);
    };
    std::thread peer([&] {
        const communicator world{transport{test::identity(1, 2, at)}};
        std::vector<float> in(count), out(count); // zeros, which stay so
        while (more(world, 0)) take_part(world, in, out);
    });
    {
        const communicator world{transport{test::identity(0, 2, at)}};
        std::vector<float> in(count), out(count);
        for (auto _ : state) {
            more(world, 1);
            take_part(world, in, out);
        }
        more(world, 0);
    }
    peer.join();
}

void sizes(benchmark::internal::Benchmark* b) {
    for (const long bytes : {64L, 32L << 10, 1L << 20, 64L << 20}) b->Arg(bytes);
    b->UseRealTime()->Unit(benchmark::kMicrosecond);
}

} // namespace

BENCHMARK_CAPTURE(allreduce, plain_in_place, way::plain, true)->Apply(sizes);
BENCHMARK_CAPTURE(allreduce, premultiplied_in_place, way::premultiplied, true)->Apply(sizes);
BENCHMARK_CAPTURE(allreduce, own_loop_in_place, way::own_loop, true)->Apply(sizes);
BENCHMARK_CAPTURE(allreduce, plain, way::plain, false)->Apply(sizes);
BENCHMARK_CAPTURE(allreduce, premultiplied, way::premultiplied, false)->Apply(sizes);
BENCHMARK_CAPTURE(allreduce, own_loop, way::own_loop, false)->Apply(sizes);

BENCHMARK_MAIN();
