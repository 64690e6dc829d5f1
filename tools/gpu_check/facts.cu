// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What this GPU is, and what of it the kernels need.
#include "device.hpp"
#include "told.hpp"

#include <transport/cuda_ipc/cuda_stream_runtime.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

using namespace tutti::gpu_check;

namespace {

int attribute(cudaDeviceAttr which) {
    int value = 0;
    must(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
    return value;
}

/// Microseconds from a store of one stream to a store of another one that has awaited it.
double hand_off(const tutti::transport::cuda_stream_runtime& device) {
    struct alignas(4096) page {
        std::uint64_t words[2] = {0, 0};
    };
    constexpr std::uint64_t turns = 200;
    const auto memory = std::make_unique<page>();
    auto* const host = reinterpret_cast<std::byte*>(memory.get());
    auto* const seen = reinterpret_cast<std::uint64_t*>(device.map(host, sizeof(page)));
    const stream first, second;
    double least = 1e30;
    for (std::uint64_t round = 0; round < 5; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        for (std::uint64_t k = round * turns + 1; k <= (round + 1) * turns; ++k) {
            device.store_on(&seen[0], k, first.get());
            device.await_word(&seen[1], k, first.get());
            device.await_word(&seen[0], k, second.get());
            device.store_on(&seen[1], k, second.get());
        }
        first.finish();
        second.finish();
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
        least = std::min(least, took.count() / (2 * turns));
    }
    device.unmap(host);
    return least;
}

} // namespace

int main() {
    return run([] {
        cudaDeviceProp d{};
        must(cudaGetDeviceProperties(&d, 0), "cudaGetDeviceProperties");
        int driver = 0, runtime = 0, devices = 0;
        must(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
        must(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
        must(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
        fact("device", d.name);
        fact("devices", std::to_string(devices));
        fact("compute capability", std::to_string(d.major) + "." + std::to_string(d.minor));
        fact("multiprocessors", std::to_string(d.multiProcessorCount));
        fact("memory, MiB", std::to_string(d.totalGlobalMem >> 20));
        fact("L2 cache, MiB", std::to_string(d.l2CacheSize >> 20));
        fact("driver, runtime", std::to_string(driver) + ", " + std::to_string(runtime));
        check("cooperative launches", attribute(cudaDevAttrCooperativeLaunch) != 0);
        check("memory of the host is mapped", attribute(cudaDevAttrCanMapHostMemory) != 0);
        check("one address space with the host", attribute(cudaDevAttrUnifiedAddressing) != 0);
        fact("handles of memory between processes", attribute(cudaDevAttrIpcEventSupport) != 0 ? "yes" : "no");
        const tutti::transport::cuda_stream_runtime runtime_of_streams{0};
        const bool words = runtime_of_streams.orders_by_words();
        fact("streams wait for words of 64 bits", words ? "yes" : "no");
        if (words)
            figure("from one stream to another by a word in memory of the host", hand_off(runtime_of_streams), "us");
    });
}
