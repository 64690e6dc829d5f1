// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../runtime_call.hpp"

#include "../../base/error.hpp"
#include "../reduction/operators.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
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
    case operator_type::premultiplied_sum: return; // it has a factor
    }
}

TUTTI_INLINE void put_runtime_types(engine::call& c, const runtime_call& from) {
    visit_type(from.type, [&]<class T>(std::type_identity<T>) {
        if (!schedule::reduces(c.what)) return put_types<T>(c, no_operator{});
        if (from.op == operator_type::premultiplied_sum)
            return put_types<T>(c, premultiplied_sum(load<wide<T>>(static_cast<const std::byte*>(from.factor))));
        visit_operator(from.op, [&]<class Op>(const Op& built_in) {
            if constexpr (operator_on<Op, T>) put_types<T>(c, built_in);
        });
    });
}

/// The parts of a buffer that is as long as they reach.
struct runtime_parts {
    buffer_parts parts;
    std::size_t reach = 0;
};
[[nodiscard]] TUTTI_INLINE runtime_parts runtime_parts_of(std::span<const std::size_t> counts,
                                                          std::span<const std::size_t> at) {
    runtime_parts p{{{counts.begin(), counts.end()}, {}}};
    if (at.empty()) return p.reach = std::accumulate(counts.begin(), counts.end(), std::size_t{0}), p;
    p.parts.displacements.emplace(at.begin(), at.end());
    for (std::size_t r = 0; r < std::min(counts.size(), at.size()); ++r) {
        const std::size_t left = std::numeric_limits<std::size_t>::max() - at[r];
        if (counts[r] > 0) p.reach = std::max(p.reach, at[r] + std::min(counts[r], left));
    }
    return p;
}

/// A call of parts of unequal length, without its types.
[[nodiscard]] TUTTI_INLINE engine::call uneven_call_of(const runtime_call& c, const schedule::position& self,
                                                       const model::chooser& by) {
    if (!schedule::has_shards(c.what))
        reject(std::string(name_of(c.what)), "it has no parts for ranks", "give no counts");
    if (c.what == schedule::operation::reduce_scatter && !c.counts->displacements.empty())
        reject("reduce_scatterv", "its parts lie one after the other", "give no displacements");
    const runtime_parts of_ranks = runtime_parts_of(c.counts->of_ranks, c.counts->displacements);
    const runtime_parts received = runtime_parts_of(c.counts->received, c.counts->received_displacements);
    const std::size_t width = size_of(c.type);
    const bool exchanges = c.what == schedule::operation::alltoall;
    const std::size_t of_input = exchanges || !gathers(c.what) ? of_ranks.reach : c.count;
    const std::size_t of_output = exchanges ? received.reach : gathers(c.what) ? of_ranks.reach : c.count;
    uneven_placement at = placed_uneven(c.what, {static_cast<std::byte*>(const_cast<void*>(c.input)), of_input, width},
                                        {static_cast<std::byte*>(c.output), of_output, width},
                                        {of_ranks.parts, received.parts}, width, self);
    const bool known = all_know_lengths(c.what);
    const model::selection s =
        known || c.how ? selected(c.what, c.how ? &*c.how : nullptr, known ? at.count * width : 0, by, true, false)
                       : local_choice(c.what);
    engine::call result = call_of(c.what, s, at, self.root, false);
    result.lengths = std::move(at.lengths);
    put_runtime_types(result, c);
    return result;
}

TUTTI_INLINE engine::call engine_call_of(const runtime_call& c, int rank, int size, const model::chooser& by) {
    const std::string_view name = name_of(c.what);
    if (schedule::reduces(c.what) && !reduces(c.op, c.type))
        reject(std::string(name), std::string(name_of(c.op)) + " does not reduce " + std::string(name_of(c.type)));
    if (schedule::is_scan(c.what) && c.op == operator_type::average)
        reject(std::string(name), "ranks have different numbers of operands, so that there is no average", "take sum");
    if (schedule::reduces(c.what) && c.op == operator_type::premultiplied_sum && !c.factor)
        reject(std::string(name), "it is a premultiplied sum without a factor", "point to one");
    const int root = has_root(c.what) ? c.root : 0;
    if (c.counts) return uneven_call_of(c, {rank, size, root}, by);
    const std::size_t parts = schedule::has_shards(c.what) ? static_cast<std::size_t>(size) : 1;
    const std::size_t width = size_of(c.type);
    if (c.count > std::numeric_limits<std::size_t>::max() / parts / width)
        reject(std::string(name), std::to_string(c.count) + " elements of each rank are more than memory can hold");

    const bool spreads = c.what == schedule::operation::broadcast;
    const bool exchanges = c.what == schedule::operation::alltoall;
    const std::size_t of_output = gathers(c.what) || exchanges ? parts : 1, of_input = gathers(c.what) ? 1 : parts;
    const raw_range out{static_cast<std::byte*>(c.output), c.count * of_output, width};
    const raw_range in{static_cast<std::byte*>(const_cast<void*>(c.input)), c.count * of_input, width};
    const placement at = placed(c.what, spreads ? out : in, out, width, {rank, size, root});
    const bool symmetric = reads_in_place(
        c.what,
        c.symmetric && (c.what == schedule::operation::reduce_scatter || c.what == schedule::operation::allreduce),
        c.op == operator_type::premultiplied_sum);
    const model::selection s = selected(c.what, c.how ? &*c.how : nullptr, at.count * width, by, true, symmetric);
    engine::call result = call_of(c.what, s, at, root, symmetric && !c.how);
    put_runtime_types(result, c);
    return result;
}

} // namespace tutti::detail
