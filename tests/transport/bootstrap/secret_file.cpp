// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/bootstrap/secret_file.hpp>

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

digest proof_by(const secret& s) { return s.prove(std::as_bytes(std::span("text"))); }

} // namespace

TEST_CASE("a file that only its owner can read holds the secret, without its last line end", "[secret]") {
    for (const mode_t mode : {0600u, 0400u}) {
        const scratch_file f("open sesame\r\n", mode);
        CHECK(same(proof_by(read_secret_file(f.path())), proof_by(secret("open sesame"))));
    }
}

TEST_CASE("a file that others can read or write is refused, with the remedy", "[secret]") {
    for (const mode_t mode : {0640u, 0604u, 0620u, 0602u, 0644u, 0777u, 0610u}) {
        const scratch_file f("open sesame", mode);
        const auto text = failure_of(f.path());
        CHECK(has(text, "by others than its owner"));
        CHECK(has(text, "chmod 600 " + f.path()));
    }
}

TEST_CASE("what is no file, or empty, or too long is refused", "[secret]") {
    CHECK(has(failure_of("/nowhere/at/all"), "No such file"));
    CHECK(has(failure_of("/dev/null"), "not a regular file"));
    CHECK(has(failure_of(scratch_file("\n", 0600).path()), "is empty"));
    CHECK(has(failure_of(scratch_file(std::string(5000, 'x'), 0600).path()), "longer than 4096"));
}

TEST_CASE("a pipe does not hold the reader up", "[secret]") {
    const std::string path = scratch_file("", 0600).path();
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(has(failure_of(path), "not a regular file"));
    ::unlink(path.c_str());
}

TEST_CASE("proofs are HMAC-SHA256", "[secret]") {
    // RFC 4231, test case 2.
    const auto d = secret("Jefe").prove(std::as_bytes(std::span("what do ya want for nothing?", 28)));
    constexpr std::array<unsigned char, 8> begin{0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e};
    for (std::size_t i = 0; i < begin.size(); ++i) CHECK(d[i] == std::byte{begin[i]});
    CHECK(std::to_integer<int>(d[31]) == 0x43);
}

TEST_CASE("no secret proves with an empty key, and secrets tell apart", "[secret]") {
    CHECK_FALSE(secret().configured());
    CHECK(same(proof_by(secret()), proof_by(secret(""))));
    CHECK_FALSE(same(proof_by(secret()), proof_by(secret("a"))));
    CHECK_FALSE(same(proof_by(secret("b")), proof_by(secret("a"))));
}

TEST_CASE("drawn bytes differ", "[secret]") {
    nonce a{};
    nonce b{};
    draw(a);
    draw(b);
    CHECK(a != b);
}
