// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "decision_table.hpp"

#include "candidates.hpp"
#include "estimate.hpp"
#include "price.hpp"

#include <algorithm>
#include <initializer_list>

namespace tutti::model {

TUTTI_INLINE decision_table::decision_table(const model::topology& on, const calibrated_machine& m)
    : on_(on), machine_(m) {
    for (const schedule::operation what : schedule::operations) candidates_[index(what)] = candidates(what, on);
}

TUTTI_INLINE std::vector<candidate_price> decision_table::prices(schedule::operation what, std::size_t bytes) const {
    std::vector<candidate_price> priced;
    for (const selection& s : candidates_[index(what)]) {
        const collective c{what, s.how, on_.size, bytes, 0, s.segments, true};
        priced.push_back({s, price_s(c, on_, machine_), !detail::soon_simulated(c, on_, machine_)});
    }
    return priced;
}

TUTTI_INLINE std::uint8_t decision_table::decide(schedule::operation what, std::size_t number) const {
    const std::size_t least = detail::size_class::least(number), most = detail::size_class::most(number);
    const std::size_t best = on_.size <= detail::always_simulated
                                 ? least_loss(what, {least, most})
                                 : least_loss(what, {detail::size_class::middle(number)});
    return static_cast<std::uint8_t>(best + 1);
}

TUTTI_INLINE std::size_t decision_table::least_loss(schedule::operation what,
                                                    std::initializer_list<std::size_t> sizes) const {
    constexpr double noticeable = 1 - 1e-6;
    std::vector<double> loss(candidates_[index(what)].size(), 1);
    for (const std::size_t bytes : sizes) {
        const std::vector<candidate_price> all = prices(what, bytes);
        const double least_s =
            std::min_element(all.begin(), all.end(), [](const candidate_price& a, const candidate_price& b) {
                return a.seconds < b.seconds;
            })->seconds;
        for (std::size_t k = 0; k < all.size() && least_s > 0; ++k)
            loss[k] = std::max(loss[k], all[k].seconds / least_s);
    }
    std::size_t best = 0;
    for (std::size_t k = 1; k < loss.size(); ++k)
        if (loss[k] < loss[best] * noticeable) best = k;
    return best;
}

} // namespace tutti::model
