// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tutti::tools {

/// What textbooks and papers call an algorithm of that name; of a hierarchy, by what stands before its first colon.
/// Empty where they have no other name.
[[nodiscard]] constexpr std::string_view textbook_name(std::string_view algorithm) noexcept {
    using named = std::pair<std::string_view, std::string_view>; // ours, theirs
    constexpr auto all = std::to_array<named>({
        {"naive", "flat tree: linear reduce and broadcast"},
        {"one_shot", "all-to-all broadcast"},
        {"parameter_server", "direct reduce-scatter and allgather"},
        {"direct", "pairwise exchange, two-shot"},
        {"ring", "ring allreduce, bucket algorithm"},
        {"butterfly", "recursive doubling"},
        {"halving_doubling", "recursive halving and doubling, Rabenseifner's algorithm"},
        {"binomial_tree", "minimum spanning tree"},
        {"double_binary_tree", "two-tree algorithm"},
        {"chain", "pipelined linear chain"},
        {"hillis_steele", "Hillis and Steele's scan"},
        {"circulant", "Träff's circulant graphs"},
        {"bruck", "Bruck's algorithm"},
        {"butterfly_of", "recursive multiplying"},
        {"scatter_allgather", "van de Geijn's broadcast"},
        {"reduce_scatter_gather", "Rabenseifner's reduce"},
        {"hierarchical", "multi-level algorithm"},
    });
    const std::string_view name = algorithm.substr(0, algorithm.find(':'));
    const auto found = std::find_if(all.begin(), all.end(), [&](const named& n) { return n.first == name; });
    return found == all.end() ? std::string_view() : found->second;
}

} // namespace tutti::tools
