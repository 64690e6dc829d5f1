// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../algorithm/all.hpp"

namespace tutti::model::detail {

/// Visits the algorithm as a hierarchy, if it is one of those that have a name. False if not.
inline bool with_levels(const algorithm::any& how, auto&& visit) {
    using namespace algorithm;
    const auto is = [&](const auto* levels) {
        if (levels) visit(*levels);
        return levels != nullptr;
    };
    return is(how.target<hierarchical<ring, ring>>()) || is(how.target<hierarchical<halving_doubling, butterfly>>()) ||
           is(how.target<hierarchical<halving_doubling, halving_doubling>>()) ||
           is(how.target<hierarchical<halving_doubling, ring>>());
}

} // namespace tutti::model::detail
