// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../../base/own_process.hpp"
#include "errors.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <span>
#include <thread>

/// HMAC-SHA256 and SHA-256 of OpenSSL, with the algorithms fetched once: that takes longer than they do. Whatever else
/// uses OpenSSL holds a use_of_openssl.
namespace tutti::transport::bootstrap {

using digest = std::array<std::byte, 32>;

namespace detail {

/// Held by a thread while it uses OpenSSL, which does not end meanwhile. Where the program has initialised OpenSSL
/// before the library, it ends in an exit handler, while other threads of the library may still run.
class TUTTI_SHARED use_of_openssl {
public:
    static constexpr const char* has_ended = "this process exits, and OpenSSL has ended before the world";

    use_of_openssl() noexcept {
        if (depth == 0) {
            users.fetch_add(1); // sequentially consistent with end(): either sees the other
            if (ended) {
                users.fetch_sub(1);
                return;
            }
        }
        ++depth;
        lasts_ = true;
    }
    use_of_openssl(const use_of_openssl&) = delete;
    use_of_openssl& operator=(const use_of_openssl&) = delete;
    ~use_of_openssl() {
        if (lasts_ && --depth == 0) users.fetch_sub(1);
    }
    /// OpenSSL has not ended, and does not before this use does.
    [[nodiscard]] bool lasts() const noexcept { return lasts_; }

    /// OpenSSL has not ended; it may at any time.
    [[nodiscard]] static bool usable() noexcept { return !ended; }

    /// No use begins from now on. Waits for those that there are, for a bounded time. In an exit handler.
    static void end(const tutti::detail::own_process& maker) noexcept {
        ended = true;
        if (!maker.is_this()) return; // a child has no thread that would end them
        const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        while (users != 0 && std::chrono::steady_clock::now() < last)
            std::this_thread::sleep_for(std::chrono::microseconds(100));
    }

private:
    // Any thread counts itself in and out of `users`; the exit handler alone writes `ended`, and once.
    static inline thread_local int depth = 0; // of uses within uses
    static inline std::atomic<int> users{0};
    static inline std::atomic<bool> ended{false};
    bool lasts_ = false;
};

/// OpenSSL lasts as long as the process, so that destructors of static objects and exit handlers may still call; unless
/// the program has initialised it before the library: then all that needs it fails once it has ended.
class TUTTI_SHARED crypto {
public:
    /// Never destroyed, since static objects may own connections. Throws a bootstrap error once OpenSSL has gone.
    TUTTI_COLD static crypto& get(const use_of_openssl& held) {
        static crypto& only = *new crypto;
        if (!held.lasts()) fail_by_end();
        return only;
    }

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
    TUTTI_COLD crypto() {
        static const tutti::detail::own_process maker;
        if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr) != 1 ||
            OPENSSL_atexit([] { use_of_openssl::end(maker); }) != 1)
            fail_by_end(); // OpenSSL makes nothing once it has ended
        EVP_MAC* const kind = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
        hmac_ = EVP_MAC_CTX_new(kind);
        std::array<char, 7> name{"SHA256"};
        const std::array<OSSL_PARAM, 2> how{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.data(), 0),
                                            OSSL_PARAM_construct_end()};
        sha256_ = EVP_MD_fetch(nullptr, "SHA256", nullptr);
        if (!hmac_ || !sha256_ || EVP_MAC_CTX_set_params(hmac_, how.data()) != 1)
            bootstrap_failed("OpenSSL has no HMAC-SHA256");
    }

    [[noreturn]] static void fail_by_end() {
        bootstrap_failed(use_of_openssl::has_ended,
                         "end the world in main, or make it before the program uses OpenSSL");
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
TUTTI_COLD [[nodiscard]] inline digest hmac_of(std::span<const std::byte> key, std::span<const std::byte> text) {
    digest out{};
    const detail::use_of_openssl held;
    if (!detail::crypto::get(held).hmac(key, text, out)) bootstrap_failed("OpenSSL cannot compute HMAC-SHA256");
    return out;
}

/// SHA-256 of a text.
TUTTI_COLD [[nodiscard]] inline digest digest_of(std::span<const std::byte> text) {
    digest out{};
    const detail::use_of_openssl held;
    if (!detail::crypto::get(held).sha256(text, out)) bootstrap_failed("OpenSSL cannot compute SHA-256");
    return out;
}

} // namespace tutti::transport::bootstrap
