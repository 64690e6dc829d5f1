// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fake_cuda_streams.hpp"

#include <atomic>
#include <cstddef>
#include <span>

namespace tutti::test {

/// An element of a rank's input to the call of that number: sums of them are exact.
inline float ordered_input(int rank, std::size_t call, std::size_t i) {
    return static_cast<float>((i * 7 + call * 13) % 101) + 0.5F * static_cast<float>(rank + 1);
}
/// The sum of that of so many ranks.
inline float ordered_sum(int ranks, std::size_t call, std::size_t i) {
    float sum = 0;
    for (int r = 0; r < ranks; ++r) sum += ordered_input(r, call, i);
    return sum;
}

/// Puts into the stream what stands for a kernel of the user's: it writes the input of a call.
inline void produce(std::span<float> to, int rank, std::size_t call, fake_cuda::stream* on) {
    on->put([=] {
        auto* const there =
            reinterpret_cast<float*>(fake_cuda::reach(reinterpret_cast<const std::byte*>(to.data()), to.size_bytes()));
        for (std::size_t i = 0; i < to.size(); ++i) there[i] = ordered_input(rank, call, i);
    });
}
/// Puts into the stream a kernel that counts wrong elements of a call's output, and spoils them all.
inline void consume(std::span<float> from, int ranks, std::size_t call, fake_cuda::stream* on,
                    std::atomic<std::size_t>& wrong) {
    on->put([=, &wrong] {
        auto* const there = reinterpret_cast<float*>(
            fake_cuda::reach(reinterpret_cast<const std::byte*>(from.data()), from.size_bytes()));
        for (std::size_t i = 0; i < from.size(); ++i) {
            wrong += there[i] != ordered_sum(ranks, call, i);
            there[i] = -1;
        }
    });
}

/// Device memory of the user's own.
class own_device_memory {
public:
    explicit own_device_memory(std::size_t floats, int device = 0) : device_(device), floats_(floats) {
        device_.use();
        at_ = device_.allocate(floats * sizeof(float));
    }
    own_device_memory(const own_device_memory&) = delete;
    own_device_memory& operator=(const own_device_memory&) = delete;
    ~own_device_memory() {
        device_.use();
        device_.free(at_);
    }
    [[nodiscard]] std::span<float> seen() const { return {reinterpret_cast<float*>(at_), floats_}; }

private:
    fake_cuda device_;
    std::size_t floats_;
    std::byte* at_;
};

} // namespace tutti::test
