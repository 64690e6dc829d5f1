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

/// What copies of long messages take on this host, in ns for each 4 KiB, as they were made of late. By that a sender
/// chooses between rooms, with two copies, and one copy by the kernel. Messages whose lengths have the same power of
/// two are of one class: their data lie in the same caches. Used by its rank's thread alone, but for `as_receiver`.
class copy_costs {
public:
    static constexpr std::size_t classes = 10; ///< from 64 KiB; the last has all from 32 MiB on

    /// What a rank's peers see of it: by class, a kernel's copy above one out of a room. Each number is stored and read
    /// as a whole (relaxed) and guards nothing. 0: not known.
    using as_receiver = std::array<std::atomic<std::uint32_t>, classes>;

    explicit copy_costs(as_receiver& own) noexcept : own_(own) {}

    [[nodiscard]] static bool is_long(std::size_t message) noexcept { return message > least_message; }
    /// Whether to time the copy of that part, by way of a room: a clock takes its time too.
    [[nodiscard]] static bool is_timed(std::size_t message, std::size_t part, std::uint32_t turn) noexcept {
        return is_long(message) && turn % 4 == 0 && part >= 8'192;
    }

    /// Ranks share cores: then no two copies are made at once.
    void note_crowd() noexcept { is_crowded_ = true; }

    /// Long sends and receives of this rank begin and end. Where it sends and receives at once, it has both copies of a
    /// part to make: one into a room, and one out of another. So it is, too, where a message is there before its
    /// receive begins: the peer has copied while this rank has. `is_there`: so it is.
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
    [[nodiscard]] bool by_kernel(std::size_t message, const as_receiver& receiver) noexcept {
        const std::size_t c = class_of(message);
        const bool chosen = choose(c, receiver[c].load(std::memory_order_relaxed));
        count(sent_[c], chosen);
        return chosen;
    }
    /// The receiver has found out which way a long message comes.
    void begin_message(std::size_t message, bool by_kernel) noexcept { count(received_[class_of(message)], by_kernel); }

    void note_into(std::size_t message, std::size_t bytes, clock::duration took) noexcept {
        const std::size_t c = class_of(message);
        if (is_warm(c, sent_[c])) blend(into_[c], cost_of(bytes, took));
    }
    void note_out(std::size_t message, std::size_t bytes, clock::duration took) noexcept {
        note(class_of(message), 0, cost_of(bytes, took));
    }
    void note_kernel(std::size_t message, std::size_t bytes, clock::duration took) noexcept {
        note(class_of(message), 16, cost_of(bytes, took));
    }

private:
    static constexpr std::size_t least_message = 64 * 1024;
    static constexpr std::uint32_t sends_of_one_call = 16;

    /// Messages that went the same way, one after the other.
    struct row {
        bool by_kernel = false;
        std::uint32_t length = 0;
    };
    static void count(row& r, bool by_kernel) noexcept { r = {by_kernel, r.by_kernel == by_kernel ? r.length + 1 : 1}; }
    /// So many messages go through all rooms that are in rotation, twice.
    [[nodiscard]] static std::uint32_t trial(std::size_t c) noexcept { return std::max<std::uint32_t>(64 >> c, 4); }
    [[nodiscard]] static bool is_warm(std::size_t c, const row& r) noexcept { return r.length > trial(c) / 2; }

    [[nodiscard]] bool choose(std::size_t c, std::uint32_t theirs) noexcept {
        constexpr std::uint32_t trials = 64; // one of so many
        const std::uint32_t number = chosen_[c]++, one = trial(c);
        if (number < 2 * one) return number >= one;
        const std::uint32_t kernel = theirs >> 16, out = theirs & 0xffff, in = into_[c];
        if (in == 0 || out == 0 || kernel == 0) return false; // the receiver is behind
        const bool is_less = kernel < (is_crowded_ || has_both_ ? in + out : std::max(in, out));
        return is_less != (number / one % trials == 0);
    }

    [[nodiscard]] static std::size_t class_of(std::size_t message) noexcept {
        return std::min<std::size_t>(std::bit_width(message / least_message), classes) - 1;
    }
    [[nodiscard]] static std::uint32_t cost_of(std::size_t bytes, clock::duration took) noexcept {
        const auto ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(took).count());
        return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(ns * 4096 / bytes, 1, 0xffff));
    }
    /// What takes longer may have been held up, and counts less.
    static void blend(std::uint32_t& known, std::uint32_t now) noexcept {
        if (known == 0)
            known = now;
        else if (now < known)
            known -= (known - now + 3) / 4;
        else
            known = std::min<std::uint32_t>(known + (std::min(now - known, known) + 15) / 16, 0xffff);
    }
    void note(std::size_t c, unsigned shift, std::uint32_t now) noexcept {
        if (!is_warm(c, received_[c])) return;
        auto& word = own_[c];
        const std::uint32_t both = word.load(std::memory_order_relaxed);
        std::uint32_t one = both >> shift & 0xffff;
        blend(one, now);
        word.store((both & ~(0xffffU << shift)) | one << shift, std::memory_order_relaxed);
    }

    as_receiver& own_;
    std::array<row, classes> sent_{}, received_{};
    std::array<std::uint32_t, classes> into_{}, chosen_{};
    std::size_t sends_ = 0, receives_ = 0; ///< long ones under way
    bool is_crowded_ = false;
    bool has_both_ = false;          ///< of late it sent and received at once
    std::uint32_t sends_in_row_ = 0; ///< since a receive has begun
};

} // namespace tutti::transport::detail::shm
