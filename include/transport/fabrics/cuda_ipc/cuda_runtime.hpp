// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/device_runtime.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace tutti::transport {

/// CUDA's runtime, as device_runtime has it. Link cudart; no unit need be compiled by nvcc.
class cuda_runtime {
protected:
    /// Throws device_lost for an error that stays, as of a kernel that has read what is no memory; else device_error.
    static void must(cudaError_t status, const char* call) {
        if (status == cudaSuccess) return;
        static_cast<void>(cudaGetLastError()); // it is told here; later calls shall not tell it again
        const std::string words = std::string(call) + ": " + cudaGetErrorString(status);
        if (stays(status)) throw device_lost(words);
        throw device_error(words);
    }

    /// The same where nobody is to be told.
    static void try_to(cudaError_t status) noexcept {
        if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
    }

    /// A function of the driver as of CUDA 11.7, whose library need not be linked; null where it has none of that name.
    template <class Function>
    [[nodiscard]] static Function driver_function(const char* name) {
        void* found = nullptr;
        cudaDriverEntryPointQueryResult how{};
#if CUDART_VERSION >= 12050
        const auto status = cudaGetDriverEntryPointByVersion(name, &found, 11070, cudaEnableDefault, &how);
#else
        const auto status = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &how);
#endif
        if (status == cudaSuccess && how == cudaDriverEntryPointSuccess) return reinterpret_cast<Function>(found);
        static_cast<void>(cudaGetLastError());
        return nullptr;
    }

private:
    /// Devices that this process can use, at least one. Throws device_error.
    [[nodiscard]] static int count() {
        int devices = 0;
        try {
            must(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
        } catch (const device_lost&) {
            throw;
        } catch (const device_error& e) {
            throw device_error(e.what() + std::string(" (nvidia-smi tells which GPUs and which driver there are)"));
        }
        return devices;
    }

    [[nodiscard]] static bool stays(cudaError_t status) noexcept {
        switch (status) {
        case cudaErrorIllegalAddress:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorIllegalInstruction:
        case cudaErrorInvalidPc:
        case cudaErrorHardwareStackError:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorMpsClientTerminated:
        case cudaErrorExternalDevice: return true;
        default: return false;
        }
    }

    /// What CUDA made, which goes with this.
    template <class Made, cudaError_t (*destroy)(Made)>
    class owned {
    public:
        explicit owned(Made made) noexcept : made_(made) {}
        owned(owned&& other) noexcept : made_(std::exchange(other.made_, nullptr)) {}
        owned& operator=(owned&&) = delete;
        ~owned() {
            if (made_) try_to(destroy(made_));
        }
        [[nodiscard]] Made get() const noexcept { return made_; }

    private:
        Made made_;
    };

public:
    /// As the table of the concept `device_runtime` has it.
    /// @{
    using stream = owned<cudaStream_t, cudaStreamDestroy>;
    using event = owned<cudaEvent_t, cudaEventDestroy>;
    using handle = cudaIpcMemHandle_t;
    /// @}

    /// The device of that number; a negative one means the device that is current. Throws device_error where there is
    /// none.
    explicit cuda_runtime(int number) : number_(number) {
        const int devices = count();
        if (number_ < 0) must(cudaGetDevice(&number_), "cudaGetDevice");
        if (number_ >= devices)
            throw device_error("there is no device " + std::to_string(number_) + " among " + std::to_string(devices));
    }
    /// The device's number.
    [[nodiscard]] int number() const noexcept { return number_; }

    /// As the table of the concept `device_runtime` has it.
    /// @{
    void use() const { must(cudaSetDevice(number_), "cudaSetDevice"); }

    [[nodiscard]] std::byte* allocate(std::size_t bytes) const {
        void* p = nullptr;
        must(cudaMalloc(&p, bytes), "cudaMalloc");
        return static_cast<std::byte*>(p);
    }
    void clear(std::byte* p, std::size_t bytes) const {
        const stream own = make_stream(); // the default one would wait for the user's kernels
        must(cudaMemsetAsync(p, 0, bytes, own.get()), "cudaMemsetAsync");
        must(cudaStreamSynchronize(own.get()), "cudaStreamSynchronize");
    }
    void free(std::byte* p) const noexcept { try_to(cudaFree(p)); }

    [[nodiscard]] handle handle_of(std::byte* p) const {
        handle h{};
        must(cudaIpcGetMemHandle(&h, p), "cudaIpcGetMemHandle");
        return h;
    }
    [[nodiscard]] std::byte* open(const handle& h) const {
        void* p = nullptr;
        must(cudaIpcOpenMemHandle(&p, h, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
        return static_cast<std::byte*>(p);
    }
    void close(std::byte* p) const noexcept { try_to(cudaIpcCloseMemHandle(p)); }

    [[nodiscard]] std::byte* allocate_host(std::size_t bytes) const {
        void* p = nullptr;
        must(cudaHostAlloc(&p, bytes, cudaHostAllocDefault), "cudaHostAlloc");
        return static_cast<std::byte*>(p);
    }
    void free_host(std::byte* p) const noexcept { try_to(cudaFreeHost(p)); }

    /// @}

    /// Managed memory is not: the host may touch it.
    [[nodiscard]] bool is_on_device(const std::byte* p) const {
        cudaPointerAttributes about{};
        must(cudaPointerGetAttributes(&about, p), "cudaPointerGetAttributes");
        return about.type == cudaMemoryTypeDevice;
    }

    /// As the table of the concept `device_runtime` has it.
    /// @{
    [[nodiscard]] std::span<std::byte> allocation_of(std::byte* p) const {
        cudaPointerAttributes about{};
        must(cudaPointerGetAttributes(&about, p), "cudaPointerGetAttributes");
        if (about.device != number_)
            throw device_error("it is memory of device " + std::to_string(about.device) +
                               ", and this rank's is device " + std::to_string(number_));
        static const auto range_of =
            driver_function<CUresult (*)(CUdeviceptr*, std::size_t*, CUdeviceptr)>("cuMemGetAddressRange");
        if (!range_of) throw device_error("cuMemGetAddressRange: the driver does not have it");
        CUdeviceptr start = 0;
        std::size_t bytes = 0;
        // The runtime's errors have the numbers of the driver's.
        must(static_cast<cudaError_t>(range_of(&start, &bytes, reinterpret_cast<CUdeviceptr>(p))),
             "cuMemGetAddressRange");
        return {reinterpret_cast<std::byte*>(start), bytes};
    }
    [[nodiscard]] stream make_stream() const {
        cudaStream_t s = nullptr;
        must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        return stream(s);
    }
    [[nodiscard]] event make_event() const {
        cudaEvent_t e = nullptr;
        must(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), "cudaEventCreateWithFlags");
        return event(e);
    }
    void copy(std::byte* to, const std::byte* from, std::size_t bytes, stream& in) const {
        must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, in.get()), "cudaMemcpyAsync");
    }
    void record(event& e, stream& in) const { must(cudaEventRecord(e.get(), in.get()), "cudaEventRecord"); }
    [[nodiscard]] bool is_done(const event& e) const {
        const cudaError_t status = cudaEventQuery(e.get());
        if (status == cudaErrorNotReady) {
            static_cast<void>(cudaGetLastError());
            return false;
        }
        must(status, "cudaEventQuery");
        return true;
    }
    /// @}

private:
    int number_;
};

static_assert(device_runtime<cuda_runtime>);

} // namespace tutti::transport
