// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "failure.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace tutti::transport::bootstrap {

using digest = std::array<std::byte, 32>;
using nonce = std::array<std::byte, 32>;

/// What the ranks of a world know and nobody else does; possibly nothing. A handle: copies share the bytes, which are
/// wiped when the last copy goes. Use 16 random bytes or more: whoever makes a rank connect to him gets a proof that
/// he may try guesses against at leisure.
class secret {
public:
    /// No secret: proofs are made with an empty key and keep out nobody but strays.
    secret() = default;

    explicit secret(std::string_view bytes) {
        if (!bytes.empty()) bytes_.reset(new held(bytes.begin(), bytes.end()), wipe{});
    }

    [[nodiscard]] bool configured() const noexcept { return bytes_ != nullptr; }

    /// HMAC-SHA256 of a text under the secret.
    [[nodiscard]] digest prove(std::span<const std::byte> text) const {
        static constexpr unsigned char no_key = 0;
        const auto* key = bytes_ ? static_cast<const void*>(bytes_->data()) : &no_key;
        digest out{};
        unsigned length = 0;
        if (!HMAC(EVP_sha256(), key, bytes_ ? static_cast<int>(bytes_->size()) : 0,
                  reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                  reinterpret_cast<unsigned char*>(out.data()), &length))
            bootstrap_failed("OpenSSL cannot compute HMAC-SHA256");
        return out;
    }

private:
    using held = std::vector<char>;
    struct wipe {
        void operator()(held* bytes) const noexcept {
            OPENSSL_cleanse(bytes->data(), bytes->size());
            delete bytes;
        }
    };
    std::shared_ptr<held> bytes_;
};

/// Compares in a time that does not depend on the bytes.
[[nodiscard]] inline bool same(const digest& a, const digest& b) noexcept {
    return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

/// Fills with bytes that nobody can predict.
inline void draw(std::span<std::byte> out) {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size())) != 1)
        bootstrap_failed("OpenSSL has no random bytes");
}

} // namespace tutti::transport::bootstrap
