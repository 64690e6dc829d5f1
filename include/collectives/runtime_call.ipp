// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "runtime_call.hpp"

#include "reduction/operators.hpp"
#include <base/error.hpp>

#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

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
    case operator_type::logical_and: return visitor(logical_and);
    case operator_type::logical_or: return visitor(logical_or);
    case operator_type::logical_xor: return visitor(logical_xor);
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

/// A call of parts of unequal length, without its types.
[[nodiscard]] TUTTI_INLINE engine::call uneven_call_of(const runtime_call& c, const schedule::position& self,
                                                       const model::chooser& by) {
    if (!schedule::has_shards(c.what))
        reject(std::string(name_of(c.what)), "it has no parts for ranks", "give no counts");
    const auto vector_of = [](std::span<const std::size_t> s) { return std::vector<std::size_t>(s.begin(), s.end()); };
    const auto sum_of = [](std::span<const std::size_t> s) {
        return std::accumulate(s.begin(), s.end(), std::size_t{0});
    };
    const std::size_t sent = sum_of(c.counts->of_ranks), width = size_of(c.type);
    const bool exchanges = c.what == schedule::operation::alltoall;
    const std::size_t of_input = exchanges || !gathers(c.what) ? sent : c.count;
    const std::size_t of_output = exchanges ? sum_of(c.counts->received) : gathers(c.what) ? sent : c.count;
    uneven_placement at = placed_uneven(c.what, {static_cast<std::byte*>(const_cast<void*>(c.input)), of_input},
                                        {static_cast<std::byte*>(c.output), of_output},
                                        {vector_of(c.counts->of_ranks), vector_of(c.counts->received)}, width, self);
    const bool known = all_know_lengths(c.what);
    const model::selection s =
        known || c.how ? selected(c.what, c.how ? &*c.how : nullptr, known ? at.count * width : 0, by, true, false)
                       : local_choice(c.what);
    engine::call result = call_of(c.what, s, at, self.root, false);
    result.lengths = std::move(at.lengths);
    put_runtime_types(result, c.type, c.op);
    return result;
}

TUTTI_INLINE engine::call engine_call_of(const runtime_call& c, int rank, int size, const model::chooser& by) {
    const std::string_view name = name_of(c.what);
    if (schedule::reduces(c.what) && !reduces(c.op, c.type))
        reject(std::string(name), std::string(name_of(c.op)) + " does not reduce " + std::string(name_of(c.type)));
    if (schedule::is_scan(c.what) && c.op == operator_type::average)
        reject(std::string(name), "ranks have different numbers of operands, so that there is no average", "take sum");
    if (c.counts) return uneven_call_of(c, {rank, size, c.root}, by);
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
