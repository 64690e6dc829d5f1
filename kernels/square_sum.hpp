// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "reduce/execution.hpp"

#include <tutti/collectives/reduction/exact.hpp>
#include <tutti/collectives/reduction/host_device.hpp>
#include <tutti/collectives/reduction/narrow_float.hpp>
#include <tutti/collectives/reduction/scalar.hpp>

#include <concepts>
#include <cstddef>

/// The sum of squares of many elements, for clipping gradients by their norm: in a fixed tree, so its bits depend on
/// the data alone, not on the geometry, nor on which block comes first.
namespace tutti::kernels {

/// Elements of a tile. A tile has one partial sum, which a block finds by itself.
inline constexpr std::size_t tile_elements = 1024;
/// Sums of a tile at the bottom of its tree. Each has every 256th element.
inline constexpr unsigned tile_lanes = 256;

/// How many tiles so many elements have.
[[nodiscard]] TUTTI_HOST_DEVICE constexpr std::size_t tiles_of(std::size_t count) noexcept {
    return (count + tile_elements - 1) / tile_elements;
}

/// Partial sums as they are.
struct as_is {
    /// Adds a partial sum.
    [[nodiscard]] TUTTI_HOST_DEVICE double operator()(double sum, double x) const noexcept {
        return tutti::detail::plus(sum, x);
    }
};
/// The square of a float is exact in double.
struct squared {
    /// Adds the square of an element, computed in double.
    template <class T>
    [[nodiscard]] TUTTI_HOST_DEVICE double operator()(double sum, const T& x) const noexcept {
        static_assert(std::same_as<T, float> || tutti::detail::is_narrow_float<T>, "tutti: squares are of floats");
        const auto wide = tutti::detail::to_double(static_cast<float>(x));
        return tutti::detail::fused(wide, wide, sum);
    }
};

/// One level: partial[t] becomes the sum over tile t of `from`, in double. `lanes` is memory of the block, of
/// `tile_lanes` doubles. Called with `squared` on the elements, then with `as_is` on its own result, until one number
/// is left: 1,024 times fewer each time. Elements are float or of 16 and 8 bits. A NaN among them makes the result a
/// NaN of any form.
template <class Add, class T, execution Here>
TUTTI_HOST_DEVICE void sum_tiles(const T* from, std::size_t count, double* partial, double* lanes, const Add& add,
                                 const Here& here) {
    for (std::size_t tile = here.block(); tile < tiles_of(count); tile += here.blocks()) {
        const std::size_t begin = tile * tile_elements;
        for (unsigned lane = here.thread(); lane < tile_lanes; lane += here.threads()) {
            double sum = 0;
            for (std::size_t k = lane; k < tile_elements && begin + k < count; k += tile_lanes)
                sum = add(sum, from[begin + k]);
            lanes[lane] = sum;
        }
        here.sync();
        for (unsigned half = tile_lanes / 2; half > 0; half /= 2) {
            for (unsigned lane = here.thread(); lane < half; lane += here.threads())
                lanes[lane] = tutti::detail::plus(lanes[lane], lanes[lane + half]);
            here.sync();
        }
        if (here.thread() == 0) partial[tile] = lanes[0];
        here.sync(); // the next tile writes these lanes again
    }
}

/// By what a gradient is multiplied so that its norm is at most `most`, as PyTorch's clip_grad_norm_ does it. `squares`
/// is the sum over all ranks.
[[nodiscard]] TUTTI_HOST_DEVICE constexpr float clip_factor(double squares, float most) noexcept {
    namespace exact = tutti::detail;
    const double norm = exact::plus(exact::square_root(squares), 1e-6);
    const double factor = exact::divided(exact::to_double(most), norm);
    return factor >= 1 ? 1.0F : exact::canonical(exact::to_float(factor)); // NaN stays NaN
}

} // namespace tutti::kernels
