// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <base/one_library.hpp>

#include "support/catch.hpp"

#include <array>
#include <csignal>
#include <string>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

using tutti::detail::library_of_unit;

namespace {

/// What a process that has such units says, and how it ends.
std::pair<std::string, int> ended(library_of_unit own, library_of_unit linked) {
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL); // not Catch's
        dup2(ends[1], STDERR_FILENO);
        tutti::detail::require_one_library(own, linked);
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    std::array<char, 512> some{};
    for (ssize_t n = 0; (n = read(ends[0], some.data(), some.size())) > 0;)
        said.append(some.data(), static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return {said, status};
}

} // namespace

TEST_CASE("a program whose units have one library runs") {
    CHECK(tutti::detail::has_one_library);
    CHECK(ended({100, true}, {100, true}) == std::pair{std::string{}, 0});
}

TEST_CASE("a program of two versions, or compiled in two ways, ends with a sentence") {
    for (const library_of_unit other : {library_of_unit{200, false}, library_of_unit{100, true}}) {
        const auto [said, status] = ended({100, false}, other);
        CHECK(WIFSIGNALED(status));
        CHECK(said.find("units of this program have version 100 without TUTTI_COMPILED, and others version " +
                        std::to_string(other.version)) != std::string::npos);
    }
}
