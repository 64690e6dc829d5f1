// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "contract/stream_runtime.hpp"
#include "fabrics/cuda_ipc/cuda_runtime.hpp"

#include <cuda.h> // types alone: the driver's functions are found at run time, and its library is not linked

#include <cstring>

namespace tutti::transport {

/// CUDA's runtime, as stream_runtime has it. Link cudart.
class cuda_stream_runtime : public cuda_runtime {
    using word_operation = CUresult (*)(CUstream, CUdeviceptr, cuuint64_t, unsigned);
    using attribute_query = CUresult (*)(int*, CUdevice_attribute, CUdevice);

    static void must_enqueue(word_operation operation, const char* name, std::uint64_t* word, std::uint64_t value,
                             cudaStream_t in) {
        if (!operation) throw device_error(std::string(name) + ": the driver does not have it");
        // The runtime's errors have the numbers of the driver's.
        must(static_cast<cudaError_t>(operation(in, reinterpret_cast<CUdeviceptr>(word), value, 0)), name);
    }

public:
    using cuda_runtime::cuda_runtime;
    /// As the table of the concept `stream_runtime` has it.
    /// @{
    using native_stream = cudaStream_t;

    [[nodiscard]] native_stream native(const stream& s) const noexcept { return s.get(); }
    void copy_on(std::byte* to, const std::byte* from, std::size_t bytes, native_stream in) const {
        must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, in), "cudaMemcpyAsync");
    }
    void record_on(event& e, native_stream in) const { must(cudaEventRecord(e.get(), in), "cudaEventRecord"); }
    void await_event(const event& e, native_stream in) const {
        must(cudaStreamWaitEvent(in, e.get(), 0), "cudaStreamWaitEvent");
    }
    [[nodiscard]] std::byte* map(std::byte* p, std::size_t bytes) const {
        must(cudaHostRegister(p, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable), "cudaHostRegister");
        void* seen = nullptr;
        must(cudaHostGetDevicePointer(&seen, p, 0), "cudaHostGetDevicePointer");
        return static_cast<std::byte*>(seen);
    }
    void unmap(std::byte* p) const noexcept { try_to(cudaHostUnregister(p)); }
    void store_on(std::uint64_t* word, std::uint64_t value, native_stream in) const {
        static const auto operation = driver_function<word_operation>("cuStreamWriteValue64");
        must_enqueue(operation, "cuStreamWriteValue64", word, value, in); // 0: a barrier of memory comes before it
    }
    void await_word(std::uint64_t* word, std::uint64_t value, native_stream in) const {
        static const auto operation = driver_function<word_operation>("cuStreamWaitValue64");
        must_enqueue(operation, "cuStreamWaitValue64", word, value, in); // 0: until word - value, signed, is 0 or more
    }
    [[nodiscard]] bool orders_by_words() const {
        const auto query = driver_function<attribute_query>("cuDeviceGetAttribute");
        int has = 0;
        return query && query(&has, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, number()) == CUDA_SUCCESS && has;
    }
    [[nodiscard]] std::uint64_t capture_of(native_stream in) const {
        cudaStreamCaptureStatus status{};
        unsigned long long id = 0;
        must(cudaStreamGetCaptureInfo(in, &status, &id), "cudaStreamGetCaptureInfo");
        return status == cudaStreamCaptureStatusActive ? id : 0;
    }
    [[nodiscard]] device_identity identity() const {
        cudaDeviceProp about{};
        must(cudaGetDeviceProperties(&about, number()), "cudaGetDeviceProperties");
        device_identity id;
        static_assert(sizeof about.uuid == sizeof id);
        std::memcpy(id.data(), &about.uuid, sizeof id);
        return id;
    }
    [[nodiscard]] event make_timed_event() const {
        cudaEvent_t e = nullptr;
        must(cudaEventCreate(&e), "cudaEventCreate");
        return event(e);
    }
    [[nodiscard]] double microseconds(const event& from, const event& to) const {
        float ms = 0;
        must(cudaEventElapsedTime(&ms, from.get(), to.get()), "cudaEventElapsedTime");
        return 1e3 * static_cast<double>(ms);
    }
    /// @}
};

static_assert(timed_stream_runtime<cuda_stream_runtime>);

} // namespace tutti::transport
