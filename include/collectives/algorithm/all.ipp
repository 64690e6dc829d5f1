// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "all.hpp"

#include "../error.hpp"

#include <span>
#include <string>

namespace tutti::algorithm {

#if defined(TUTTI_COMPILED)
template const any::table any::table_of<naive>;
template const any::table any::table_of<all_to_all>;
template const any::table any::table_of<parameter_server>;
template const any::table any::table_of<direct>;
template const any::table any::table_of<ring>;
template const any::table any::table_of<butterfly>;
template const any::table any::table_of<halving_doubling>;
template const any::table any::table_of<binomial_tree>;
template const any::table any::table_of<double_binary_tree>;
template const any::table any::table_of<hierarchical<ring, ring>>;
template const any::table any::table_of<hierarchical<halving_doubling, butterfly>>;
template const any::table any::table_of<hierarchical<halving_doubling, halving_doubling>>;
template const any::table any::table_of<hierarchical<halving_doubling, ring>>;
#endif

TUTTI_INLINE std::array<any, 10> all(int ranks_per_node) {
    return {naive{},
            all_to_all{},
            parameter_server{},
            direct{},
            ring{},
            butterfly{},
            halving_doubling{},
            binomial_tree{},
            double_binary_tree{},
            hierarchical<ring, ring>{ranks_per_node}};
}

TUTTI_INLINE std::array<any, 3> compositions(int ranks_per_node) {
    return {hierarchical<halving_doubling, butterfly>{ranks_per_node},
            hierarchical<halving_doubling, halving_doubling>{ranks_per_node},
            hierarchical<halving_doubling, ring>{ranks_per_node}};
}

namespace detail {
[[nodiscard]] TUTTI_INLINE std::vector<any>& own_algorithms() {
    static std::vector<any> list;
    return list;
}
} // namespace detail

TUTTI_INLINE const std::vector<any>& added() { return detail::own_algorithms(); }

TUTTI_INLINE std::vector<std::string_view> names(operation o) {
    std::vector<std::string_view> list;
    for (const any& a : all())
        if (a.offers(o)) list.push_back(a.name());
    for (const any& a : added())
        if (a.offers(o)) list.push_back(a.name());
    return list;
}

TUTTI_INLINE any by_name(std::string_view name, int ranks_per_node) {
    std::string known;
    const auto plain = all(ranks_per_node);
    const auto composed = compositions(ranks_per_node);
    for (const std::span<const any> some :
         {std::span<const any>(plain), std::span<const any>(composed), std::span<const any>(added())})
        for (const any& a : some) {
            if (a.name() == name) return a;
            known.append(known.empty() ? "" : ", ").append(a.name());
        }
    reject("choice of algorithm", "there is no algorithm \"" + std::string(name) + "\"", "choose one of " + known);
}

TUTTI_INLINE void add(const any& a) {
    const auto plain = all();
    const auto composed = compositions();
    for (const std::span<const any> some :
         {std::span<const any>(plain), std::span<const any>(composed), std::span<const any>(added())})
        for (const any& known : some)
            if (known.name() == a.name())
                reject("adding an algorithm", "there is one named \"" + std::string(a.name()) + "\" already");
    detail::own_algorithms().push_back(a);
}

} // namespace tutti::algorithm
