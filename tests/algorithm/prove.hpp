// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/algorithm/any.hpp>
#include <collectives/schedule/verify.hpp>

#include "support/catch.hpp"

#include <string>

namespace tutti::test {

inline std::string title(const algorithm::any& a, schedule::operation o, int size, int root, bool in_place,
                         int segments) {
    return std::string(a.name()) + " " + std::string(schedule::name_of(o)) + " of " + std::to_string(size) +
           " ranks, root " + std::to_string(root) + (in_place ? ", in place" : "") + ", segments " +
           std::to_string(segments);
}

/// The schedule must be proven; with one segment, also at the cost that the algorithm states.
inline schedule::proof prove(const algorithm::any& a, schedule::operation o, int size, int root = 0,
                             bool in_place = false, int segments = 1) {
    const schedule::cost stated = a.stated(o, size);
    const schedule::proof found =
        schedule::verify(a.write(o, size, root, in_place, segments), segments == 1 ? &stated : nullptr);
    if (!found.proven) FAIL_CHECK(title(a, o, size, root, in_place, segments) << ": " << found.message());
    return found;
}

} // namespace tutti::test
