// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/reducer.hpp"
#include "../../transport/contract/transport.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <utility>

namespace tutti::engine {

/// A reduction by a functor of the caller's, which may take any time for an element. It is done in pieces of some
/// milliseconds, with a look at the clock after each. When the deadline has passed, the rest is left undone: what is
/// there then is no result, and must go nowhere.
class interruptible_reducer {
public:
    using clock = transport::clock;

    /// `deadline` is read at each look, and outlives this.
    explicit interruptible_reducer(const clock::time_point& deadline) noexcept : deadline_(&deadline) {}
    interruptible_reducer(const interruptible_reducer&) = delete;
    interruptible_reducer& operator=(const interruptible_reducer&) = delete;

    /// Takes over a reducer, which it calls.
    void watch(const reducer& r) noexcept {
        inner_ = r;
        outer_ = {&combine, this, r.element_bytes, &combine_many, r.is_functor};
        piece_ = 1; // the functor before may have been a quick one
    }
    /// For a new call.
    void begin() noexcept {
        late_ = false;
        left_ = piece_ = std::min(piece_, first_piece); // its elements may take longer than those of the last call
    }
    /// The reducer for the engine and the transports.
    [[nodiscard]] const reducer& get() const noexcept { return outer_; }
    /// Something was left undone.
    [[nodiscard]] bool late() const noexcept { return late_; }
    /// It has worked for so long that it looked at the clock, since the last take_look().
    [[nodiscard]] bool has_looked() const noexcept { return has_looked_; }
    [[nodiscard]] bool take_look() noexcept { return std::exchange(has_looked_, false); }

private:
    static constexpr std::size_t most_sources = 16;
    static constexpr std::size_t longest_piece = std::size_t{1} << 20; ///< elements
    static constexpr std::size_t first_piece = 16;                     ///< at most, of a call
    static constexpr std::chrono::microseconds short_piece{250}, long_piece{2000};

    static void combine(std::byte* to, const std::byte* left, const std::byte* right, std::size_t count,
                        const void* state) {
        auto& self = of(state);
        self.in_pieces(count, [&](std::size_t at, std::size_t n) {
            self.inner_.combine(to + at, left + at, right + at, n, self.inner_.state);
        });
    }
    static void combine_many(std::byte* to, const std::byte* const* sources, std::size_t number, std::size_t count,
                             const void* state) {
        auto& self = of(state);
        std::array<const std::byte*, most_sources> from;
        self.in_pieces(count, [&](std::size_t at, std::size_t n) {
            for (std::size_t k = 0; k < number; ++k) from[k] = sources[k] + at;
            self.inner_.combine_many(to + at, from.data(), number, n, self.inner_.state);
        });
    }
    /// One thread drives, and the object is not const.
    [[nodiscard]] static interruptible_reducer& of(const void* state) noexcept {
        return *static_cast<interruptible_reducer*>(const_cast<void*>(state));
    }

    /// `work` gets the place of a piece in bytes, and its elements.
    template <class Work>
    void in_pieces(std::size_t count, Work work) {
        for (std::size_t done = 0, n = 0; done < count && !late_; done += n) {
            n = std::min(count - done, left_);
            work(done * inner_.element_bytes, n);
            left_ -= n;
            if (left_ == 0) look();
        }
    }
    /// Others' work may be in what it took, so that pieces become shorter than need be, never longer.
    void look() noexcept {
        const auto now = clock::now();
        const auto took = now - last_look_;
        if (took > long_piece)
            piece_ = std::max<std::size_t>(piece_ / 4, 1);
        else if (took < short_piece)
            piece_ = std::min(2 * piece_, longest_piece);
        left_ = piece_;
        last_look_ = now;
        has_looked_ = true;
        late_ = now >= *deadline_;
    }

    const clock::time_point* deadline_;
    reducer inner_, outer_;
    std::size_t piece_ = 1, left_ = 1; ///< elements from look to look, and until the next one
    clock::time_point last_look_{};
    bool has_looked_ = false;
    bool late_ = false;
};

} // namespace tutti::engine
