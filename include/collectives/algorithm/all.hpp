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

#include <array>
#include <string_view>
#include <vector>

namespace tutti::algorithm {

/// Every algorithm that tools run where they run all. A hierarchical one needs to know the ranks per node.
[[nodiscard]] std::array<any, 10> all(int ranks_per_node = 1);

/// Further compositions that have a name: those that the library itself takes over several nodes.
[[nodiscard]] std::array<any, 3> compositions(int ranks_per_node = 1);

/// Adds an algorithm of your own to those that names() and by_name() know, that the tools run, and that a machine's
/// parameters choose from. Precondition on all ranks: the same ones in the same order, by one thread, before any
/// communicator is made. Throws tutti::error(invalid_argument) where the name is taken.
void add(const any& a);
/// Those that were added.
[[nodiscard]] const std::vector<any>& added();

/// The names of those of all() and added() that have a schedule for the operation.
[[nodiscard]] std::vector<std::string_view> names(operation o);

/// The algorithm of that name. Throws tutti::error(invalid_argument) that lists the names if there is none.
[[nodiscard]] any by_name(std::string_view name, int ranks_per_node = 1);

} // namespace tutti::algorithm

#if defined(TUTTI_COMPILED)
namespace tutti::algorithm { // their schedules are compiled in all.ipp
extern template const any::table any::table_of<naive>;
extern template const any::table any::table_of<all_to_all>;
extern template const any::table any::table_of<parameter_server>;
extern template const any::table any::table_of<direct>;
extern template const any::table any::table_of<ring>;
extern template const any::table any::table_of<butterfly>;
extern template const any::table any::table_of<halving_doubling>;
extern template const any::table any::table_of<binomial_tree>;
extern template const any::table any::table_of<double_binary_tree>;
extern template const any::table any::table_of<hierarchical<ring, ring>>;
extern template const any::table any::table_of<hierarchical<halving_doubling, butterfly>>;
extern template const any::table any::table_of<hierarchical<halving_doubling, halving_doubling>>;
extern template const any::table any::table_of<hierarchical<halving_doubling, ring>>;
} // namespace tutti::algorithm
#else
#include "all.ipp"
#endif
