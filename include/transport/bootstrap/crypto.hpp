// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "errors.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>

/// HMAC-SHA256 and SHA-256 of OpenSSL, with the algorithms fetched once: that takes longer than they do. Whatever else
/// uses OpenSSL calls crypto::get() first.
namespace tutti::transport::bootstrap {

using digest = std::array<std::byte, 32>;

namespace detail {

/// OpenSSL lasts as long as the process, so that destructors of static objects and exit handlers may still call. Where
/// the program has initialised it before the library, OpenSSL goes in an exit handler, and all that needs it fails.
class crypto {
public:
    /// Never destroyed, since static objects may own connections. Throws a bootstrap error once OpenSSL has gone.
    static crypto& get() {
        static crypto& only = *new crypto;
        if (!usable())
            bootstrap_failed("this process exits, and OpenSSL has ended before the world",
                             "end the world in main, or make it before the program uses OpenSSL");
        return only;
    }
    /// Written when the process exits and OpenSSL is taken down, read before each use. Relaxed: the exit
    /// handler joins no thread of the library, and orders nothing for it.
    [[nodiscard]] static bool usable() noexcept { return !over().load(std::memory_order_relaxed); }

    [[nodiscard]] bool sha256(std::span<const std::byte> text, digest& out) const noexcept {
        return EVP_Digest(text.data(), text.size(), bytes_of(out), nullptr, sha256_, nullptr) == 1;
    }
    [[nodiscard]] bool hmac(std::span<const std::byte> key, std::span<const std::byte> text, digest& out) {
        static constexpr std::byte no_key{};
        if (key.empty()) key = {&no_key, 1}; // which is the same, since HMAC fills keys up with zeros
        const std::unique_lock lock(mutex_, std::try_to_lock);
        // A child of a fork may find the lock held for ever.
        if (!lock)
            return HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(),
                        bytes_of(out), nullptr) != nullptr;
        return EVP_MAC_init(hmac_, bytes_of(key), key.size(), nullptr) == 1 &&
               EVP_MAC_update(hmac_, bytes_of(text), text.size()) == 1 &&
               EVP_MAC_final(hmac_, bytes_of(out), nullptr, out.size()) == 1;
    }

private:
    crypto() {
        OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
        OPENSSL_atexit([] { over().store(true, std::memory_order_relaxed); });
        EVP_MAC* const kind = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
        hmac_ = EVP_MAC_CTX_new(kind);
        std::array<char, 7> name{"SHA256"};
        const std::array<OSSL_PARAM, 2> how{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.data(), 0),
                                            OSSL_PARAM_construct_end()};
        sha256_ = EVP_MD_fetch(nullptr, "SHA256", nullptr);
        if (!hmac_ || !sha256_ || EVP_MAC_CTX_set_params(hmac_, how.data()) != 1)
            bootstrap_failed("OpenSSL has no HMAC-SHA256");
    }

    static std::atomic<bool>& over() noexcept {
        static std::atomic<bool> value{false};
        return value;
    }
    static const unsigned char* bytes_of(std::span<const std::byte> s) noexcept {
        return reinterpret_cast<const unsigned char*>(s.data());
    }
    static unsigned char* bytes_of(digest& d) noexcept { return reinterpret_cast<unsigned char*>(d.data()); }

    std::mutex mutex_; // of hmac_
    EVP_MAC_CTX* hmac_ = nullptr;
    EVP_MD* sha256_ = nullptr;
};

} // namespace detail

/// HMAC-SHA256 of a text under a key of any length.
[[nodiscard]] inline digest hmac_of(std::span<const std::byte> key, std::span<const std::byte> text) {
    digest out{};
    if (!detail::crypto::get().hmac(key, text, out)) bootstrap_failed("OpenSSL cannot compute HMAC-SHA256");
    return out;
}

/// SHA-256 of a text.
[[nodiscard]] inline digest digest_of(std::span<const std::byte> text) {
    digest out{};
    if (!detail::crypto::get().sha256(text, out)) bootstrap_failed("OpenSSL cannot compute SHA-256");
    return out;
}

} // namespace tutti::transport::bootstrap
