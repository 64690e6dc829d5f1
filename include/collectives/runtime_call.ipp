// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "runtime_call.hpp"

#include "reduction/operators.hpp"
#include <base/error.hpp>

#include <limits>
#include <string>

namespace tutti::detail {

template <class Visitor>
void visit_operator(operator_type o, const Visitor& visitor) {
    switch (o) {
    case operator_type::sum: return visitor(sum);
    case operator_type::product: return visitor(product);
    case operator_type::minimum: return visitor(minimum);
    case operator_type::maximum: return visitor(maximum);
    case operator_type::average: return visitor(average);
    case operator_type::bitwise_and: return visitor(bitwise_and);
    case operator_type::bitwise_or: return visitor(bitwise_or);
    case operator_type::bitwise_xor: return visitor(bitwise_xor);
    }
}

TUTTI_INLINE void put_runtime_types(engine::call& c, element_type type, operator_type op) {
    visit_type(type, [&]<class T>(std::type_identity<T>) {
        if (!schedule::reduces(c.what)) return put_types<T>(c, no_operator{});
        visit_operator(op, [&]<class Op>(const Op& built_in) {
            if constexpr (operator_on<Op, T>) put_types<T>(c, built_in);
        });
    });
}

TUTTI_INLINE engine::call engine_call_of(const runtime_call& c, int rank, int size, const model::chooser& by) {
    const std::string_view name = name_of(c.what);
    if (schedule::reduces(c.what) && !reduces(c.op, c.type))
        reject(std::string(name), std::string(name_of(c.op)) + " does not reduce " + std::string(name_of(c.type)));
    if (schedule::is_scan(c.what) && c.op == operator_type::average)
        reject(std::string(name), "ranks have different numbers of operands, so that there is no average", "take sum");
    const std::size_t parts = schedule::has_shards(c.what) ? static_cast<std::size_t>(size) : 1;
    const std::size_t width = size_of(c.type);
    if (c.count > std::numeric_limits<std::size_t>::max() / parts / width)
        reject(std::string(name), std::to_string(c.count) + " elements of each rank are more than memory can hold");

    const bool spreads = c.what == schedule::operation::broadcast;
    const bool exchanges = c.what == schedule::operation::alltoall;
    const std::size_t of_output = gathers(c.what) || exchanges ? parts : 1, of_input = gathers(c.what) ? 1 : parts;
    const raw_range out{static_cast<std::byte*>(c.output), c.count * of_output};
    const raw_range in{static_cast<std::byte*>(const_cast<void*>(c.input)), c.count * of_input};
    const placement at = placed(c.what, spreads ? out : in, out, width, {rank, size, c.root});
    const bool symmetric =
        c.symmetric && (c.what == schedule::operation::reduce_scatter || c.what == schedule::operation::allreduce);
    const model::selection s = selected(c.what, c.how ? &*c.how : nullptr, at.count * width, by, true, symmetric);
    engine::call result = call_of(c.what, s, at, c.root, symmetric && !c.how);
    put_runtime_types(result, c.type, c.op);
    return result;
}

} // namespace tutti::detail
