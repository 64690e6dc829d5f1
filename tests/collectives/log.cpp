// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <base/log.hpp>
#include <collectives/collectives.hpp>

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/expect.hpp"
#include "support/world.hpp"
#include "tools/folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace tutti::test::logged {
namespace {

/// The lines that two ranks in a process of their own leave, which begins with that place of the log, sorted.
std::vector<std::string> lines_of(const std::string& place, const std::string& file, const char* ranks_of_test) {
    child ranks([&] {
        if (place.empty())
            ::unsetenv("TUTTI_LOG");
        else
            ::setenv("TUTTI_LOG", place.c_str(), 1);
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        ::dup2(nowhere, STDOUT_FILENO);
        const int said = ::open(place == file ? "/dev/null" : file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        ::dup2(said, STDERR_FILENO);
        ::execl("/proc/self/exe", "ranks", ranks_of_test, static_cast<char*>(nullptr));
        return false;
    });
    expect(ranks.end().empty(), "the ranks are well");
    std::vector<std::string> all;
    std::ifstream from(file);
    for (std::string line; std::getline(from, line);) all.push_back(line);
    return all;
}

std::size_t number_of(const std::vector<std::string>& lines, const std::string& what) {
    const std::regex wanted("tutti: [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z rank " + what);
    std::size_t n = 0;
    for (const auto& line : lines) n += std::regex_match(line, wanted) ? 1 : 0;
    return n;
}

/// The descriptor that is written to breaks after it was asked.
void log_to_broken_pipe() { tutti::detail::log::write_to(STDERR_FILENO, "a line"); }

} // namespace

TEST_CASE("a logged call", "[.]") {
    CHECK_NOTHROW(run_new_world(2, [](const communicator& world) { world.barrier(); }));
}

TEST_CASE("a logged call beside words of the program", "[.]") {
    CHECK_NOTHROW(run_new_world(1, [](const communicator& world) {
        std::fputs("before\n", stderr);
        world.barrier();
        std::fputs("after\n", stderr);
    }));
}

TEST_CASE("a logged call whose reader has gone", "[.]") {
    ::signal(SIGPIPE, SIG_DFL);
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);
    ::dup2(pipe[1], STDERR_FILENO);
    ::close(pipe[0]);
    ::close(pipe[1]);
    CHECK_NOTHROW(run_new_world(2, [](const communicator& world) { world.barrier(); }));
    log_to_broken_pipe();
}

TEST_CASE("a logged abort", "[.]") {
    CHECK_NOTHROW(run_new_world(2, [](const communicator& world) {
        if (world.rank() == 0) world.abort("x\nrank 7: forged");
        fault_of([&] { world.barrier(); });
    }));
}

TEST_CASE("a logged failure", "[.]") {
    CHECK_NOTHROW(run_new_world(2, [](const communicator& world) {
        std::vector<float> x(100);
        for (int k = 0; k < 3; ++k) world.allreduce(x, sum);
        if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2500));
        world.barrier();
        fault_of([&] {
            std::vector<float> y(100U + static_cast<unsigned>(world.rank()));
            world.allreduce(y, sum);
        });
    }));
}

TEST_CASE("the log tells starts, choices, calls that do not move, and failures; once each, in whole lines") {
    const tools_test::folder own;
    const std::string file = own.path("log");
    const auto lines = lines_of(file, file, "a logged failure");
    for (const auto& line : lines) UNSCOPED_INFO(line);
    for (const char* const rank : {"0", "1"}) {
        CHECK(number_of(lines, std::string(rank) + ": world of 2 ranks, version [0-9.]+; .*; rank [01] by .*") == 1);
        CHECK(number_of(lines, std::string(rank) + R"(: first allreduce\([a-z_]+\) of 100 float32, sum)") == 1);
        CHECK(number_of(lines, std::string(rank) + ": a communicator has failed: mismatch, .*") == 1);
    }
    CHECK(number_of(lines, "0: barrier has not moved for 1 s: it waits for rank 1") == 1);
    CHECK(number_of(lines, "0: barrier has not moved for [2-9] s: it waits for rank 1") == 1);
    CHECK(number_of(lines, "1: barrier has not moved .*") == 0);
    CHECK(number_of(lines, ".*") == lines.size());
}

TEST_CASE("the log goes to standard error, to a file of each rank, or nowhere") {
    const tools_test::folder own;
    const std::string file = own.path("log");
    static_cast<void>(lines_of(file + ".%r", own.path("said"), "a logged call"));
    for (const std::string rank : {"0", "1"}) {
        std::ifstream from(file + "." + rank);
        const std::string all{std::istreambuf_iterator<char>(from), {}};
        CHECK(all.find(" rank " + rank + ": first barrier, ") != all.npos);
    }
    CHECK(number_of(lines_of("stderr", own.path("stderr"), "a logged call"), "[01]: world of .*") == 2);
    const auto mixed = lines_of("stderr", own.path("mixed"), "a logged call beside words of the program");
    CHECK(number_of(mixed, "0: world of .*") == 1);
    CHECK(number_of(mixed, "0: first barrier, .*") == 1);
    CHECK(std::ranges::count(mixed, "before") + std::ranges::count(mixed, "after") == 2);
    CHECK(lines_of("", own.path("nothing"), "a logged call").empty());                // on standard error
    CHECK(lines_of(own.path("none/log"), own.path("none"), "a logged call").empty()); // there is no such folder
    std::error_code none;
    const auto mode = std::filesystem::status(file + ".0", none).permissions();
    CHECK((mode & (std::filesystem::perms::group_all | std::filesystem::perms::others_all)) ==
          std::filesystem::perms::none);
}

TEST_CASE("a log whose reader has gone ends no rank") {
    const tools_test::folder own;
    static_cast<void>(lines_of("stderr", own.path("said"), "a logged call whose reader has gone"));
}

TEST_CASE("a line of the log is one line, whatever is in it") {
    const tools_test::folder own;
    const auto lines = lines_of(own.path("log"), own.path("log"), "a logged abort");
    for (const char* const rank : {"0", "1"})
        CHECK(number_of(lines, std::string(rank) + ": .*\\?rank 7: forged.*") >= 1);
    CHECK(number_of(lines, ".*") == lines.size());
}

} // namespace tutti::test::logged
