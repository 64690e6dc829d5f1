// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../identity.hpp"
#include "environment.hpp"

#include <algorithm>
#include <span>
#include <string>

namespace tutti::transport::bootstrap {

/// A program that starts ranks and tells each its number.
struct launcher {
    const char* name;
    const char* size; ///< the variable that holds how many ranks there are
    /// Its marks are in the environment. Never throws.
    bool (*present)();
    /// Rank, size and rendezvous from them, without connecting to anything. Throws a bootstrap error that names what is
    /// missing or wrong, and what to set.
    identity (*read)();
    std::span<const char* const> marks;     ///< the variables by which it is known: all of them are set
    std::span<const char* const> variables; ///< others that are looked at
    /// Looks, without connecting to anything, whether identity::exchange can work. Throws a bootstrap error where it
    /// cannot. Null where no identity of this launcher has one.
    void (*look_at_exchange)() = nullptr;
};

namespace detail {

/// Rank and size from two variables, which must be there. `of` names the launcher.
TUTTI_COLD [[nodiscard]] inline identity ranked(const char* rank, const char* size, const std::string& of) {
    const auto remedy = of + " started this process, and should have set it; " + say_it_yourself;
    identity me;
    me.size = whole_number(size, 1, most_ranks, remedy);
    me.rank = whole_number(rank, 0, me.size - 1, remedy);
    return me;
}

[[nodiscard]] inline bool all_set(std::span<const char* const> names) { return std::ranges::all_of(names, is_set); }

} // namespace detail

} // namespace tutti::transport::bootstrap
