// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/sockets/secret.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <string>

using namespace tutti;
using namespace tutti::transport::bootstrap;

namespace {

/// A file in the temporary folder, gone afterwards.
class scratch_file {
public:
    scratch_file(std::string_view text, mode_t mode) {
        const int fd = ::mkstemp(path_.data());
        REQUIRE(fd >= 0);
        REQUIRE(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
        ::fchmod(fd, mode);
        ::close(fd);
    }
    ~scratch_file() { ::unlink(path_.c_str()); }
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_ = "/tmp/tutti-secret-XXXXXX";
};

std::string failure_of(const std::string& path) {
    try {
        static_cast<void>(read_secret_file(path));
    } catch (const error& e) {
        CHECK(e.why() == cause::bootstrap);
        return e.what();
    }
    return {};
}

using tutti::test::has;

digest key_by(const secret& s) { return s.derive("a purpose"); }

} // namespace

TEST_CASE("a file that only its owner can read holds the secret, without its last line end", "[secret]") {
    for (const mode_t mode : {0600u, 0400u}) {
        const scratch_file f("open sesame, please\r\n", mode);
        CHECK(key_by(read_secret_file(f.path())) == key_by(secret("open sesame, please")));
    }
}

TEST_CASE("a file that others can read or write is refused, with the remedy", "[secret]") {
    for (const mode_t mode : {0640u, 0604u, 0620u, 0602u, 0644u, 0777u, 0610u}) {
        const scratch_file f("open sesame, please", mode);
        const auto text = failure_of(f.path());
        CHECK(has(text, "by others than its owner"));
        CHECK(has(text, "chmod 600 " + f.path()));
    }
}

TEST_CASE("a file of another user's is refused, unless that is root", "[secret]") {
    struct stat facts {};
    facts.st_mode = S_IFREG | 0600;
    facts.st_uid = 1000;
    CHECK(tutti::transport::bootstrap::detail::objection_to(facts, 1000).empty());
    CHECK(has(tutti::transport::bootstrap::detail::objection_to(facts, 1001), "belongs to user 1000"));
    CHECK(has(tutti::transport::bootstrap::detail::objection_to(facts, 0), "belongs to user 1000"));
    facts.st_uid = 0;
    CHECK(tutti::transport::bootstrap::detail::objection_to(facts, 1001).empty());
    if (::geteuid() != 0) return; // only root can give a file away
    const scratch_file f("open sesame, please", 0600);
    REQUIRE(::chown(f.path().c_str(), 65534, 65534) == 0);
    CHECK(has(failure_of(f.path()), "belongs to user 65534"));
}

TEST_CASE("what is no file, or too short, or too long is refused", "[secret]") {
    CHECK(has(failure_of("/nowhere/at/all"), "No such file"));
    CHECK(has(failure_of("/dev/null"), "not a regular file"));
    CHECK(has(failure_of(scratch_file("\n", 0600).path()), "has 0 bytes, of which there must be at least 16"));
    CHECK(has(failure_of(scratch_file("fifteen letters\n", 0600).path()), "has 15 bytes"));
    CHECK(failure_of(scratch_file("sixteen letters!\n", 0600).path()).empty());
    CHECK(has(failure_of(scratch_file(std::string(5000, 'x'), 0600).path()), "longer than 4096"));
}

TEST_CASE("a pipe does not hold the reader up", "[secret]") {
    const std::string path = scratch_file("", 0600).path();
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(has(failure_of(path), "not a regular file"));
    ::unlink(path.c_str());
}

TEST_CASE("derived keys are HKDF-SHA256", "[secret]") {
    // RFC 5869, test case 3, without salt and info: its first 32 bytes, which a shorter output has too.
    const auto d = secret(std::string(22, '\x0b')).derive("");
    constexpr std::array<unsigned char, 8> begin{0x8d, 0xa4, 0xe7, 0x75, 0xa5, 0x63, 0xc1, 0x8f};
    for (std::size_t i = 0; i < begin.size(); ++i) CHECK(d[i] == std::byte{begin[i]});
    CHECK(secret(std::string(22, '\x0b')).derive("a purpose") != d);
    CHECK(secret().derive("") != d);
}

TEST_CASE("a secret that could be guessed is refused, with the way to a better one", "[secret]") {
    for (const std::size_t bytes : {1u, 15u}) {
        try {
            const secret s(std::string(bytes, 'x'));
            FAIL("it was taken");
        } catch (const error& e) {
            CHECK(has(e.what(), "the secret has " + std::to_string(bytes) + " bytes"));
            CHECK(has(e.what(), "/dev/urandom"));
        }
    }
    CHECK(secret("sixteen letters!").configured());
}

TEST_CASE("no secret has the keys of an empty one, and secrets tell apart", "[secret]") {
    CHECK_FALSE(secret().configured());
    CHECK(key_by(secret()) == key_by(secret("")));
    CHECK(key_by(secret()) != key_by(secret("a and sixteen more")));
    CHECK(key_by(secret("b and sixteen more")) != key_by(secret("a and sixteen more")));
}

TEST_CASE("drawn bytes differ", "[secret]") {
    digest a{};
    digest b{};
    draw(a);
    draw(b);
    CHECK(a != b);
}
