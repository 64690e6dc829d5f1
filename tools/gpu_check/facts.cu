// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What this GPU is, and what of it the kernels need.
#include "device.hpp"
#include "told.hpp"

#include <transport/cuda_stream_runtime.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string_view>

using namespace tutti::gpu_check;

namespace {

int attribute(cudaDeviceAttr which) {
    int value = 0;
    must(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
    return value;
}

/// Words of the host that streams and the host store and await.
class shared_words {
public:
    explicit shared_words(const tutti::transport::cuda_stream_runtime& device)
        : device_(device), memory_(std::make_unique<page>()),
          seen_(
              reinterpret_cast<std::uint64_t*>(device.map(reinterpret_cast<std::byte*>(memory_.get()), sizeof(page)))) {
    }
    shared_words(const shared_words&) = delete;
    shared_words& operator=(const shared_words&) = delete;
    ~shared_words() { device_.unmap(reinterpret_cast<std::byte*>(memory_.get())); }

    [[nodiscard]] std::uint64_t* on_device(int which) const noexcept { return &seen_[which]; }
    void store(int which, std::uint64_t value) const noexcept {
        std::atomic_ref(memory_->words[which]).store(value, std::memory_order_release);
    }

private:
    struct alignas(4096) page {
        std::uint64_t words[3] = {0, 0, 0};
    };
    const tutti::transport::cuda_stream_runtime& device_;
    std::unique_ptr<page> memory_;
    std::uint64_t* seen_;
};

/// Waits for the stream, ten seconds at most. Then it releases all words and throws.
void finish_in_time(const stream& s, const shared_words& words) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    for (cudaError_t status = cudaStreamQuery(s.get()); status != cudaSuccess; status = cudaStreamQuery(s.get())) {
        if (status != cudaErrorNotReady) must(status, "cudaStreamQuery");
        if (std::chrono::steady_clock::now() < until) continue;
        for (const int word : {0, 1, 2}) words.store(word, std::uint64_t{1} << 62);
        throw std::runtime_error("a stream that awaits a word does not go on");
    }
}

/// Microseconds from a store of one stream to a store of another one that has awaited it. All is put into the streams
/// before the host releases the first of them. What awaits a word comes behind what stores it, also where both streams
/// share a queue of the hardware.
double hand_off(const tutti::transport::cuda_stream_runtime& device) {
    constexpr std::uint64_t turns = 50;
    constexpr int gate = 2;
    const shared_words words(device);
    const stream first, second;
    double least = 1e30;
    for (std::uint64_t round = 0; round < 9; ++round) {
        device.await_word(words.on_device(gate), round + 1, first.get());
        for (std::uint64_t k = round * turns + 1; k <= (round + 1) * turns; ++k) {
            device.store_on(words.on_device(0), k, first.get());
            device.await_word(words.on_device(0), k, second.get());
            device.store_on(words.on_device(1), k, second.get());
            device.await_word(words.on_device(1), k, first.get());
        }
        const auto begin = std::chrono::steady_clock::now();
        words.store(gate, round + 1);
        finish_in_time(first, words);
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
        finish_in_time(second, words);
        least = std::min(least, took.count() / (2 * turns));
    }
    return least;
}

bool has_handles() {
    const device_array<unsigned char> memory(std::size_t{2} << 20);
    cudaIpcMemHandle_t handle{};
    const bool has = cudaIpcGetMemHandle(&handle, memory.data()) == cudaSuccess;
    static_cast<void>(cudaGetLastError());
    return has;
}

} // namespace

/// "present": only whether there is a device, and of which kind. "hold": keeps a context until the input ends.
int main(int argc, char** argv) {
    return run([&] {
        const std::string_view mode = argc > 1 ? argv[1] : "";
        int devices = 0;
        must(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
        if (mode == "hold") {
            must(cudaFree(nullptr), "a context");
            while (std::getchar() != EOF) {
            }
            return;
        }
        cudaDeviceProp d{};
        must(cudaGetDeviceProperties(&d, 0), "cudaGetDeviceProperties");
        fact("devices", std::to_string(devices));
        fact("compute capability", std::to_string(d.major) + "." + std::to_string(d.minor));
        if (mode == "present") return;
        int driver = 0, runtime = 0;
        must(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
        must(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
        fact("device", d.name);
        fact("multiprocessors", std::to_string(d.multiProcessorCount));
        fact("memory, MiB", std::to_string(d.totalGlobalMem >> 20));
        fact("L2 cache, MiB", std::to_string(d.l2CacheSize >> 20));
        fact("driver, runtime", std::to_string(driver) + ", " + std::to_string(runtime));
        check("cooperative launches", attribute(cudaDevAttrCooperativeLaunch) != 0);
        check("memory of the host is mapped", attribute(cudaDevAttrCanMapHostMemory) != 0);
        check("one address space with the host", attribute(cudaDevAttrUnifiedAddressing) != 0);
        fact("handles of memory between processes", has_handles() ? "yes" : "no");
        const tutti::transport::cuda_stream_runtime runtime_of_streams{0};
        const bool words = runtime_of_streams.orders_by_words();
        fact("streams wait for words of 64 bits", words ? "yes" : "no");
        if (words)
            figure("from one stream to another by a word in memory of the host", hand_off(runtime_of_streams), "us");
    });
}
