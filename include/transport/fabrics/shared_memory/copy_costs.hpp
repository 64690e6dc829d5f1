// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transport.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tutti::transport::detail::shm {

/// The costs of copies of long messages on this host, in ns for each 4 KiB, as they were made of late. By them a sender
/// chooses between rooms, with two copies, and one copy by the kernel. Messages whose lengths have the same power of
/// two are of one class: their data lie in the same caches. Used by its rank's thread alone, but for `as_receiver`.
class copy_costs {
public:
    static constexpr std::size_t classes = 10; ///< from 64 KiB; the last has all from 32 MiB on

    /// The part that peers see: by class, a kernel's copy above one out of a room. Each number is stored and read as a
    /// whole (relaxed) and guards nothing. 0: not known.
    using as_receiver = std::array<std::atomic<std::uint32_t>, classes>;

    /// One end of a lane: by class, how many long messages went the same way, one after the other.
    class history {
        friend copy_costs;
        struct row {
            bool by_kernel = false;
            std::uint32_t length = 0;
            std::uint32_t chosen = 0; ///< the sender: how often it has chosen
        };
        /// The way of one more message.
        void add(std::size_t c, bool by_kernel) noexcept {
            row& r = rows_[c];
            r.length = r.by_kernel == by_kernel ? r.length + 1 : 1;
            r.by_kernel = by_kernel;
        }
        /// So many messages go through all rooms that are in rotation, twice.
        [[nodiscard]] static std::uint32_t trial(std::size_t c) noexcept { return std::max<std::uint32_t>(64 >> c, 4); }
        /// That way is in the caches.
        [[nodiscard]] bool is_warm(std::size_t c, bool by_kernel) const noexcept {
            return rows_[c].by_kernel == by_kernel && rows_[c].length > trial(c) / 2;
        }
        std::array<row, classes> rows_{};
    };

    explicit copy_costs(as_receiver& own) noexcept : own_(own) {}

    static constexpr std::size_t least_long = 64 * 1024 + 1;
    [[nodiscard]] static bool is_long(std::size_t message) noexcept { return message >= least_long; }
    /// Whether to time the copy of a part, into a room or out of one: of some parts, since a clock takes its time too.
    [[nodiscard]] bool is_timed(std::size_t message, std::size_t part) noexcept {
        return is_long(message) && part >= least_timed && ++parts_ % 4 == 0;
    }

    /// Ranks share cores: then no two copies are made at once.
    void note_crowd() noexcept { is_crowded_ = true; }

    /// Long sends and receives of this rank begin and end. Where it has both at once, it has both copies of a part to
    /// make: one into a room, and one out of another. `is_there`: the message was there before its receive began. Then
    /// the peer has copied while this rank has, which comes to the same.
    /// @{
    void begin_send() noexcept {
        ++sends_;
        if (receives_ > 0)
            has_both_ = true;
        else if (++sends_in_row_ > sends_of_one_call)
            has_both_ = false;
    }
    void begin_receive(bool is_there) noexcept {
        ++receives_;
        if (const bool has_sent = std::exchange(sends_in_row_, 0) > 0; has_sent || sends_ > 0)
            has_both_ = is_there || sends_ > 0;
    }
    void end_sends(std::size_t number) noexcept { sends_ -= number; }
    void end_receives(std::size_t number) noexcept { receives_ -= number; }
    /// @}

    /// The sender chooses; true: the kernel copies. Both ways are tried at first, and each now and then, some messages
    /// in a row: what has not been used for long is slower than what is in the caches.
    [[nodiscard]] bool by_kernel(std::size_t message, history& sent, const as_receiver& receiver) noexcept {
        const std::size_t c = class_of(message);
        const bool chosen = choose(c, sent.rows_[c].chosen++, receiver[c].load(std::memory_order_relaxed));
        sent.add(c, chosen);
        return chosen;
    }
    /// The receiver has found out which way a long message comes.
    static void begin_message(std::size_t message, bool by_kernel, history& received) noexcept {
        received.add(class_of(message), by_kernel);
    }

    void note_into(std::size_t message, std::size_t bytes, clock::duration took, const history& sent) noexcept {
        const std::size_t c = class_of(message);
        if (sent.is_warm(c, false)) blend(into_[c], cost_of(bytes, took));
    }
    void note_out(std::size_t message, std::size_t bytes, clock::duration took, const history& received) noexcept {
        note(class_of(message), false, cost_of(bytes, took), received);
    }
    void note_kernel(std::size_t message, std::size_t bytes, clock::duration took, const history& received) noexcept {
        if (bytes >= least_timed) note(class_of(message), true, cost_of(bytes, took), received);
    }

private:
    static constexpr std::size_t least_timed = 8 * 1024;
    static constexpr std::uint32_t sends_of_one_call = 16;

    [[nodiscard]] bool choose(std::size_t c, std::uint32_t number, std::uint32_t theirs) const noexcept {
        constexpr std::uint32_t trials = 64, trials_of_unknown = 8; // one of so many
        const std::uint32_t one = history::trial(c), turn = number / one;
        if (turn < 2) return turn == 1;
        const std::uint32_t kernel = theirs >> 16, out = theirs & 0xffff, in = into_[c];
        if (in == 0 || out == 0 || kernel == 0) return turn % trials_of_unknown == 1;
        // Less by an eighth at least: a sender that lends its memory also waits for the receiver.
        const bool is_less = kernel * 8 < (is_crowded_ || has_both_ ? in + out : std::max(in, out)) * 7;
        return is_less != (turn % trials == 0);
    }

    [[nodiscard]] static std::size_t class_of(std::size_t message) noexcept {
        return std::min<std::size_t>(std::bit_width(message / (least_long - 1)), classes) - 1;
    }
    [[nodiscard]] static std::uint32_t cost_of(std::size_t bytes, clock::duration took) noexcept {
        const auto ns = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
        return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(ns * 4096 / bytes, 1, 0xffff));
    }
    /// A copy that took longer may have been held up, and counts less.
    static void blend(std::uint32_t& known, std::uint32_t now) noexcept {
        if (known == 0)
            known = now;
        else if (now < known)
            known -= (known - now + 3) / 4;
        else
            known = std::min<std::uint32_t>(known + (std::min(now - known, known) + 15) / 16, 0xffff);
    }
    void note(std::size_t c, bool by_kernel, std::uint32_t now, const history& received) noexcept {
        if (!received.is_warm(c, by_kernel)) return;
        const unsigned shift = by_kernel ? 16 : 0;
        const std::uint32_t both = own_[c].load(std::memory_order_relaxed);
        std::uint32_t one = both >> shift & 0xffff;
        blend(one, now);
        own_[c].store((both & ~(0xffffU << shift)) | one << shift, std::memory_order_relaxed);
    }

    as_receiver& own_;
    std::array<std::uint32_t, classes> into_{};
    std::uint32_t parts_ = 0;              ///< that could be timed
    std::size_t sends_ = 0, receives_ = 0; ///< long ones under way
    bool is_crowded_ = false;
    bool has_both_ = false;          ///< of late it sent and received at once
    std::uint32_t sends_in_row_ = 0; ///< since a receive has begun
};

} // namespace tutti::transport::detail::shm
