// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "all_to_all.hpp"
#include "any.hpp"
#include "binomial_tree.hpp"
#include "butterfly.hpp"
#include "direct.hpp"
#include "double_binary_tree.hpp"
#include "halving_doubling.hpp"
#include "hierarchical.hpp"
#include "naive.hpp"
#include "parameter_server.hpp"
#include "ring.hpp"

#include "../error.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::algorithm {

/// Every algorithm that tools run where they run all. A hierarchical one needs to know the ranks per node.
[[nodiscard]] inline std::array<any, 10> all(int ranks_per_node = 1) {
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

/// Further compositions that have a name: those that the library itself takes over several nodes.
[[nodiscard]] inline std::array<any, 3> compositions(int ranks_per_node = 1) {
    return {hierarchical<halving_doubling, butterfly>{ranks_per_node},
            hierarchical<halving_doubling, halving_doubling>{ranks_per_node},
            hierarchical<halving_doubling, ring>{ranks_per_node}};
}

/// The names of those of all() that have a schedule for the operation.
[[nodiscard]] inline std::vector<std::string_view> names(operation o) {
    std::vector<std::string_view> list;
    for (const any& a : all())
        if (a.offers(o)) list.push_back(a.name());
    return list;
}

/// The algorithm of that name. Throws tutti::error(invalid_argument) that lists the names if there is none.
[[nodiscard]] inline any by_name(std::string_view name, int ranks_per_node = 1) {
    std::string known;
    const auto plain = all(ranks_per_node);
    const auto composed = compositions(ranks_per_node);
    for (const std::span<const any> some : {std::span<const any>(plain), std::span<const any>(composed)})
        for (const any& a : some) {
            if (a.name() == name) return a;
            known.append(known.empty() ? "" : ", ").append(a.name());
        }
    reject("choice of algorithm", "there is no algorithm \"" + std::string(name) + "\"", "choose one of " + known);
}

} // namespace tutti::algorithm
