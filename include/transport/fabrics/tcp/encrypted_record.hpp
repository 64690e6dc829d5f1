// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../sockets/secret.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Records: the units in which a lane carries encrypted data.
///
/// Record: length of the text 2 (little endian), text encrypted by ChaCha20-Poly1305 (RFC 8439), tag 16. The length is
/// authenticated with it. Each direction of each lane has a key of its own, and its records are counted from 0; the
/// count is the nonce, so that none can be left out, repeated or moved. A key has no limit that such a count would come
/// near (RFC 8446, section 5.5), as one of AES-GCM has.
namespace tutti::transport::detail::tcp {

using bootstrap::detail::use_of_openssl;

inline constexpr std::size_t record_head_bytes = 2;
inline constexpr std::size_t record_tag_bytes = 16;
inline constexpr std::size_t most_record_bytes = 16 * 1024; ///< of a whole record
inline constexpr std::size_t most_text_bytes = most_record_bytes - record_head_bytes - record_tag_bytes;

/// The key of one direction, for one record after the other.
class record_key {
public:
    record_key(const bootstrap::digest& key, bool encrypts) : encrypts_(encrypts) {
        const use_of_openssl held;
        bootstrap::detail::crypto::get(held);
        state_.reset(EVP_CIPHER_CTX_new());
        if (!state_ ||
            EVP_CipherInit_ex(state_.get(), EVP_chacha20_poly1305(), nullptr, bytes_of(key), nullptr, encrypts) != 1)
            bootstrap::bootstrap_failed("OpenSSL has no ChaCha20-Poly1305");
    }

    /// Begins the next record. Its head is authenticated with it.
    [[nodiscard]] bool begin(std::span<const std::byte> head) {
        std::array<unsigned char, 12> nonce{};
        for (std::size_t i = 0; i < sizeof count_; ++i) nonce[4 + i] = static_cast<unsigned char>(count_ >> (8 * i));
        ++count_;
        int none = 0;
        return EVP_CipherInit_ex(state_.get(), nullptr, nullptr, nullptr, nonce.data(), encrypts_) == 1 &&
               EVP_CipherUpdate(state_.get(), nullptr, &none, bytes_of(head), static_cast<int>(head.size())) == 1;
    }
    /// Its text, in pieces; `to` may be where it lies.
    [[nodiscard]] bool convert(std::span<const std::byte> text, std::byte* to) {
        int written = 0;
        return text.empty() || EVP_CipherUpdate(state_.get(), reinterpret_cast<unsigned char*>(to), &written,
                                                bytes_of(text), static_cast<int>(text.size())) == 1;
    }
    [[nodiscard]] bool finish_with(std::span<std::byte, record_tag_bytes> tag) {
        return ends() && EVP_CIPHER_CTX_ctrl(state_.get(), EVP_CTRL_AEAD_GET_TAG, record_tag_bytes, tag.data()) == 1;
    }
    /// False if the record does not bear that tag: then nothing of it is to be believed.
    [[nodiscard]] bool is_genuine(std::span<std::byte, record_tag_bytes> tag) {
        return EVP_CIPHER_CTX_ctrl(state_.get(), EVP_CTRL_AEAD_SET_TAG, record_tag_bytes, tag.data()) == 1 && ends();
    }

private:
    static const unsigned char* bytes_of(std::span<const std::byte> s) {
        return reinterpret_cast<const unsigned char*>(s.data());
    }
    [[nodiscard]] bool ends() {
        std::array<unsigned char, EVP_MAX_BLOCK_LENGTH> none;
        int written = 0;
        return EVP_CipherFinal_ex(state_.get(), none.data(), &written) == 1;
    }

    struct deleter {
        void operator()(EVP_CIPHER_CTX* state) const noexcept {
            const use_of_openssl held;
            if (held.lasts()) EVP_CIPHER_CTX_free(state);
        }
    };
    std::unique_ptr<EVP_CIPHER_CTX, deleter> state_;
    int encrypts_;
    std::uint64_t count_ = 0; // of the records that were begun
};

/// Makes records.
class record_sealer {
public:
    explicit record_sealer(const bootstrap::digest& key) : key_(key, true) {}

    /// Appends the next record, of as much of the pieces from `skip` on as it can hold. Returns how much that is; 0
    /// where OpenSSL fails.
    std::size_t seal(std::span<const std::span<const std::byte>> pieces, std::size_t skip,
                     std::vector<std::byte>& out) {
        const use_of_openssl held;
        if (!held.lasts()) return 0;
        std::size_t all = 0;
        for (const auto& p : pieces) all += p.size();
        const std::size_t text = std::min(all - skip, most_text_bytes);
        const std::size_t at = out.size();
        out.resize(at + record_head_bytes + text + record_tag_bytes);
        std::byte* to = out.data() + at;
        to[0] = static_cast<std::byte>(text);
        to[1] = static_cast<std::byte>(text >> 8);
        bool good = key_.begin({to, record_head_bytes});
        to += record_head_bytes;
        for (std::size_t left = text, k = 0; left > 0; ++k) {
            const std::size_t passed = std::min(skip, pieces[k].size());
            const auto some = pieces[k].subspan(passed, std::min(left, pieces[k].size() - passed));
            skip -= passed;
            left -= some.size();
            good = good && key_.convert(some, to);
            to += some.size();
        }
        if (good && key_.finish_with(std::span<std::byte, record_tag_bytes>(to, record_tag_bytes))) return text;
        out.resize(at);
        return 0;
    }

private:
    record_key key_;
};

/// Opens records.
class record_opener {
public:
    explicit record_opener(const bootstrap::digest& key) : key_(key, false) {}

    /// Opens what is whole in `wire`, in place, and hands the text of one record after the other to `use`, each once
    /// its tag has been found good. Returns how much of `wire` that was; nothing if a record is forged, or where
    /// OpenSSL has ended.
    template <class Use>
    [[nodiscard]] std::optional<std::size_t> open(std::span<std::byte> wire, Use&& use) {
        const use_of_openssl held;
        if (!held.lasts()) return std::nullopt;
        std::size_t at = 0;
        while (wire.size() - at >= record_head_bytes) {
            const auto rest = wire.subspan(at);
            const std::size_t text =
                std::to_integer<std::size_t>(rest[0]) + 256 * std::to_integer<std::size_t>(rest[1]);
            if (text == 0 || text > most_text_bytes) return std::nullopt;
            const std::size_t whole = record_head_bytes + text + record_tag_bytes;
            if (rest.size() < whole) break;
            const auto inside = rest.subspan(record_head_bytes, text);
            const std::span<std::byte, record_tag_bytes> tag(rest.data() + record_head_bytes + text, record_tag_bytes);
            if (!key_.begin(rest.first(record_head_bytes)) || !key_.convert(inside, inside.data()) ||
                !key_.is_genuine(tag))
                return std::nullopt;
            use(std::span<const std::byte>(inside));
            at += whole;
        }
        return at;
    }

private:
    record_key key_;
};

} // namespace tutti::transport::detail::tcp
