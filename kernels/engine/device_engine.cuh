// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allreduce/group_launch.cuh"
#include "device_engine.hpp"

#include <cstddef>
#include <cuda_runtime_api.h>
#include <utility>
#include <vector>

namespace tutti::kernels {

/// A rank's plan in the memory of the device that was current when it was loaded. A call is started by launch_in_group,
/// or those of all ranks by launch_together: see group_launch.cuh.
class plan_on_device {
public:
    plan_on_device() = default;
    /// Takes the plan over; the other one is empty.
    plan_on_device(plan_on_device&& other) noexcept
        : steps_(std::exchange(other.steps_, nullptr)), operands_(std::exchange(other.operands_, nullptr)),
          number_(std::exchange(other.number_, 0)), messages_(other.messages_) {}
    /// Frees its own plan, and takes the other one over.
    plan_on_device& operator=(plan_on_device&& other) noexcept {
        std::swap(steps_, other.steps_);
        std::swap(operands_, other.operands_);
        std::swap(number_, other.number_);
        std::swap(messages_, other.messages_);
        return *this;
    }
    ~plan_on_device() {
        cudaFree(steps_);
        cudaFree(operands_);
    }

    /// In place of what was there; on return every stream may use it. It waits for the device, and so does the
    /// destructor: no call of the group may be under way, since it might wait for a rank that waits here. Errors: what
    /// the runtime says; then there is no plan.
    [[nodiscard]] cudaError_t load(const device_plan& p) {
        *this = plan_on_device();
        cudaError_t failed = copied(p.steps, steps_);
        if (failed == cudaSuccess) failed = copied(p.operands, operands_);
        if (failed == cudaSuccess) failed = cudaDeviceSynchronize(); // a copy may return before it has arrived
        if (failed != cudaSuccess) return failed;
        number_ = static_cast<std::uint32_t>(p.steps.size());
        messages_ = p.messages;
        return cudaSuccess;
    }
    /// The call runs this plan. It stays until the call's kernel has ended.
    template <class Call>
    void set(Call& call) const noexcept {
        call.steps = steps_;
        call.operands = operands_;
        call.number = number_;
        call.messages = messages_;
    }

private:
    template <class Item>
    [[nodiscard]] static cudaError_t copied(const std::vector<Item>& from, Item*& to) {
        if (from.empty()) return cudaSuccess;
        const std::size_t bytes = from.size() * sizeof(Item);
        const cudaError_t failed = cudaMalloc(&to, bytes);
        return failed != cudaSuccess ? failed : cudaMemcpy(to, from.data(), bytes, cudaMemcpyHostToDevice);
    }

    device_step* steps_ = nullptr;
    operand* operands_ = nullptr;
    std::uint32_t number_ = 0;
    message_counts messages_;
};

} // namespace tutti::kernels
