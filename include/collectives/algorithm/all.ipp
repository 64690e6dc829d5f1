// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "all.hpp"

#include <string>

namespace tutti::algorithm {

#if defined(TUTTI_COMPILED)
#define TUTTI_HERE(...) template const any::table any::table_of<__VA_ARGS__>;
TUTTI_ALGORITHMS(TUTTI_HERE)
TUTTI_COMPOSITIONS(TUTTI_HERE)
TUTTI_HIERARCHIES(TUTTI_HERE)
#undef TUTTI_HERE
#endif

TUTTI_INLINE std::vector<any> all(int ranks_per_node) {
#define TUTTI_VALUE(...) any(__VA_ARGS__{}),
#define TUTTI_WITH_WIDTH(...) any(__VA_ARGS__{ranks_per_node}),
    return {TUTTI_ALGORITHMS(TUTTI_VALUE) TUTTI_HIERARCHIES(TUTTI_WITH_WIDTH)};
#undef TUTTI_WITH_WIDTH
#undef TUTTI_VALUE
}

TUTTI_INLINE std::vector<any> all(operation o, int ranks_per_node) {
    std::vector<any> list = all(ranks_per_node);
    std::erase_if(list, [o](const any& a) { return !a.offers(o); });
    return list;
}

TUTTI_INLINE std::vector<any> compositions(int ranks_per_node) {
#define TUTTI_VALUE(...) any(__VA_ARGS__{ranks_per_node}),
    return {TUTTI_COMPOSITIONS(TUTTI_VALUE)};
#undef TUTTI_VALUE
}

namespace detail {

[[nodiscard]] TUTTI_INLINE std::vector<any>& own_algorithms() {
    static std::vector<any> list;
    return list;
}

/// All that have a name, but for other compositions of yours.
[[nodiscard]] TUTTI_INLINE std::vector<any> named(int ranks_per_node) {
    std::vector<any> list = all(ranks_per_node);
    for (const any& a : compositions(ranks_per_node)) list.push_back(a);
    for (const any& a : added(ranks_per_node)) list.push_back(a);
    return list;
}

} // namespace detail

TUTTI_INLINE std::vector<any> added(int ranks_per_node) {
    std::vector<any> list;
    for (const any& a : detail::own_algorithms()) list.push_back(a.with_ranks_per_node(ranks_per_node));
    return list;
}

TUTTI_INLINE std::vector<std::string_view> names(operation o) {
    std::vector<std::string_view> list;
    for (const auto& some : {all(), added()})
        for (const any& a : some)
            if (a.offers(o)) list.push_back(a.name());
    return list;
}

TUTTI_INLINE any by_name(std::string_view name, int ranks_per_node) {
    std::string known;
    for (const any& a : detail::named(ranks_per_node)) {
        if (a.name() == name) return a;
        known.append(known.empty() ? "" : ", ").append(a.name());
    }
    reject("choice of algorithm", "there is no algorithm \"" + std::string(name) + "\"", "choose one of " + known);
}

TUTTI_INLINE void add(const any& a) {
    for (const any& known : detail::named(1))
        if (known.name() == a.name())
            reject("adding an algorithm", "there is one named \"" + std::string(a.name()) + "\" already");
    detail::own_algorithms().push_back(a);
}

} // namespace tutti::algorithm
