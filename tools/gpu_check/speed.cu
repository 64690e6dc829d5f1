// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// How fast the kernels are, beside copies of the same bytes in the same run: the faster of cudaMemcpyAsync and a kernel
// that copies 16 bytes at a time. Sets of buffers take turns, over four times the L2 cache. A time is the slope over a
// graph of repeats, the median of several.
#include "device.hpp"
#include "engine_group.hpp"
#include "group.hpp"
#include "told.hpp"

#include <kernels/optimizer.hpp>
#include <kernels/reduce_many.cuh>

#include <collectives/algorithm/any.hpp>
#include <collectives/algorithm/binomial_tree.hpp>
#include <collectives/algorithm/ring.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::gpu_check;

namespace {

constexpr std::size_t bytes_a_source = std::size_t{64} << 20;

__global__ void copy_kernel(uint4* to, const uint4* from, std::size_t count) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) to[i] = from[i];
}

/// Floats of 32 or 16 bits between 0.5 and 1, of either sign: a GPU moves zeros faster than data.
__global__ void scatter_kernel(std::uint32_t* to, std::size_t words) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += stride) {
        auto x = static_cast<std::uint32_t>(i) * 0x9e3779b9U;
        x ^= x >> 15;
        x *= 0x85ebca6bU;
        to[i] = 0x3f003f00U | ((x ^ x >> 13) & 0x807f807fU);
    }
}
template <class T>
void scatter(const device_array<T>& to) {
    scatter_kernel<<<1024, 256>>>(reinterpret_cast<std::uint32_t*>(to.data()), to.bytes() / 4);
    must(cudaGetLastError(), "scatter");
    must(cudaDeviceSynchronize(), "scatter");
}

/// Seconds of one `start(i, stream)`: the slope between graphs of few and many.
double seconds_of(const stream& s, int many, const std::function<void(int, cudaStream_t)>& start) {
    const auto few = many / 5;
    start(0, s.get()); // loads the kernel, which a capture should not
    s.finish();
    const auto repeated = [&](int times) {
        return s.record([&](cudaStream_t on) {
            for (int i = 0; i < times; ++i) start(i, on);
        });
    };
    const auto short_graph = repeated(few), long_graph = repeated(many);
    static_cast<void>(s.time(long_graph)); // clocks and caches
    std::vector<double> slopes;
    for (int i = 0; i < 15; ++i)
        slopes.push_back((static_cast<double>(s.time(long_graph)) - s.time(short_graph)) / (many - few) / 1e3);
    must(cudaGraphExecDestroy(short_graph), "cudaGraphExecDestroy");
    must(cudaGraphExecDestroy(long_graph), "cudaGraphExecDestroy");
    std::ranges::nth_element(slopes, slopes.begin() + 7);
    return slopes[7];
}

int multiprocessors() {
    int count = 0;
    must(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
    return count;
}

/// Bytes a second that a copy moves, read and written, of that many in all.
double copy_rate(const stream& s, std::size_t moved) {
    const std::size_t half = moved / 2 / 16 * 16;
    const device_array<unsigned char> from(2 * half), to(2 * half); // two sets
    scatter(from);
    const double by_runtime = seconds_of(s, 20, [&](int i, cudaStream_t on) {
        const std::size_t at = i % 2 * half;
        must(cudaMemcpyAsync(to.data() + at, from.data() + at, half, cudaMemcpyDeviceToDevice, on), "cudaMemcpyAsync");
    });
    const int blocks = multiprocessors() * 8;
    const double by_kernel = seconds_of(s, 20, [&](int i, cudaStream_t on) {
        const std::size_t at = i % 2 * half;
        copy_kernel<<<blocks, 256, 0, on>>>(reinterpret_cast<uint4*>(to.data() + at),
                                            reinterpret_cast<const uint4*>(from.data() + at), half / 16);
    });
    figure("copy of " + std::to_string(moved >> 20) + " MiB by cudaMemcpyAsync", 2.0 * half / by_runtime / 1e9, "GB/s");
    figure("copy of " + std::to_string(moved >> 20) + " MiB by a kernel", 2.0 * half / by_kernel / 1e9, "GB/s");
    return 2.0 * half / std::min(by_runtime, by_kernel);
}

void tell_ratio(const std::string& what, double moved, double seconds, double rate, double aim) {
    const double ratio = moved / seconds / rate;
    figure(what + ", of what a copy does", ratio, "", std::to_string(aim).substr(0, 4) + " or more", ratio >= aim);
}

template <class T>
void reduce(const stream& s, const char* type) {
    constexpr std::size_t count = bytes_a_source / sizeof(T);
    for (const unsigned k : {2U, 4U, 8U}) {
        const device_array<T> from(2 * k * count), to(2 * count); // two sets
        scatter(from);
        const double seconds = seconds_of(s, 20, [&](int i, cudaStream_t on) {
            const std::size_t set = static_cast<std::size_t>(i % 2);
            kernels::reduction<T, sum_operator, kernels::stored<T>> what;
            what.sources = k;
            what.count = count;
            for (unsigned j = 0; j < k; ++j) what.from[j] = from.data() + (set * k + j) * count;
            what.last.to[0] = to.data() + set * count;
            must(kernels::launch(what, on), "launch");
        });
        const std::size_t moved = (k + 1) * bytes_a_source;
        tell_ratio("reduce_many of " + std::to_string(k) + " x 64 MiB " + type, static_cast<double>(moved), seconds,
                   copy_rate(s, moved), 0.95);
    }
}

/// Average of two, SGD on weights of float, and a copy of 16 bits, in one pass.
void update(const stream& s) {
    constexpr std::size_t count = bytes_a_source / sizeof(bfloat16);
    constexpr unsigned k = 2;
    const device_array<bfloat16> from(2 * k * count), copy(2 * count);
    const device_array<float> weights(2 * count);
    scatter(from);
    scatter(weights);
    const double seconds = seconds_of(s, 20, [&](int i, cudaStream_t on) {
        const std::size_t set = static_cast<std::size_t>(i % 2);
        using epilogue = kernels::scaled<float, kernels::sgd<kernels::stored<bfloat16>>>;
        const epilogue last{0.5F, {weights.data() + set * count, 0.1F, 0.01F, {{copy.data() + set * count}, 1}}};
        const kernels::reduction<bfloat16, sum_operator, epilogue> step{
            {from.data() + set * k * count, from.data() + (set * k + 1) * count}, k, count, last};
        must(kernels::launch(step, on), "launch");
    });
    constexpr std::size_t moved = (2 * k + 10) * count;
    tell_ratio("average, SGD and copy of 2 gradients of 64 MiB bfloat16", static_cast<double>(moved), seconds,
               copy_rate(s, moved), 0.9);
    figure("fused update", seconds * 1e6, "us");
}

/// Whether all blocks of such a group are resident at once.
bool fits(const stream& s, unsigned ranks, unsigned blocks) {
    const device_group<float> group(ranks, blocks, 16);
    try {
        group.launch_shots(group.two_shots(), 1, s.get());
    } catch (const std::runtime_error&) { // too many: cudaErrorCooperativeLaunchTooLarge
        static_cast<void>(cudaGetLastError());
        return false;
    }
    s.finish();
    return true;
}

void groups(const stream& s) {
    constexpr unsigned ranks = 8;
    constexpr std::size_t small = 8192 / sizeof(float);
    double best_shot = 1, best_packets = 1;
    for (const unsigned blocks : {1U, 2U, 4U, 8U}) {
        const device_group<float> group(ranks, blocks, small, small);
        const auto shots = group.one_shot(), packets = group.packets();
        best_shot =
            std::min(best_shot, seconds_of(s, 100, [&](int, cudaStream_t on) { group.launch_shots(shots, 1, on); }));
        best_packets = std::min(
            best_packets, seconds_of(s, 100, [&](int, cudaStream_t on) { group.launch_packets(packets, 2, on); }));
        check("8 KiB by groups of " + std::to_string(blocks) + " blocks", !group.failed());
    }
    figure("one shot of 8 KiB, 8 ranks, with the best number of blocks", best_shot * 1e6, "us", "under 8",
           best_shot < 8e-6);
    figure("packets of 8 KiB, 8 ranks, with the best number of blocks", best_packets * 1e6, "us");
    const auto many = static_cast<unsigned>(multiprocessors());
    unsigned blocks = std::min(4 * many / ranks, kernels::most_group_blocks);
    while (blocks > 1 && !fits(s, ranks, blocks)) --blocks;
    const device_group<float> group(ranks, blocks, bytes_a_source / sizeof(float));
    for (const auto& in : group.in) scatter(in);
    const auto what = group.two_shots();
    const double seconds = seconds_of(s, 20, [&](int, cudaStream_t on) { group.launch_shots(what, 1, on); });
    const std::size_t moved = 2 * ranks * bytes_a_source;
    tell_ratio("two shots, 8 ranks, 64 MiB", static_cast<double>(moved), seconds, copy_rate(s, moved), 0.85);
    check("64 MiB in two shots", !group.failed());
}

/// A rank's call that does nothing.
struct nothing {
    kernels::peer_group group;
    template <class Here>
    __device__ void operator()(std::uint64_t*, const Here&) const {}
};

/// A rank's call in which two ranks store a word in turn, and wait for that of the other: so many times.
struct bouncing {
    kernels::peer_group group;
    std::uint64_t *mine, *other; ///< where this rank stores, and where the other one does
    std::uint64_t turns;
    template <class Here>
    __device__ void operator()(std::uint64_t*, const Here& here) const {
        if (here.thread() != 0) return;
        const std::uint64_t begin = *mine; // what this rank has stored in earlier launches
        const bool first = group.rank == 0;
        for (std::uint64_t turn = begin + 1; turn <= begin + turns; ++turn) {
            if (first) here.store_relaxed(mine, turn);
            for (std::uint64_t looks = 0; here.load_relaxed(other) < turn && looks < 10'000'000; ++looks) here.rest();
            if (!first) here.store_relaxed(mine, turn);
        }
    }
};

/// Until a word that one rank stores is seen by another one, in a kernel that does nothing else.
double latency_seconds(const stream& s) {
    const device_group<float> group(2, 1, 4);
    const device_array<std::uint64_t> words(64);
    const auto seconds = [&](std::uint64_t turns) {
        std::vector<bouncing> calls;
        for (unsigned r = 0; r < 2; ++r)
            calls.push_back({group.groups[r], words.data() + 32 * r, words.data() + 32 * (1 - r), turns});
        return seconds_of(s, 20, [&](int, cudaStream_t on) {
            must(kernels::launch_together(std::span<const bouncing>(calls), on), "launch_together");
        });
    };
    return (seconds(300) - seconds(100)) / (2 * 200);
}

/// Seconds of a schedule of floats, in place, by the device engine. Maxima, which again and again stay what they are.
double schedule_seconds(const stream& s, const schedule::program& p, std::size_t count, unsigned blocks) {
    using call_type = kernels::device_call<float, maximum_operator>;
    const auto plans = kernels::device_plans_of(p, count, sizeof(float));
    const auto ranks = static_cast<unsigned>(p.size);
    const engine_group group(ranks, blocks);
    std::vector<device_array<float>> data, scratch;
    std::vector<kernels::plan_on_device> loaded(ranks);
    for (unsigned r = 0; r < ranks; ++r) {
        data.emplace_back(count);
        scatter(data[r]);
        scratch.emplace_back(plans[r].scratch);
        must(loaded[r].load(plans[r]), "plan_on_device");
    }
    std::vector<call_type> calls(ranks);
    for (unsigned r = 0; r < ranks; ++r) {
        group.join(calls[r], r);
        loaded[r].set(calls[r]);
        for (unsigned q = 0; q < ranks; ++q) {
            calls[r].memory[q][0] = calls[r].memory[q][1] = data[q].data();
            calls[r].memory[q][2] = scratch[q].data();
        }
    }
    const double seconds = seconds_of(s, 20, [&](int, cudaStream_t on) {
        must(kernels::launch_together(std::span<const call_type>(calls), on), "launch_together");
    });
    check(std::string(name_of(p.what)) + " of " + std::to_string(count) + " elements by the device engine",
          !group.failed());
    return seconds;
}

/// What a schedule costs beside the kernels that have none.
void rings(const stream& s) {
    constexpr int ranks = 8;
    const auto p = algorithm::any(algorithm::ring{}).write(schedule::operation::allreduce, ranks, 0, true);
    const unsigned blocks = static_cast<unsigned>(multiprocessors()) / ranks;
    for (const std::size_t bytes : {std::size_t{8192}, bytes_a_source})
        figure("ring of " + std::to_string(bytes) + " bytes, 8 ranks, by the device engine",
               schedule_seconds(s, p, bytes / sizeof(float), bytes > 8192 ? blocks : 2) * 1e6, "us");
}

/// What two ranks pay before bytes count: model::gpu_host is made of these, by tools/gpu-check.
void signals(const stream& s) {
    constexpr std::size_t count = 4;
    const device_group<float> group(2, 1, count, count);
    std::vector<nothing> idle;
    for (const kernels::peer_group& g : group.groups) idle.push_back({g});
    const auto shots = group.one_shot(), packets = group.packets();
    figure("launch of 2 ranks that do nothing",
           1e6 * seconds_of(s, 100,
                            [&](int, cudaStream_t on) {
                                must(kernels::launch_together(std::span<const nothing>(idle), on), "launch_together");
                            }),
           "us");
    figure("packets of 16 bytes, 2 ranks",
           1e6 * seconds_of(s, 100, [&](int, cudaStream_t on) { group.launch_packets(packets, 2, on); }), "us");
    figure("one shot of 16 bytes, 2 ranks",
           1e6 * seconds_of(s, 100, [&](int, cudaStream_t on) { group.launch_shots(shots, 1, on); }), "us");
    const auto message = algorithm::any(algorithm::binomial_tree{}).write(schedule::operation::broadcast, 2, 0, true);
    figure("message of 16 bytes by the device engine", 1e6 * schedule_seconds(s, message, count, 1), "us");
    figure("latency of a word between 2 ranks", 1e6 * latency_seconds(s), "us");
    check("16 bytes by groups of 2 ranks", !group.failed());
}

} // namespace

int main() {
    return run([] {
        const stream s;
        reduce<float>(s, "float32");
        reduce<bfloat16>(s, "bfloat16");
        update(s);
        groups(s);
        signals(s);
        rings(s);
    });
}
