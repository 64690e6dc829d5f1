// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "socket.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct ssl_st; // OpenSSL's SSL

/// TLS 1.3 (RFC 8446) of OpenSSL, by a key that both sides have: no certificates, no tickets, no early data. Its bodies
/// (tls.ipp) see OpenSSL, and this does not.
namespace tutti::transport::bootstrap::tls {

struct deleter {
    /// Nothing is said to the other side. Once OpenSSL has ended, the memory stays.
    void operator()(ssl_st* s) const noexcept;
};
/// One side of a connection.
using state = std::unique_ptr<ssl_st, deleter>;

/// Bytes over a connection whose handshake is done, so that nobody between the two can read, change, repeat or reorder
/// them. A connection that somebody cuts looks like a peer that ends. One thread at a time; nothing waits.
class stream {
public:
    /// A key serves so many records: RFC 8446 allows 2^24.5 of full length with AES-GCM (section 5.5).
    static constexpr std::uint64_t records_of_a_key = std::uint64_t{1} << 22;
    static constexpr std::size_t record_bytes = 16 * 1024; ///< of text, at most

    /// The socket is another's, which outlives this. `ahead`: bytes to read at a time; 0: as many as are asked for.
    /// Throws a bootstrap error, or std::bad_alloc.
    stream(state of, int socket, std::size_t ahead = 0);

    /// Reads what is there, at most one record.
    [[nodiscard]] io_result read(std::span<std::byte> into);
    /// Has read more than it gave: the socket does not tell of that. It is to be read until this is false, or nothing
    /// comes.
    [[nodiscard]] bool holds() const noexcept;
    /// The socket gave all that it was asked for: it may have more.
    [[nodiscard]] bool has_more() const noexcept;
    /// Takes a record, of record_bytes at most, and does not write it.
    [[nodiscard]] io_result take(std::span<const std::byte> record);
    /// Writes as much of what it has taken as the socket takes. The count tells nothing.
    io_result flush() noexcept;
    /// Not all that it has taken is written.
    [[nodiscard]] bool wants_write() const noexcept;
    /// What was read is not what the other side wrote.
    [[nodiscard]] bool forged() const noexcept { return forged_; }
    /// For tests.
    void renew_after(std::uint64_t records) noexcept { renews_after_ = records; }

private:
    struct wire;
    struct bio;

    template <class Operation>
    io_result after(bool reads, Operation operation);

    state of_;
    wire* wire_; // OpenSSL's
    bool reads_ahead_;
    std::uint64_t records_ = 0; // that were written by this key
    std::uint64_t renews_after_ = records_of_a_key;
    bool forged_ = false;
};

} // namespace tutti::transport::bootstrap::tls
