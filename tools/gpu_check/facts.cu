// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What this GPU is, and what of it the kernels need.
#include "device.hpp"
#include "told.hpp"

using namespace tutti::gpu_check;

namespace {

int attribute(cudaDeviceAttr which) {
    int value = 0;
    must(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
    return value;
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
    });
}
