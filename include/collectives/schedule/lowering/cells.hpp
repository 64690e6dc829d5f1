// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../step.hpp"

#include "../../../base/language.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti::schedule {

/// The chunk ids of one rank's steps, compressed to *cells*: the ranges between the boundaries that occur in the steps.
/// No step divides a cell, so all chunks of a cell are in the same state. Tables by cell take memory linear in steps,
/// however many chunks there are. Where there are no more chunks than steps, each is a cell.
class cells {
public:
    TUTTI_COLD TUTTI_CONSTEXPR cells(const std::vector<step>& steps, int chunks) {
        if (chunks <= static_cast<int>(steps.size())) {
            count_ = chunks;
            return;
        }
        for (const step& s : steps) {
            if (reads_from(s)) add(s.from);
            if (writes_to(s)) add(s.to);
        }
        std::sort(bounds_.begin(), bounds_.end());
        bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
        if (!bounds_.empty()) count_ = static_cast<int>(bounds_.size()) - 1;
    }

    [[nodiscard]] constexpr int count() const noexcept { return count_; }
    /// The chunk id with which a cell begins. Of `count()`: where the last one ends.
    [[nodiscard]] constexpr int first_of(int cell) const {
        return bounds_.empty() ? cell : bounds_[static_cast<std::size_t>(cell)];
    }

    /// The same place, in cells.
    TUTTI_COLD [[nodiscard]] constexpr place of(const place& x) const {
        if (bounds_.empty()) return x;
        const int first = number(x.first);
        return {x.where, first, number(x.first + x.count) - first};
    }

    /// The same steps on cells. A place that a step does not use stays as it is: it may name anything.
    [[nodiscard]] TUTTI_CONSTEXPR std::vector<step> of(std::vector<step> steps) const {
        for (step& s : steps) {
            if (reads_from(s)) s.from = of(s.from);
            if (writes_to(s)) s.to = of(s.to);
        }
        return steps;
    }

private:
    TUTTI_CONSTEXPR void add(const place& x) {
        bounds_.push_back(x.first);
        bounds_.push_back(x.first + x.count);
    }
    [[nodiscard]] TUTTI_CONSTEXPR int number(int bound) const {
        return static_cast<int>(std::lower_bound(bounds_.begin(), bounds_.end(), bound) - bounds_.begin());
    }

    std::vector<int> bounds_; ///< where cells begin, and the last ends; empty where each chunk is a cell
    int count_ = 0;
};

} // namespace tutti::schedule
