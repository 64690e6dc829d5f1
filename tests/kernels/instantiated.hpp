// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/allreduce/allreduce_packets.hpp"
#include "kernels/allreduce/allreduce_shots.hpp"
#include "kernels/engine/device_engine.hpp"
#include "kernels/optimizer.hpp"
#include "kernels/reduce_many.hpp"

#include <cstdint>

/// The kernels that instantiations.cu holds, for nvcc and for the tests that run its output. Each is named after its
/// element type and operator: `float16_sum`.
namespace tutti::test {

#define TUTTI_ARITHMETIC_KERNELS(take, type) take(type, sum) take(type, product) take(type, minimum) take(type, maximum)
#define TUTTI_INTEGER_KERNELS(take, type)                                                                              \
    TUTTI_ARITHMETIC_KERNELS(take, type)                                                                               \
    take(type, bitwise_and) take(type, bitwise_or) take(type, bitwise_xor)

/// take(type, operator) for each.
#define TUTTI_REDUCE_KERNELS(take)                                                                                     \
    TUTTI_ARITHMETIC_KERNELS(take, float)                                                                              \
    TUTTI_ARITHMETIC_KERNELS(take, double)                                                                             \
    TUTTI_ARITHMETIC_KERNELS(take, float16)                                                                            \
    TUTTI_ARITHMETIC_KERNELS(take, bfloat16)                                                                           \
    TUTTI_ARITHMETIC_KERNELS(take, float8_e4m3)                                                                        \
    TUTTI_ARITHMETIC_KERNELS(take, float8_e5m2)                                                                        \
    TUTTI_INTEGER_KERNELS(take, int8_t)                                                                                \
    TUTTI_INTEGER_KERNELS(take, uint8_t)                                                                               \
    TUTTI_INTEGER_KERNELS(take, int16_t)                                                                               \
    TUTTI_INTEGER_KERNELS(take, uint16_t)                                                                              \
    TUTTI_INTEGER_KERNELS(take, int32_t)                                                                               \
    TUTTI_INTEGER_KERNELS(take, uint32_t)                                                                              \
    TUTTI_INTEGER_KERNELS(take, int64_t)                                                                               \
    TUTTI_INTEGER_KERNELS(take, uint64_t)

template <class T, class Op>
using reduction_to_same = kernels::reduction<T, Op, kernels::stored<T>>;

/// Gradients of 16 bits, averaged; weights of float, and a copy of 16 bits.
template <class Update>
using training_step = kernels::reduction<bfloat16, sum_operator, kernels::scaled<float, Update>>;
using sgd_step = training_step<kernels::sgd<kernels::stored<bfloat16>>>;
using momentum_step = training_step<kernels::momentum_sgd<kernels::stored<bfloat16>>>;
using adam_update = training_step<kernels::adam<kernels::stored<bfloat16>>>;

/// From and to float and double; several destinations; factors of all kinds.
using narrowed_sum = kernels::reduction<double, sum_operator, kernels::scaled<double, kernels::stored<float>>>;
using widened_sum = kernels::reduction<float, sum_operator, kernels::scaled_by<float, kernels::stored<double>>>;

/// An operator of the caller's own, in a wrapper.
struct twice_left {
    TUTTI_HOST_DEVICE float operator()(float a, float b) const { return detail::add(detail::add(a, a), b); }
};
using functor_reduction = reduction_to_same<float, non_commutative<twice_left>>;

/// What kernels of several ranks are given. A member behind most others tells whether nvcc finds it where g++ has put
/// it.
using shot_of_16_bits = kernels::shot<8, 8, reduction_to_same<bfloat16, sum_operator>>;
using packets_to_adam = kernels::packet_call<adam_update>;
using engine_of_16_bits = kernels::device_call<bfloat16, sum_operator>;

} // namespace tutti::test
