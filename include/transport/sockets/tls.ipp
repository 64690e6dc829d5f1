// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tls.hpp"

#include "../../base/linkage.hpp"
#include "crypto.hpp"
#include "errors.hpp"
#include "socket.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap::tls {

static_assert(stream::record_bytes == SSL3_RT_MAX_PLAIN_LENGTH);

TUTTI_APART void deleter::operator()(ssl_st* s) const noexcept {
    const bootstrap::detail::use_of_openssl held;
    if (held.lasts()) SSL_free(s);
}

/// The socket of a connection, how either direction ended first, what has come, and what is encrypted and not out yet.
/// So OpenSSL never waits to write: it would read nothing meanwhile, and if both sides renew their keys in full
/// sockets, both stand still.
struct stream::wire {
    int socket;
    io_result in{}, out{};
    std::vector<std::byte> kept{};
    std::size_t sent = 0; // of these
    std::vector<std::byte> came{};
    std::span<const std::byte> left{}; // of these
    bool has_more = true;              // for all that is known

    /// Precondition: nothing is left.
    [[nodiscard]] io_result fill() {
        const auto r = read_some(socket, came);
        has_more = r.bytes == came.size();
        left = std::span(came).first(r.bytes);
        return r;
    }
    [[nodiscard]] io_result read(std::span<std::byte> into) {
        if (left.empty()) return read_some(socket, into); // no more than is asked for: the rest of a record
        const auto n = std::min(into.size(), left.size());
        std::memcpy(into.data(), left.data(), n);
        left = left.subspan(n);
        return {n, false, 0};
    }
};

/// A socket that OpenSSL reads and writes, without SIGPIPE.
struct stream::bio {
    [[nodiscard]] TUTTI_COLD static BIO* of(int socket) {
        static BIO_METHOD* const method = made();
        std::unique_ptr<wire> held(new wire{socket});
        BIO* const out = BIO_new(method);
        if (!out) bootstrap_failed("OpenSSL has no memory");
        BIO_set_data(out, held.release());
        BIO_set_init(out, 1);
        return out;
    }
    static wire& wire_of(BIO* b) { return *static_cast<wire*>(BIO_get_data(b)); }

private:
    TUTTI_COLD static BIO_METHOD* made() {
        BIO_METHOD* const m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tutti's socket");
        if (!m) bootstrap_failed("OpenSSL has no memory");
        BIO_meth_set_write(m, [](BIO* b, const char* from, int bytes) {
            const auto all = std::as_bytes(std::span(from, static_cast<std::size_t>(bytes)));
            BIO_clear_retry_flags(b);
            try { // OpenSSL takes no exception
                wire_of(b).kept.insert(wire_of(b).kept.end(), all.begin(), all.end());
                return bytes;
            } catch (const std::exception&) {
                return -1;
            }
        });
        BIO_meth_set_read(m, [](BIO* b, char* to, int bytes) {
            const auto all = std::as_writable_bytes(std::span(to, static_cast<std::size_t>(bytes)));
            const auto r = wire_of(b).read(all);
            if (r.ended) wire_of(b).in = r;
            BIO_clear_retry_flags(b);
            if (r.bytes == 0 && !r.ended) BIO_set_retry_read(b);
            return r.bytes > 0 ? static_cast<int>(r.bytes) : r.ended && r.error == 0 ? 0 : -1;
        });
        BIO_meth_set_ctrl(m, [](BIO* b, int what, long, void*) -> long {
            return what == BIO_CTRL_EOF ? wire_of(b).in.ended : what == BIO_CTRL_FLUSH;
        });
        BIO_meth_set_destroy(m, [](BIO* b) {
            delete &wire_of(b);
            return 1;
        });
        return m;
    }
};

TUTTI_COLD TUTTI_APART stream::stream(state of, int socket, std::size_t ahead)
    : of_(std::move(of)), reads_ahead_(ahead > 0) {
    const bootstrap::detail::use_of_openssl held;
    bootstrap::detail::crypto::get(held);
    BIO* const both = bio::of(socket);
    wire_ = &bio::wire_of(both);
    SSL_set_bio(of_.get(), both, both);
    wire_->came.resize(ahead);
    if (reads_ahead_) SSL_clear_mode(of_.get(), SSL_MODE_RELEASE_BUFFERS);
}

template <class Operation>
io_result stream::after(bool reads, Operation operation) {
    const bootstrap::detail::use_of_openssl held;
    io_result& end = reads ? wire_->in : wire_->out;
    if (!held.lasts()) return {0, true, ECONNABORTED};
    if (end.ended) return end;
    std::size_t bytes = 0;
    if (ERR_peek_error() != 0) ERR_clear_error();
    if (operation(&bytes) == 1) return {bytes, false, 0};
    const int why = SSL_get_error(of_.get(), 0);
    const unsigned long error = ERR_peek_error();
    if (reads && why == SSL_ERROR_WANT_READ) return {};
    ERR_clear_error(); // the program has errors of its own
    if (end.ended) return end;
    // All that is read was written by the other side's OpenSSL, or has been changed; unless memory lacks, here or
    // there.
    const bool lacks_memory = why == SSL_ERROR_SYSCALL || ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE;
    forged_ = reads && why == SSL_ERROR_SSL && !ERR_FATAL_ERROR(error) && ERR_GET_LIB(error) == ERR_LIB_SSL &&
              ERR_GET_REASON(error) != SSL_R_TLSV1_ALERT_INTERNAL_ERROR;
    if (forged_) wire_->out = {0, true, ECONNABORTED};
    return end = {0, true, why == SSL_ERROR_ZERO_RETURN ? 0 : lacks_memory ? ENOMEM : forged_ ? EBADMSG : EPROTO};
}

TUTTI_APART io_result stream::read(std::span<std::byte> into) {
    if (reads_ahead_ && !holds() && !wire_->in.ended) {
        const auto r = wire_->fill();
        if (r.ended) wire_->in = r;
        if (r.bytes == 0 && !r.ended) return r; // mostly
    }
    const auto kept = wire_->kept.size();
    const auto done =
        after(true, [&](std::size_t* bytes) { return SSL_read_ex(of_.get(), into.data(), into.size(), bytes); });
    if (wire_->kept.size() > kept) flush(); // it answers
    // The kernel tells an error once, to the first call.
    return done.ended && done.error == 0 && wire_->out.error != EPIPE ? io_result{0, true, wire_->out.error} : done;
}
TUTTI_APART io_result stream::take(std::span<const std::byte> record) {
    const bool renews = records_ >= renews_after_;
    const auto done = after(false, [&](std::size_t* bytes) {
        // Only our own direction: a peer that is asked for its renewal may be slow to answer.
        if (renews && SSL_key_update(of_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) != 1) return 0;
        return SSL_write_ex(of_.get(), record.data(), record.size(), bytes);
    });
    records_ = renews ? 1 : records_ + 1;
    return done;
}
TUTTI_APART io_result stream::flush() noexcept {
    wire& w = *wire_;
    while (w.sent < w.kept.size()) {
        const auto r = write_some(w.socket, std::span(w.kept).subspan(w.sent));
        if (r.ended && !w.out.ended) w.out = r;
        if (r.ended) w.sent = w.kept.size();
        if (r.bytes == 0 && !r.ended) return {};
        w.sent += r.bytes;
    }
    w.sent = 0;
    if (reads_ahead_)
        w.kept.clear();
    else
        w.kept = {}; // rank 0 has as many streams as there are ranks
    return w.out;
}
TUTTI_APART bool stream::wants_write() const noexcept { return !wire_->kept.empty(); }
TUTTI_APART bool stream::holds() const noexcept { return !wire_->left.empty() || SSL_pending(of_.get()) > 0; }
TUTTI_APART bool stream::has_more() const noexcept { return wire_->has_more; }

} // namespace tutti::transport::bootstrap::tls
