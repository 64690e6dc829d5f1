// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// The CUDA runtime, as far as the programs of tools/gpu-check need it.
namespace tutti::gpu_check {

inline void must(cudaError_t code, const char* what) {
    if (code != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
}

/// Memory of the device, zeroed. What is done to it here is over on return, for every stream.
template <class T>
class device_array {
public:
    explicit device_array(std::size_t count) : count_(count) {
        must(cudaMalloc(&at_, bytes() + 1), "cudaMalloc");
        fill(0);
    }
    explicit device_array(const std::vector<T>& from) : device_array(from.size()) { set(from); }
    device_array(device_array&& other) noexcept
        : at_(std::exchange(other.at_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    device_array& operator=(device_array&&) = delete;
    ~device_array() { cudaFree(at_); }

    [[nodiscard]] T* data() const noexcept { return static_cast<T*>(at_); }
    [[nodiscard]] std::size_t bytes() const noexcept { return count_ * sizeof(T); }
    void set(const std::vector<T>& from) {
        must(cudaMemcpy(at_, from.data(), bytes(), cudaMemcpyHostToDevice), "cudaMemcpy to the device");
        must(cudaDeviceSynchronize(), "cudaMemcpy to the device");
    }
    void fill(int byte) {
        must(cudaMemset(at_, byte, bytes() + 1), "cudaMemset");
        must(cudaDeviceSynchronize(), "cudaMemset");
    }
    [[nodiscard]] std::vector<T> get() const {
        std::vector<T> to(count_);
        must(cudaMemcpy(to.data(), at_, bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy from the device");
        return to;
    }

private:
    void* at_ = nullptr;
    std::size_t count_;
};

/// A word of the host that kernels write.
class mapped_words {
public:
    explicit mapped_words(std::size_t count) {
        must(cudaHostAlloc(&at_, count * sizeof(std::uint64_t), cudaHostAllocMapped), "cudaHostAlloc");
        std::memset(at_, 0, count * sizeof(std::uint64_t));
        void* seen = nullptr;
        must(cudaHostGetDevicePointer(&seen, at_, 0), "cudaHostGetDevicePointer");
        device_ = static_cast<std::uint64_t*>(seen);
    }
    mapped_words(const mapped_words&) = delete;
    mapped_words& operator=(const mapped_words&) = delete;
    ~mapped_words() { cudaFreeHost(at_); }

    [[nodiscard]] std::uint64_t* on_device() const noexcept { return device_; }
    [[nodiscard]] std::uint64_t operator[](std::size_t i) const noexcept {
        return static_cast<const volatile std::uint64_t*>(at_)[i];
    }

private:
    void* at_ = nullptr;
    std::uint64_t* device_ = nullptr;
};

/// A stream, and graphs of what `start(stream)` puts on it.
class stream {
public:
    stream() { must(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "cudaStreamCreate"); }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    ~stream() { cudaStreamDestroy(s_); }

    [[nodiscard]] cudaStream_t get() const noexcept { return s_; }
    void finish() const { must(cudaStreamSynchronize(s_), "cudaStreamSynchronize"); }

    template <class Start>
    [[nodiscard]] cudaGraphExec_t record(const Start& start) const {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t ready = nullptr;
        must(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
        start(s_);
        must(cudaStreamEndCapture(s_, &graph), "cudaStreamEndCapture");
        must(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
        must(cudaGraphDestroy(graph), "cudaGraphDestroy");
        return ready;
    }
    /// Milliseconds that the graph takes.
    [[nodiscard]] float time(cudaGraphExec_t graph) const {
        cudaEvent_t begin = nullptr, end = nullptr;
        must(cudaEventCreate(&begin), "cudaEventCreate");
        must(cudaEventCreate(&end), "cudaEventCreate");
        must(cudaEventRecord(begin, s_), "cudaEventRecord");
        must(cudaGraphLaunch(graph, s_), "cudaGraphLaunch");
        must(cudaEventRecord(end, s_), "cudaEventRecord");
        must(cudaEventSynchronize(end), "cudaEventSynchronize");
        float ms = 0;
        must(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
        cudaEventDestroy(begin);
        cudaEventDestroy(end);
        return ms;
    }

private:
    cudaStream_t s_ = nullptr;
};

} // namespace tutti::gpu_check
