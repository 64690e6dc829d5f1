// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The kernels of stream_reductions for one operator.
#include "stream/entries.cuh"

namespace tutti::kernels::detail {

std::span<const entry> products() noexcept {
    static constexpr auto all = of_all_types<product_operator>();
    return all;
}

} // namespace tutti::kernels::detail
