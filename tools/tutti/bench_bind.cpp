// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bench_bind.hpp"

#include <cstdint>
#include <span>

namespace tutti::tools {

namespace {

/// A job with its data, typed.
template <class T>
struct typed_job {
    job what;
    std::span<T> from; ///< what the call takes; in place a part of `to`, or all of it
    std::span<T> to;

    typed_job(const job& j, const buffers& where) : what(j) {
        const std::span<T> output{reinterpret_cast<T*>(where.output), j.elements()};
        const std::span<T> input{reinterpret_cast<T*>(j.in_place ? where.output : where.input), j.elements()};
        const std::size_t own = static_cast<std::size_t>(j.rank) * j.count;
        from = j.what == operation::allgather ? input.subspan(j.in_place ? own : 0, j.count) : input;
        to = j.what == operation::reduce_scatter ? output.subspan(j.in_place ? own : 0, j.count) : output;
    }
};

template <class T, class Op>
call reducing(const any_world& world, const typed_job<T>& j, const Op& op) {
    return [world, j, op] {
        const auto& how = j.what.algorithm.algorithm;
        switch (j.what.what) {
        case operation::reduce_scatter: return world.reduce_scatter(j.from, j.to, op, how);
        case operation::reduce: return world.reduce(j.from, j.to, j.what.root, op, how);
        default: return world.allreduce(j.from, j.to, op, how); // equal ranges mean in place
        }
    };
}

template <class T>
call moving(const any_world& world, const typed_job<T>& j) {
    return [world, j] {
        const auto& how = j.what.algorithm.algorithm;
        if (j.what.what == operation::broadcast) return world.broadcast(j.to, j.what.root, how);
        world.allgather(j.from, j.to, how);
    };
}

template <class T>
call bind_as(const any_world& world, const job& what, const buffers& where) {
    const typed_job<T> j{what, where};
    if (!reduces(what.what)) return moving(world, j);
    switch (what.op) {
    case reduction::product: return reducing(world, j, product);
    case reduction::minimum: return reducing(world, j, minimum);
    case reduction::maximum: return reducing(world, j, maximum);
    default: break;
    }
    if constexpr (std::floating_point<T>) {
        return what.op == reduction::average ? reducing(world, j, average) : reducing(world, j, sum);
    } else {
        switch (what.op) {
        case reduction::bitwise_and: return reducing(world, j, bitwise_and);
        case reduction::bitwise_or: return reducing(world, j, bitwise_or);
        case reduction::bitwise_xor: return reducing(world, j, bitwise_xor);
        default: return reducing(world, j, sum);
        }
    }
}

} // namespace

call bind(const any_world& world, const job& what, const buffers& where) {
    switch (what.type) {
    case element_type::int8: return bind_as<std::int8_t>(world, what, where);
    case element_type::uint8: return bind_as<std::uint8_t>(world, what, where);
    case element_type::int16: return bind_as<std::int16_t>(world, what, where);
    case element_type::uint16: return bind_as<std::uint16_t>(world, what, where);
    case element_type::int32: return bind_as<std::int32_t>(world, what, where);
    case element_type::uint32: return bind_as<std::uint32_t>(world, what, where);
    case element_type::int64: return bind_as<std::int64_t>(world, what, where);
    case element_type::uint64: return bind_as<std::uint64_t>(world, what, where);
    case element_type::float32: return bind_as<float>(world, what, where);
    case element_type::float64: break;
    }
    return bind_as<double>(world, what, where);
}

} // namespace tutti::tools
