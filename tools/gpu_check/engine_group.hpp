// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "device.hpp"

#include "kernels/engine/device_engine.cuh"

#include <cstddef>

namespace tutti::gpu_check {

/// What ranks that share this device meet by in calls of the device engine, any number of them.
class engine_group {
public:
    explicit engine_group(unsigned ranks, unsigned blocks = 4)
        : flags_(ranks), pages_(ranks), counters_(std::size_t{ranks} * blocks),
          group_counters_(std::size_t{ranks} * blocks), reports_(ranks), ranks_(ranks), blocks_(blocks) {}

    template <class T, class Op>
    void join(kernels::device_call<T, Op>& call, unsigned rank) const {
        call.group = {.rank = rank, .size = ranks_, .blocks = blocks_};
        for (unsigned p = 0; p < ranks_; ++p) {
            call.group.pages[p] = flags_.data() + p;
            call.pages[p] = pages_.data() + p;
        }
        call.group.counters = group_counters_.data() + std::size_t{rank} * blocks_;
        call.group.report = reports_.on_device() + rank;
        call.group.timeout_ns = 10'000'000'000;
        call.counters = counters_.data() + std::size_t{rank} * blocks_;
    }
    [[nodiscard]] bool failed() const {
        for (unsigned r = 0; r < ranks_; ++r)
            if (reports_[r] != 0) return true;
        return false;
    }

private:
    device_array<kernels::flag_page> flags_;
    device_array<kernels::device_page> pages_;
    device_array<kernels::device_counters> counters_;
    device_array<kernels::block_counters> group_counters_;
    mapped_words reports_;
    unsigned ranks_, blocks_;
};

} // namespace tutti::gpu_check
