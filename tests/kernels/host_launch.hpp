// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/reduce/host_execution.hpp"
#include "kernels/reduce_many.hpp"

#include <cstring>
#include <vector>

namespace tutti::test {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// By the definition: one element after the other, floats of 16 and 8 bits in float.
inline constexpr auto by_definition = []<class T, class Op>(T* to,
                                                            const kernels::reduction<T, Op, kernels::stored<T>>& what) {
    for (std::size_t i = 0; i < what.count; ++i) {
        auto total = static_cast<kernels::detail::total<T, Op>>(what.from[0][i]);
        for (unsigned s = 1; s < what.sources; ++s)
            total = static_cast<decltype(total)>(what.op(total, static_cast<decltype(total)>(what.from[s][i])));
        to[i] = static_cast<T>(total);
    }
};

/// reduce_many on threads of the host, as `kernels::launch` does it on a device. Returns the access that it took.
template <class T, class Op, class Epilogue>
kernels::access_width launch_on_host(const kernels::reduction<T, Op, Epilogue>& what, kernels::geometry shape) {
    using namespace kernels;
    const access_width how = access_of(what);
    with_constants<lanes_of<reduction<T, Op, Epilogue>>>(how, what.sources, [&]<unsigned lanes, unsigned most>() {
        run_on_host(shape, [&](const host_execution& here) { reduce_many<lanes, most>(what, how, here); });
    });
    return how;
}

} // namespace tutti::test
