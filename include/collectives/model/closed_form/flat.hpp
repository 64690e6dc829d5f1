// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../algorithm/all.hpp"
#include "../collective.hpp"
#include "binomial_tree.hpp"
#include "butterfly.hpp"
#include "double_binary_tree.hpp"
#include "exchange.hpp"
#include "halving_doubling.hpp"
#include "naive.hpp"
#include "ring.hpp"

#include <optional>

namespace tutti::model::detail {

/// Of two phases, one that reduces and one that spreads what came of it, an operation takes its own, or both.
[[nodiscard]] form phases(schedule::operation what, const auto& reduce, const auto& spread) {
    using schedule::operation;
    if (what == operation::reduce_scatter || what == operation::reduce) return reduce();
    if (what == operation::allgather || what == operation::broadcast) return spread();
    return reduce() + spread();
}

/// Of an algorithm on one level that offers the operation, for two ranks at least; nothing if there is no form for it.
template <class Model>
[[nodiscard]] std::optional<form> flat_form(const collective& c, const Model& parameters) {
    using namespace algorithm;
    const wire<Model> w(parameters, c.segments);
    const data d{c.bytes, c.element_bytes};
    const int p = c.size;
    const bool both = c.what == schedule::operation::allreduce;
    const auto of = [&](auto reduce, auto spread) {
        return phases(
            c.what, [&] { return reduce(w, d, p); }, [&] { return spread(w, d, p); });
    };
    const form answered{0, !both || w.answers_at_once()};
    const form from_first{0, c.root == 0 || w.receives_alone()}; // else operands wait for those of lower ranks
    const double b = d.first(1, p);
    const form held{both ? w.hold(b, w.reduce(b)) : 0, true}; // the second phase, by the first
    // Beyond that many operands some ranks reduce a part while others' data are on their way, and get ahead.
    const form at_once{0, !both || p <= schedule::most_operands || w.reduce(1) == 0};
    if (c.how.target<naive>()) return of(naive_reduce<Model>, naive_broadcast<Model>) + answered + from_first;
    if (c.how.target<binomial_tree>()) return of(binomial_reduce<Model>, binomial_broadcast<Model>) + answered;
    if (c.how.target<ring>()) return of(ring_scatter<Model>, ring_gather<Model>) + held;
    if (c.how.target<parameter_server>()) return of(server_scatter<Model>, direct_gather<Model>) + answered + held;
    if (c.how.target<direct>()) return of(direct_scatter<Model>, direct_gather<Model>) + answered + held + at_once;
    if (c.how.target<all_to_all>()) return all_to_all_allreduce(w, d, p);
    if (c.how.target<butterfly>()) return butterfly_allreduce(w, d, p);
    if (c.how.target<halving_doubling>()) {
        const halves<Model> h(w, d, p);
        return both ? h.allreduce()
                    : phases(
                          c.what, [&] { return h.scatter(); }, [&] { return h.gather(); });
    }
    if (c.how.target<double_binary_tree>()) {
        const trees<Model> t(wire<Model>(parameters, 1), d, p, c.segments);
        return both ? t.allreduce()
                    : phases(
                          c.what, [&] { return t.reduce(); }, [&] { return t.broadcast(); });
    }
    return std::nullopt;
}

} // namespace tutti::model::detail
