// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../flow/scatter_read.hpp"
#include "../../sockets/crypto.hpp"
#include "../../sockets/tls.hpp"
#include "reader.hpp"
#include "writer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

namespace tutti::transport::detail::tcp {

using bootstrap::detail::use_of_openssl;

inline constexpr std::size_t most_record_bytes = bootstrap::tls::stream::record_bytes;

/// The layer between a stream and its socket where data are encrypted: goes on inside TLS.
///
/// Memory: a batch that was read, one that was written, and what OpenSSL holds of records.
class cipher {
public:
    /// So many are encrypted at a time: they stay in the cache until the kernel has copied them.
    static constexpr std::size_t batch_records = 4;
    static constexpr std::size_t batch_bytes = batch_records * most_record_bytes;

    cipher(bootstrap::tls::state proven, int fd) : inside_(std::move(proven), fd, batch_bytes) {}

    /// Writes of what `from` has; the count is of what the kernel has got all of. What it has in part is kept, and goes
    /// out by the next calls.
    io_result write(const writer& from) {
        auto out = inside_.flush();
        if (!out.ended && taken_ == 0 && !inside_.wants_write()) {
            if (take(from).ended) why_ = "what it is sent cannot be encrypted";
            out = inside_.flush();
        }
        if (out.ended) return judged(out);
        return {inside_.wants_write() ? 0 : std::exchange(taken_, 0), false, 0};
    }

    /// Reads about `most` bytes, straight to where they belong, or to `landing`, memory for a moment, of at least
    /// most_record_bytes. Nothing is read that has not proven to be the peer's.
    io_result read(reader& to, std::span<std::byte> landing, std::size_t most) {
        io_result all;
        do {
            const auto place = to.place();
            const auto room = place.empty() ? landing : place;
            const auto got = inside_.read(room.first(std::min(room.size(), most_record_bytes)));
            if (got.bytes == 0) {
                judged(got);
                all.ended = got.ended && !to.paused(); // else it is told again
                all.error = got.error;
                return all;
            }
            if (place.empty())
                to.take(room.first(got.bytes));
            else
                to.placed(got.bytes);
            all.bytes += got.bytes;
        } while (inside_.holds() || (!to.paused() && inside_.has_more() && all.bytes + most_record_bytes <= most));
        return all;
    }

    /// Why nothing more can be read or written; empty while it can, or where the connection itself has ended.
    [[nodiscard]] std::string_view why() const noexcept { return why_; }

private:
    io_result judged(const io_result& r) noexcept {
        if (!use_of_openssl::usable())
            why_ = use_of_openssl::has_ended;
        else if (inside_.forged())
            why_ = "its data were changed on the way, or are not its own";
        return r;
    }
    /// A batch; records that lie in one piece are not copied.
    io_result take(const writer& from) {
        std::array<std::byte, most_record_bytes> joined;
        const auto wanted = from.gather();
        std::size_t records = 0, have = 0;
        const auto encrypt = [&](std::span<const std::byte> record) {
            ++records;
            taken_ += record.size();
            return inside_.take(record);
        };
        for (auto piece : std::span(wanted.list).first(wanted.count))
            while (!piece.empty() && records < batch_records) {
                const auto some = piece.first(std::min(piece.size(), most_record_bytes - have));
                const bool whole = some.size() == most_record_bytes;
                if (!whole) std::memcpy(joined.data() + have, some.data(), some.size());
                have += some.size();
                piece = piece.subspan(some.size());
                if (have < most_record_bytes) continue;
                have = 0;
                if (const auto r = encrypt(whole ? some : joined); r.ended) return r;
            }
        return have > 0 ? encrypt(std::span(joined).first(have)) : io_result{};
    }

    bootstrap::tls::stream inside_;
    std::size_t taken_ = 0; // of what `from` has, and not all out
    std::string_view why_;
};

} // namespace tutti::transport::detail::tcp
