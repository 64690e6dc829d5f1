// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "language.hpp"
#include "linkage.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::detail {

/// The numbers below `count`, sorted by less(by, a, b): compiled once for all types.
TUTTI_COLD inline std::vector<std::size_t> sorted_numbers(std::size_t count, const void* by,
                                                          bool (*less)(const void*, std::size_t, std::size_t)) {
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [=](std::size_t a, std::size_t b) { return less(by, a, b); });
    return order;
}

/// Sorts, and leaves equals in their order. Newer clangs warn of what std::stable_sort uses in libstdc++ 12.
template <class T, class Less>
void sort_stably(std::vector<T>& all, Less less) {
    const auto before = [&](std::size_t a, std::size_t b) {
        return less(all[a], all[b]) || (a < b && !less(all[b], all[a]));
    };
    std::vector<T> sorted;
    sorted.reserve(all.size());
    for (const std::size_t i : sorted_numbers(all.size(), &before, [](const void* by, std::size_t a, std::size_t b) {
             return (*static_cast<decltype(before)*>(by))(a, b);
         }))
        sorted.push_back(std::move(all[i]));
    all = std::move(sorted);
}

} // namespace tutti::detail
