// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <base/file_place.hpp>

#include "support/catch.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

using tutti::detail::place_of_plain_file;
namespace fs = std::filesystem;

namespace {

struct folder {
    folder() : path(fs::temp_directory_path() / ("tutti-place-" + std::to_string(::getpid()))) {
        fs::create_directory(path);
    }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    ~folder() { fs::remove_all(path); }
    fs::path path;
};

} // namespace

TEST_CASE("a plain file lies where links lead to, also where there is none yet") {
    const folder f;
    const std::string plain = f.path / "plain", to_plain = f.path / "to plain", below = f.path / "below";
    fs::create_directory(below);
    CHECK(place_of_plain_file(plain) == plain);
    CHECK(place_of_plain_file(plain + "/none/x") == plain + "/none/x");
    fs::create_symlink("below/../plain", to_plain); // from its own folder
    CHECK(place_of_plain_file(to_plain) == f.path / "below/../plain");
    std::ofstream{plain} << "x";
    CHECK(place_of_plain_file(plain) == plain);
    CHECK(fs::equivalent(place_of_plain_file(to_plain).value(), plain));
    fs::create_symlink(to_plain, below + "/again");
    CHECK(fs::equivalent(place_of_plain_file(below + "/again").value(), plain));
}

TEST_CASE("what is no plain file has no place where another could be put") {
    const folder f;
    const std::string pipe = f.path / "pipe", link = f.path / "link", circle = f.path / "circle";
    CHECK_FALSE(place_of_plain_file(f.path));
    CHECK_FALSE(place_of_plain_file("/dev/null"));
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_FALSE(place_of_plain_file(pipe));
    fs::create_symlink("pipe", link);
    CHECK_FALSE(place_of_plain_file(link));
    fs::create_symlink("circle", circle);
    CHECK_FALSE(place_of_plain_file(circle));
}

TEST_CASE("a file that is named by an open descriptor is not replaced under it") {
    const folder f;
    const int open = ::open((f.path / "output").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(open >= 0);
    for (const char* const descriptors : {"/proc/self/fd/", "/dev/fd/"})
        if (fs::exists(descriptors)) CHECK_FALSE(place_of_plain_file(descriptors + std::to_string(open)));
    ::close(open);
}
