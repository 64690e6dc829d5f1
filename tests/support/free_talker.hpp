// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/sockets/handshake.hpp>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::test {

inline std::vector<std::byte> take_out(transport::bootstrap::handshake& h) {
    std::vector<std::byte> out(h.outgoing().begin(), h.outgoing().end());
    h.sent(out.size());
    return out;
}

/// A side of TLS of our own that says what it wants.
struct free_talker {
    using bytes = std::vector<std::byte>;
    using handshake = transport::bootstrap::handshake;

    free_talker(const transport::bootstrap::secret& of, const transport::bootstrap::hello& as, bool connects = true) {
        key.of = of;
        key.mine = transport::bootstrap::tls::conversation::of(as);
        key.identity = key.mine.identity();
        s.reset(SSL_new(transport::bootstrap::tls::detail::contexts::of(connects)));
        SSL_set_bio(s.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        SSL_set_app_data(s.get(), &key);
        connects ? SSL_set_connect_state(s.get()) : SSL_set_accept_state(s.get());
    }
    bytes out() {
        char* text = nullptr;
        const auto n = static_cast<std::size_t>(BIO_get_mem_data(SSL_get_wbio(s.get()), &text));
        const auto all = std::as_bytes(std::span(text, n));
        bytes copy(all.begin(), all.end());
        static_cast<void>(BIO_reset(SSL_get_wbio(s.get())));
        return copy;
    }
    void in(const bytes& b) {
        if (!b.empty()) BIO_write(SSL_get_rbio(s.get()), b.data(), static_cast<int>(b.size()));
    }
    /// Its handshake with the other side; true if it is done.
    bool shake(handshake& with) {
        for (int i = 0; i < 10; ++i) {
            ERR_clear_error();
            if (SSL_do_handshake(s.get()) == 1) return true;
            with.feed(out());
            if (with.knocks()) with.let_in();
            in(take_out(with));
        }
        return false;
    }
    bool say(std::span<const std::byte> text, handshake& to) {
        std::size_t n = 0;
        if (SSL_write_ex(s.get(), text.data(), text.size(), &n) != 1) return false;
        to.feed(out());
        return true;
    }
    bytes hear(handshake& from) {
        in(take_out(from));
        bytes text(100);
        std::size_t n = 0;
        if (SSL_read_ex(s.get(), text.data(), text.size(), &n) != 1) n = 0;
        text.resize(n);
        return text;
    }

    transport::bootstrap::tls::key_holder key;
    transport::bootstrap::tls::state s;
};

} // namespace tutti::test
