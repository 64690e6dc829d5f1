// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "crypto.hpp"
#include "errors.hpp"
#include "socket.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <sys/stat.h>

namespace tutti::transport::bootstrap {

using digest = std::array<std::byte, 32>;

/// The secret of a world's ranks; possibly empty. A handle: copies share the bytes, which are wiped with the last copy.
/// Use random bytes: who makes a rank connect to it gets a proof to test guesses against.
class secret {
public:
    /// Shorter ones could be guessed.
    static constexpr std::size_t least_bytes = 16;

    /// No secret: anyone knows the keys, which keep out stray connections only.
    secret() = default;

    /// Empty: no secret. Throws a bootstrap error if it has fewer than least_bytes otherwise.
    TUTTI_COLD explicit secret(std::string_view bytes) {
        if (bytes.empty()) return;
        if (bytes.size() < least_bytes) refuse_short("the secret", bytes.size());
        bytes_.reset(new held(bytes.begin(), bytes.end()), wipe{});
    }

    /// Throws the error for a secret of so few bytes; `which` says where it came from.
    TUTTI_COLD [[noreturn]] static void refuse_short(const std::string& which, std::size_t bytes) {
        bootstrap_failed(which + " has " + std::to_string(bytes) + " bytes, of which there must be at least " +
                             std::to_string(least_bytes),
                         "draw one that nobody can guess: head -c 24 /dev/urandom | base64");
    }

    [[nodiscard]] bool configured() const noexcept { return bytes_ != nullptr; }

    /// HKDF-SHA256 (RFC 5869): a key for one use.
    TUTTI_COLD [[nodiscard]] digest derive(std::string_view purpose) const {
        const detail::use_of_openssl lasting;
        detail::crypto::get(lasting);
        const std::string_view stand_in = "no secret"; // HKDF takes no empty key
        const auto from = bytes_ ? key() : std::as_bytes(std::span(stand_in));
        std::string digest_name = "SHA256";
        const std::array<OSSL_PARAM, 4> parameters{
            OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest_name.data(), 0),
            octets(OSSL_KDF_PARAM_KEY, from), octets(OSSL_KDF_PARAM_INFO, std::as_bytes(std::span(purpose))),
            OSSL_PARAM_construct_end()};
        const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> kind(EVP_KDF_fetch(nullptr, "HKDF", nullptr),
                                                                     &EVP_KDF_free);
        const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> state(EVP_KDF_CTX_new(kind.get()),
                                                                              &EVP_KDF_CTX_free);
        digest out{};
        if (!state || EVP_KDF_derive(state.get(), reinterpret_cast<unsigned char*>(out.data()), out.size(),
                                     parameters.data()) != 1)
            bootstrap_failed("OpenSSL cannot compute HKDF-SHA256");
        return out;
    }

private:
    using held = std::vector<char>;
    [[nodiscard]] std::span<const std::byte> key() const {
        return bytes_ ? std::as_bytes(std::span(*bytes_)) : std::span<const std::byte>{};
    }
    /// OpenSSL only reads them.
    static OSSL_PARAM octets(const char* name, std::span<const std::byte> bytes) {
        return OSSL_PARAM_construct_octet_string(name, const_cast<std::byte*>(bytes.data()), bytes.size());
    }
    struct wipe {
        void operator()(held* bytes) const noexcept {
            OPENSSL_cleanse(bytes->data(), bytes->size());
            delete bytes;
        }
    };
    std::shared_ptr<held> bytes_;
};

/// Fills with unpredictable bytes.
TUTTI_COLD inline void draw(std::span<std::byte> out) {
    const detail::use_of_openssl lasting;
    detail::crypto::get(lasting);
    if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size())) != 1)
        bootstrap_failed("OpenSSL has no random bytes");
}

/// As hexadecimal digits.
TUTTI_COLD [[nodiscard]] inline std::string in_digits(const digest& bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const auto b : bytes) {
        text += digits[std::to_integer<std::size_t>(b) >> 4];
        text += digits[std::to_integer<std::size_t>(b) & 15];
    }
    return text;
}

/// A secret as text that can be handed on: 32 random bytes as hexadecimal digits.
[[nodiscard]] inline std::string drawn_key() {
    digest bytes{};
    draw(bytes);
    return in_digits(bytes);
}

namespace detail {

/// Why a secret must not come from such a file; `own` is the user that this process runs as. Empty where it may.
[[nodiscard]] inline std::string objection_to(const struct stat& facts, uid_t own) {
    if (!S_ISREG(facts.st_mode)) return " is not a regular file";
    if ((facts.st_mode & 077) != 0) return " can be read or changed by others than its owner";
    if (facts.st_uid != own && facts.st_uid != 0)
        return " belongs to user " + std::to_string(facts.st_uid) + ", who could change it; this process runs as " +
               std::to_string(own);
    return {};
}

} // namespace detail

/// Reads a secret from a file that only its owner can read, who is this process's user or root; line ends at its end do
/// not count. Throws a bootstrap error that names the file and the fault.
TUTTI_COLD [[nodiscard]] inline secret read_secret_file(const std::string& path) {
    const std::string which = "the secret file " + path;
    // Non-blocking, in case the file is a pipe. The opened file itself is examined.
    const descriptor file(opened_within_limit([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
    struct stat facts {};
    if (!file || ::fstat(file.get(), &facts) != 0)
        bootstrap_failed("cannot read " + which + ": " + words_of_errno(errno), "check TUTTI_SECRET_FILE");
    if (const auto objection = detail::objection_to(facts, ::geteuid()); !objection.empty())
        bootstrap_failed(which + objection, S_ISREG(facts.st_mode) ? "make it your own, and chmod 600 " + path
                                                                   : "check TUTTI_SECRET_FILE");
    std::array<char, 4097> held{};
    const auto n = ::read(file.get(), held.data(), held.size());
    std::string_view text(held.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    const bool fits = text.size() >= secret::least_bytes && n < static_cast<ssize_t>(held.size());
    const secret out(fits ? text : std::string_view{});
    const auto bytes = text.size();
    OPENSSL_cleanse(held.data(), held.size());
    if (n == static_cast<ssize_t>(held.size())) bootstrap_failed(which + " is longer than 4096 bytes");
    if (!fits) secret::refuse_short(which, bytes);
    return out;
}

} // namespace tutti::transport::bootstrap
