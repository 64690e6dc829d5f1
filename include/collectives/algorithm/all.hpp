// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "any.hpp"
#include "binomial_tree.hpp"
#include "bruck.hpp"
#include "butterfly.hpp"
#include "butterfly_of.hpp"
#include "chain.hpp"
#include "circulant.hpp"
#include "direct.hpp"
#include "double_binary_tree.hpp"
#include "halving_doubling.hpp"
#include "hierarchical.hpp"
#include "hillis_steele.hpp"
#include "naive.hpp"
#include "one_shot.hpp"
#include "parameter_server.hpp"
#include "reduce_scatter_gather.hpp"
#include "ring.hpp"
#include "scatter_allgather.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace tutti::algorithm {

/// The compositions that the library itself takes over several nodes.
#define TUTTI_COMPOSITIONS(each)                                                                                       \
    each(hierarchical<halving_doubling, butterfly>) each(hierarchical<halving_doubling, halving_doubling>)             \
        each(hierarchical<halving_doubling, ring>) each(hierarchical<halving_doubling, parameter_server>)              \
            each(hierarchical<halving_doubling, binomial_tree>)

/// Those that tools run where they run all, beside those on one level: for reductions, and for an alltoall.
#define TUTTI_HIERARCHIES(each) each(hierarchical<ring, ring>) each(hierarchical<direct, direct>)

#define TUTTI_ONE(...) +1
/// How many algorithms on one level the library has. all() begins with them.
inline constexpr std::size_t flat_algorithms = 0 TUTTI_ALGORITHMS(TUTTI_ONE);
#undef TUTTI_ONE

/// Every algorithm that tools run where they run all: those on one level, then hierarchies of so many ranks a node.
[[nodiscard]] std::vector<any> all(int ranks_per_node = 1);

/// Those of all() that have a schedule for the operation.
[[nodiscard]] std::vector<any> all(operation o, int ranks_per_node = 1);

/// The further compositions that have a name.
[[nodiscard]] std::vector<any> compositions(int ranks_per_node = 1);

/// Adds an algorithm of your own to those that names() and by_name() know, that the tools run, and that a machine's
/// parameters choose from. Precondition on all ranks: the same ones in the same order, by one thread, before any
/// communicator is made. Throws tutti::error(invalid_argument) where the name is taken.
void add(const any& a);
/// Those that were added, hierarchical ones with so many ranks a node.
[[nodiscard]] std::vector<any> added(int ranks_per_node = 1);

/// The names of those of all() and added() that have a schedule for the operation.
[[nodiscard]] std::vector<std::string_view> names(operation o);

/// The algorithm of that name. Throws tutti::error(invalid_argument) that lists the names if there is none.
[[nodiscard]] any by_name(std::string_view name, int ranks_per_node = 1);

} // namespace tutti::algorithm

#if defined(TUTTI_COMPILED)
namespace tutti::algorithm { // their schedules are compiled in all.ipp
#define TUTTI_ELSEWHERE(...) extern template const any::table any::table_of<__VA_ARGS__>;
TUTTI_ALGORITHMS(TUTTI_ELSEWHERE)
TUTTI_COMPOSITIONS(TUTTI_ELSEWHERE)
TUTTI_HIERARCHIES(TUTTI_ELSEWHERE)
#undef TUTTI_ELSEWHERE
} // namespace tutti::algorithm
#else
#include "all.ipp"
#endif
