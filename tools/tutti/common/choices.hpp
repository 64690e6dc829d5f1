// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/algorithm/any.hpp>
#include <collectives/schedule/operation.hpp>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools {

using schedule::operation;

/// An algorithm as the command line names it: none means that the library chooses.
struct choice {
    std::string name;
    std::optional<algorithm::any> algorithm;
};

/// And the numbers of ranks that it is for, of those that were asked for.
struct sized_choice : choice {
    std::vector<int> ranks;
};

/// The algorithms of a list of names, for an operation on these numbers of ranks: each by its name, `all` for all that
/// have the operation, `auto` for the library's own choice. A hierarchical one gets nodes of near_root(ranks) ranks, of
/// the last number. What does not have the operation is left out where `lenient`, as one of many operations wants it.
/// Throws std::invalid_argument where a name is unknown, or its algorithm does not have the operation or is not for all
/// of these numbers of ranks.
[[nodiscard]] std::vector<sized_choice> choices(std::string_view list, operation what, const std::vector<int>& ranks,
                                                bool lenient = false);
/// The same for one number of ranks.
[[nodiscard]] std::vector<choice> choices(std::string_view list, operation what, int ranks, bool lenient = false);

/// The algorithm of a choice for another number of ranks: a hierarchical one depends on it. None for auto.
[[nodiscard]] std::optional<algorithm::any> at_size(const choice& c, int ranks);

/// Throws std::invalid_argument unless the algorithm is the library's, or a proof finds its results right.
void require_proven(const algorithm::any& a, operation what, int ranks);

/// The algorithm of that one name, which is not auto. Throws std::invalid_argument as choices does, and for a list.
[[nodiscard]] algorithm::any one_algorithm(std::string_view name, operation what, int ranks);

/// What `tutti bench` measures besides the operations that have schedules: a barrier, messages between
/// two ranks, and operations on parts of any lengths.
inline constexpr std::array<std::string_view, 13> other_calls{
    "matrix",       "barrier",    "pingpong",  "sendrecv", "stream",          "bistream", "multi_latency",
    "message_rate", "allgatherv", "alltoallv", "gatherv",  "reduce_scatterv", "scatterv"};

/// The name of an operation or another call that others call so; a word that nobody knows as it is.
[[nodiscard]] std::string operation_name(std::string_view word);

/// The operations of a list of names, also of other libraries' names, or all. Throws std::invalid_argument that lists
/// the names, and those that are known `also`, if there is none of that name.
[[nodiscard]] std::vector<operation> operations_of(std::string_view list, std::span<const std::string_view> also = {});

/// The operation of that one name. Throws std::invalid_argument as operations_of does, and for a list.
[[nodiscard]] operation one_operation(std::string_view name);

/// How many ranks a pretended node has: the divisor next to the square root, so that both levels have work to do; for
/// a prime the square root itself, rounded up, with a smaller last node.
[[nodiscard]] int near_root(int ranks) noexcept;

} // namespace tutti::tools
