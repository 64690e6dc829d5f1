// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "flat.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace tutti::model::detail {

template <class Model>
[[nodiscard]] std::optional<form> form_of(const collective& c, const Model& near, const Model& far);

/// A local part, a global one, and another local one; the costs between ranks of a node, and between nodes.
template <class Model>
[[nodiscard]] std::optional<form> in_three_parts(const collective& in, const collective& between, const collective& out,
                                                 const Model& near, const Model& far) {
    const auto first = form_of(in, near, near), second = form_of(between, far, far), third = form_of(out, near, near);
    if (!first || !second || !third) return std::nullopt;
    return *first + *second + *third;
}

/// Local's reduce-scatter on a node, Global's allreduce of each shard, Local's allgather: exact if each part is, and
/// all ranks end the first at once. Where the last node is smaller, binomial trees and Global's allreduce of
/// everything, which does not wait for it alone.
template <class Model>
[[nodiscard]] std::optional<form> levels_form(const collective& c, const algorithm::levels& levels, const Model& near,
                                              const Model& far) {
    using schedule::operation;
    const int g = std::clamp(levels.ranks_per_node, 1, c.size), nodes = (c.size + g - 1) / g;
    const auto part = [&](operation what, const algorithm::any& how, int size, std::size_t bytes) {
        return collective{what, how, size, bytes, 0, c.segments, false, c.element_bytes};
    };
    const costs<Model> all(c, near);
    if (c.size % g != 0) {
        const algorithm::binomial_tree tree;
        const auto sum = in_three_parts(part(operation::reduce, tree, g, c.bytes),
                                        part(operation::allreduce, levels.global, nodes, c.bytes),
                                        part(operation::broadcast, tree, g, c.bytes), near, far);
        return sum ? std::optional(*sum + form{0, false}) : sum;
    }
    const int chunks = c.how.chunks(c.what, c.size);
    const auto shard = static_cast<std::size_t>(all.first(chunks / g, chunks)); // the longest, of chunks in a row
    const auto sum =
        in_three_parts(part(operation::reduce_scatter, levels.local, g, shard * static_cast<std::size_t>(g)),
                       part(operation::allreduce, levels.global, nodes, shard),
                       part(operation::allgather, levels.local, g, shard * static_cast<std::size_t>(g)), near, far);
    const bool even = all.divides(chunks) && levels.local.alike(g);
    const double held = all.hold(static_cast<double>(shard), 0); // each part, by the one before
    return sum ? std::optional(*sum + form{nodes > 1 && g > 1 ? 2 * held : held, even}) : sum;
}

/// Of any algorithm. One level is priced by `far`.
template <class Model>
[[nodiscard]] std::optional<form> form_of(const collective& c, const Model& near, const Model& far) {
    if (!c.how.offers(c.what)) return std::nullopt;
    if (c.size == 1) return form{0, true};
    return c.how.has_levels() ? levels_form(c, c.how.levels(), near, far) : flat_form(c, far);
}

} // namespace tutti::model::detail
