// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "linkage.hpp"
#include "version.hpp"

#include <cstdio>
#include <cstdlib>

namespace tutti::detail {

/// Which library a unit has: its version, and whether its bodies are compiled once.
struct library_of_unit {
    int version = TUTTI_VERSION; ///< as the macro
#if defined(TUTTI_COMPILED)
    bool compiled = true; ///< by TUTTI_COMPILED
#else
    bool compiled = false; ///< by TUTTI_COMPILED
#endif
    friend bool operator==(const library_of_unit&, const library_of_unit&) = default;
};

/// Ends the program, with a sentence, where one unit has another library than the rest: types would have two layouts,
/// or functions two bodies.
[[gnu::noinline, gnu::cold]] inline bool require_one_library(const library_of_unit& own,
                                                             const library_of_unit& linked) {
    if (own == linked) return true;
    const auto how = [](const library_of_unit& l) { return l.compiled ? "with" : "without"; };
    std::fprintf(
        stderr,
        "tutti: units of this program have version %d %s TUTTI_COMPILED, and others version %d %s it: compile all "
        "of them alike, against one tutti\n",
        own.version, how(own), linked.version, how(linked));
    std::abort();
}

// Units for GPUs hold kernels alone, which are the same in both.
#if !defined(__CUDACC__)
/// The linker keeps one of all units'. No constant, or each unit would know it by itself.
TUTTI_SHARED inline library_of_unit linked_library{};
[[maybe_unused]] static const bool has_one_library = require_one_library({}, linked_library);
#endif

} // namespace tutti::detail
