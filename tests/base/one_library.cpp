// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <base/one_library.hpp>

#include "support/captured_stderr.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"

#include <csignal>
#include <string>
#include <utility>

using tutti::detail::library_of_unit;

namespace {

/// What a process that has such units says, and how it ends.
std::pair<std::string, std::string> ended(library_of_unit own, library_of_unit linked) {
    const tutti::test::captured_stderr said;
    const auto how = tutti::test::in_child([&] {
        std::signal(SIGABRT, SIG_DFL); // not Catch's
        tutti::detail::require_one_library(own, linked);
    });
    return {said.text(), how};
}

} // namespace

TEST_CASE("a program whose units have one library runs") {
    CHECK(tutti::detail::has_one_library);
    CHECK(ended({100, true}, {100, true}) == std::pair{std::string{}, std::string{}});
}

TEST_CASE("a program of two versions, or compiled in two ways, ends with a sentence") {
    for (const library_of_unit other : {library_of_unit{200, false}, library_of_unit{100, true}}) {
        const auto [said, how] = ended({100, false}, other);
        CHECK(how == "signal 6");
        CHECK(said.find("units of this program have version 100 without TUTTI_COMPILED, and others version " +
                        std::to_string(other.version)) != std::string::npos);
    }
}
