// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../algorithm/all.hpp"
#include "costs.hpp"

#include <optional>
#include <vector>

namespace tutti::model {

namespace detail {

template <class Model, class A>
[[nodiscard]] std::optional<form> form_by(const algorithm::any& how, const costs<Model>& c) {
    if constexpr (requires(const A& a) { a.closed_form(c); }) {
        if (const A* const a = how.target<A>()) return a->closed_form(c);
    }
    return std::nullopt;
}

/// The closed forms of an algorithm that is not the library's.
struct own_form {
    std::optional<form> (*by_hockney)(const algorithm::any&, const costs<hockney>&);
    std::optional<form> (*by_loggp)(const algorithm::any&, const costs<loggp>&);
    std::optional<form> (*by_full_duplex)(const algorithm::any&, const costs<full_duplex>&);

    [[nodiscard]] auto operator()(const algorithm::any& how, const costs<hockney>& c) const {
        return by_hockney(how, c);
    }
    [[nodiscard]] auto operator()(const algorithm::any& how, const costs<loggp>& c) const { return by_loggp(how, c); }
    [[nodiscard]] auto operator()(const algorithm::any& how, const costs<full_duplex>& c) const {
        return by_full_duplex(how, c);
    }
};
[[nodiscard]] TUTTI_SHARED inline std::vector<own_form>& own_forms() {
    static std::vector<own_form> list;
    return list;
}

/// Of an algorithm on one level that offers the operation, for two ranks at least; nothing if it has no form.
template <class Model>
[[nodiscard]] std::optional<form> flat_form(const collective& call, const Model& parameters) {
    const costs<Model> c(call, parameters);
#define TUTTI_TRY(...)                                                                                                 \
    if (const auto found = form_by<Model, algorithm::__VA_ARGS__>(call.how, c)) return found;
    TUTTI_ALGORITHMS(TUTTI_TRY)
#undef TUTTI_TRY
    for (const own_form& own : own_forms())
        if (const auto found = own(call.how, c)) return found;
    return std::nullopt;
}

} // namespace detail

/// Makes closed_form() know an algorithm that is not the library's, by its member `closed_form`; see algorithm.hpp.
/// Precondition: as algorithm::add.
template <algorithm::algorithm A>
void add_closed_form() {
    detail::own_forms().push_back(
        {detail::form_by<hockney, A>, detail::form_by<loggp, A>, detail::form_by<detail::full_duplex, A>});
}

} // namespace tutti::model
