// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "symbolic_execution.hpp"

#include "../../../base/language.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tutti::schedule::detail {

/// Holds the messages and the results of one schedule in place against those out of place. Both must have run.
class same_data {
public:
    TUTTI_CONSTEXPR same_data(const program& apart, const symbolic_execution& run_apart, const program& in_place,
                              const symbolic_execution& run_in_place)
        : apart_(apart), in_place_(in_place), run_apart_(run_apart), run_in_place_(run_in_place) {
        const expressions& values = run_in_place.values();
        for (int n = 0; n < static_cast<int>(values.size()); ++n) // operands have lower numbers than their results
            apart_of_.push_back(n < apart.size ? n : translated(values[n]));
    }

    constexpr finding examine() const {
        for (int r = 0; r < apart_.size; ++r)
            if (const finding f = check_messages(r); f.what != flaw::none) return f;
        for (int r = 0; r < apart_.size; ++r)
            if (const finding f = check_results(r); f.what != flaw::none) return f;
        return {};
    }

private:
    using message = std::pair<int, int>; ///< peer, step

    /// The number out of place of this expression in place; -1: there is none.
    [[nodiscard]] TUTTI_CONSTEXPR int translated(const expressions::node& x) const {
        const int left = apart_of_[static_cast<std::size_t>(x.left)],
                  right = apart_of_[static_cast<std::size_t>(x.right)];
        return left < 0 || right < 0 ? -1 : run_apart_.values().find(left, right, x.finished);
    }
    [[nodiscard]] TUTTI_CONSTEXPR int translated(int n) const { return apart_of_[static_cast<std::size_t>(n)]; }

    /// A rank's sends by peer, in the order of each channel.
    [[nodiscard]] static TUTTI_CONSTEXPR std::vector<message> sends_of(const program& p, int r) {
        std::vector<message> all;
        const std::vector<step>& steps = p.ranks[static_cast<std::size_t>(r)];
        for (int i = 0; i < static_cast<int>(steps.size()); ++i)
            if (const step& s = steps[static_cast<std::size_t>(i)]; sends(s)) all.emplace_back(s.peer, i);
        std::sort(all.begin(), all.end());
        return all;
    }

    TUTTI_CONSTEXPR finding check_messages(int r) const {
        const std::vector<message> one = sends_of(apart_, r), two = sends_of(in_place_, r);
        for (std::size_t k = 0; k < std::max(one.size(), two.size()); ++k) {
            if (k == two.size() || (k < one.size() && one[k].first < two[k].first)) return unmatched(r, one[k], false);
            if (k == one.size() || two[k].first < one[k].first) return unmatched(r, two[k], true);
            if (!same(r, one[k].second, two[k].second)) return differs(r, two[k].second, one[k].second, -1);
        }
        return {};
    }
    [[nodiscard]] TUTTI_CONSTEXPR bool same(int r, int i, int j) const {
        const step& x = apart_.ranks[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)];
        const step& y = in_place_.ranks[static_cast<std::size_t>(r)][static_cast<std::size_t>(j)];
        const std::span<const int> here = run_apart_.sent_by(r, i), there = run_in_place_.sent_by(r, j);
        return x.from.first == y.from.first && x.joined == y.joined &&
               std::equal(here.begin(), here.end(), there.begin(), there.end(),
                          [this](int a, int b) { return a == translated(b); });
    }

    constexpr finding check_results(int r) const {
        finding first;
        window(apart_.what, apart_.at(r), buffer::output, apart_.chunks).each([&](int c) {
            const place x{buffer::output, c, 1};
            if (first.what == flaw::none && run_apart_.value(r, x) != translated(run_in_place_.value(r, x)))
                first = differs(r, run_in_place_.writer(r, x), run_apart_.writer(r, x), c);
        });
        return first;
    }

    [[nodiscard]] static constexpr finding unmatched(int r, const message& m, bool in_place) {
        finding f{flaw::modes_differ, r, m.second, m.first};
        f.in_place = in_place;
        return f;
    }
    [[nodiscard]] static constexpr finding differs(int r, int in_place, int apart, int chunk) {
        finding f{flaw::modes_differ, r, in_place, r, apart, chunk};
        f.in_place = true;
        return f;
    }

    const program& apart_;
    const program& in_place_;
    const symbolic_execution& run_apart_;
    const symbolic_execution& run_in_place_;
    std::vector<int> apart_of_; ///< by expression in place
};

} // namespace tutti::schedule::detail
