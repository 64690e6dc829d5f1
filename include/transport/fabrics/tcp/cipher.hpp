// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../flow/scatter_read.hpp"
#include "encrypted_record.hpp"
#include "writer.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tutti::transport::detail::tcp {

/// The layer between a stream and its socket where data are encrypted: reads and writes records.
///
/// Memory: up to batch_bytes once something was written, and one record that has come in part.
class cipher {
public:
    /// So much is encrypted at a time: it stays in the cache until the kernel has copied it.
    static constexpr std::size_t batch_bytes = 4 * most_text_bytes;

    explicit cipher(const bootstrap::traffic_keys& keys) : sealer_(keys.out), opener_(keys.in) {}

    /// Writes of what `from` has; the count is of what the kernel has got all of. What it has in part is kept, and goes
    /// out by the next calls.
    io_result write(const socket& s, const writer& from) {
        if (unsent_.empty() && !seal(from)) return {};
        auto done = bootstrap::write_some(s.get(), std::span(unsent_).subspan(sent_));
        sent_ += done.bytes;
        done.bytes = 0;
        if (sent_ < unsent_.size()) return done;
        unsent_.clear();
        sent_ = 0;
        done.bytes = stands_for_;
        return done;
    }

    /// Reads once, and hands texts to `use` once they have proven to be the peer's. The count is of what was read.
    /// `landing` is memory for a moment, of at least most_record_bytes.
    template <class Use>
    io_result read(const socket& s, std::span<std::byte> landing, Use&& use) {
        std::copy(begun_.begin(), begun_.end(), landing.begin());
        const auto got = bootstrap::read_some(s.get(), landing.subspan(begun_.size()));
        if (got.bytes == 0) return got;
        const auto wire = landing.first(begun_.size() + got.bytes);
        const auto opened = opener_.open(wire, use);
        if (!opened) fail("its data were changed on the way, or are not its own");
        const auto rest = wire.subspan(opened.value_or(wire.size()));
        begun_.assign(rest.begin(), rest.end());
        return got;
    }

    /// Why nothing more can be read or written; empty while it can.
    [[nodiscard]] std::string_view why() const noexcept { return why_; }

private:
    void fail(std::string_view otherwise) noexcept {
        why_ = use_of_openssl::usable() ? otherwise : use_of_openssl::has_ended;
    }

    [[nodiscard]] bool seal(const writer& from) {
        const auto wanted = from.gather();
        const std::size_t most = std::min(from.bytes(), batch_bytes);
        for (stands_for_ = 0; stands_for_ < most;) {
            const auto sealed = sealer_.seal(std::span(wanted.list).first(wanted.count), stands_for_, unsent_);
            if (sealed == 0) {
                fail("OpenSSL cannot encrypt");
                return false;
            }
            stands_for_ += sealed;
        }
        return true;
    }

    record_sealer sealer_;
    record_opener opener_;
    std::vector<std::byte> unsent_; // records
    std::size_t sent_ = 0;          // of these
    std::size_t stands_for_ = 0;    // bytes of text in these
    std::vector<std::byte> begun_;  // a record that has come in part
    std::string_view why_;
};

} // namespace tutti::transport::detail::tcp
