// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The kernels of stream_reductions for one operator.
#include "stream/entries.cuh"

namespace tutti::kernels::detail {

std::span<const entry> averages() noexcept {
    static constexpr auto all = entries<average_operator, float, double, float16, bfloat16>();
    return all;
}

} // namespace tutti::kernels::detail
