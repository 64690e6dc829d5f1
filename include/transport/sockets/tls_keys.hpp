// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "errors.hpp"
#include "greeting.hpp"
#include "secret.hpp"

#include <openssl/ssl.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::transport::bootstrap::tls {

/// Which conversation a key is for. Each has a key of its own, so that no relay can send a dial back to who dialled, or
/// on to another rank. It travels in clear as the identity of the key.
struct conversation {
    static constexpr std::size_t identity_bytes = 44;

    purpose what = purpose::control;
    std::int32_t from = -1, to = -1; ///< ranks
    std::uint64_t world = 0;         ///< data: its id
    friend bool operator==(const conversation&, const conversation&) = default;

    [[nodiscard]] static conversation of(const hello& h) {
        return {h.what, h.rank, h.peer, h.what == purpose::data ? h.world : 0};
    }
    [[nodiscard]] std::string identity() const {
        std::string out = "tutti key ";
        out += what == purpose::data ? 'd' : 'c';
        append(out, world, 16);
        out += ' ';
        append(out, static_cast<std::uint32_t>(from), 8);
        append(out, static_cast<std::uint32_t>(to), 8);
        return out;
    }
    /// Nothing where it is no identity of this library.
    [[nodiscard]] static std::optional<conversation> from_identity(std::string_view text) {
        conversation c;
        std::uint32_t from = 0, to = 0;
        if (text.size() != identity_bytes || !read(text.substr(11, 16), c.world) || !read(text.substr(28, 8), from) ||
            !read(text.substr(36, 8), to))
            return std::nullopt;
        c.what = text[10] == 'd' ? purpose::data : purpose::control;
        c.from = static_cast<std::int32_t>(from);
        c.to = static_cast<std::int32_t>(to);
        return c.identity() == text ? std::optional(c) : std::nullopt;
    }

private:
    static void append(std::string& out, std::uint64_t number, int digits) {
        while (digits-- > 0) out += "0123456789abcdef"[number >> (4 * digits) & 15];
    }
    template <class Integer>
    static bool read(std::string_view text, Integer& out) {
        return std::from_chars(text.data(), text.data() + text.size(), out, 16).ptr == text.data() + text.size();
    }
};

/// A key, and who may ask for it.
struct key_holder {
    secret of;
    conversation mine{};                  ///< of the side that connects
    std::optional<conversation> theirs{}; ///< of the side that was connected to: what the other side has asked for
    std::string identity{};               ///< of `mine`, as long as OpenSSL looks at it
    bool failed = false;                  ///< there was no memory for one
};

namespace detail {

/// Null where there is no memory: OpenSSL calls this, and takes no exception.
[[nodiscard]] inline SSL_SESSION* session_of(SSL* s, const key_holder& k, const conversation& c) noexcept try {
    digest key = k.of.derive(c.identity());
    const std::array<unsigned char, 2> hashes_by_sha256{0x13, 0x01}; // TLS_AES_128_GCM_SHA256; serves ChaCha20 as well
    SSL_SESSION* const out = SSL_SESSION_new();
    const bool holds =
        out && SSL_SESSION_set1_master_key(out, reinterpret_cast<const unsigned char*>(key.data()), key.size()) == 1;
    OPENSSL_cleanse(key.data(), key.size());
    if (holds && SSL_SESSION_set_protocol_version(out, TLS1_3_VERSION) == 1 &&
        SSL_SESSION_set_cipher(out, SSL_CIPHER_find(s, hashes_by_sha256.data())) == 1)
        return out;
    SSL_SESSION_free(out);
    return nullptr;
} catch (const std::exception&) {
    return nullptr;
}

inline int offer_key(SSL* s, const EVP_MD*, const unsigned char** identity, std::size_t* bytes,
                     SSL_SESSION** out) noexcept {
    auto* const k = static_cast<key_holder*>(SSL_get_app_data(s));
    *out = k ? session_of(s, *k, k->mine) : nullptr;
    if (k) k->failed = !*out;
    if (!*out) return 0;
    *identity = reinterpret_cast<const unsigned char*>(k->identity.data());
    *bytes = k->identity.size();
    return 1;
}
inline int find_key(SSL* s, const unsigned char* identity, std::size_t bytes, SSL_SESSION** out) noexcept try {
    auto* const k = static_cast<key_holder*>(SSL_get_app_data(s));
    const auto asked = conversation::from_identity({reinterpret_cast<const char*>(identity), bytes});
    const bool is_ours = k && asked && asked->what == k->mine.what && asked->to == k->mine.to &&
                         (asked->what == purpose::control || asked->world == k->mine.world);
    if (is_ours) k->theirs = asked;
    *out = is_ours ? session_of(s, *k, *asked) : nullptr; // null: there is no such key
    if (is_ours) k->failed = !*out;
    return !is_ours || *out;
} catch (const std::exception&) {
    if (auto* const k = static_cast<key_holder*>(SSL_get_app_data(s))) k->failed = true;
    return 0;
}

/// What all connections of one side have in common. Never freed, since static objects may own connections.
class TUTTI_SHARED contexts {
public:
    [[nodiscard]] static SSL_CTX* of(bool connects) {
        static SSL_CTX* const connecting = made(true);
        static SSL_CTX* const accepting = made(false);
        return connects ? connecting : accepting;
    }

private:
    TUTTI_COLD static SSL_CTX* made(bool connects) {
        SSL_CTX* const c = SSL_CTX_new(connects ? TLS_client_method() : TLS_server_method());
        if (!c || SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION) != 1 ||
            SSL_CTX_set_max_proto_version(c, TLS1_3_VERSION) != 1 ||
            SSL_CTX_set_ciphersuites(c, "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256") != 1 ||
            SSL_CTX_set1_groups_list(c, "X25519") != 1 || SSL_CTX_set_num_tickets(c, 0) != 1)
            bootstrap_failed("OpenSSL has no TLS 1.3 by X25519");
        // A peer that ends without a word has ended: it may have been killed.
        SSL_CTX_set_options(c, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_IGNORE_UNEXPECTED_EOF);
        SSL_CTX_clear_options(c, SSL_OP_ALLOW_NO_DHE_KEX | SSL_OP_ENABLE_MIDDLEBOX_COMPAT);
        SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
        SSL_CTX_set_max_early_data(c, 0);
        SSL_CTX_set_mode(c, SSL_MODE_RELEASE_BUFFERS);
        // Nobody's certificate is believed, since there is nobody who could have signed it.
        SSL_CTX_set_verify(c, connects ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
        if (connects)
            SSL_CTX_set_psk_use_session_callback(c, offer_key);
        else
            SSL_CTX_set_psk_find_session_callback(c, find_key);
        return c;
    }
};

} // namespace detail

} // namespace tutti::transport::bootstrap::tls
