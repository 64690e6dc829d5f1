// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operation.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti::schedule {

/// By buffer, the chunk ids from the first to the last that the steps touch; of input and output, which belong to the
/// user, none.
[[nodiscard]] constexpr std::vector<chunk_range> scratch_windows(const std::vector<step>& steps) {
    std::vector<chunk_range> windows(2);
    const auto widen = [&](const place& x) {
        if (x.where < buffer::first_scratch) return;
        const auto bank = static_cast<std::size_t>(index_of(x.where));
        if (windows.size() <= bank) windows.resize(bank + 1);
        chunk_range& w = windows[bank];
        if (w.count() == 0) w = {x.first, x.first + x.count};
        w = {std::min(w.first, x.first), std::max(w.last, x.first + x.count)};
    };
    for (const step& s : steps) {
        for (int k = 0; k < sources(s); ++k) widen(source(s, k));
        if (writes_to(s)) widen(s.to);
    }
    return windows;
}

/// Numbers the chunks of one rank's buffers from 0, for tables by place: all of input and output, and the chunks of
/// scratch that its steps touch. In place, input and output have the same numbers.
class place_numbers {
public:
    constexpr place_numbers(const std::vector<step>& steps, int chunks, bool in_place)
        : windows_(scratch_windows(steps)), in_place_(in_place) {
        windows_[0] = windows_[1] = {0, chunks};
        for (const chunk_range& w : windows_) {
            starts_.push_back(size_);
            size_ += static_cast<std::size_t>(w.count());
        }
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr std::size_t of(buffer b, int chunk) const {
        const auto where = static_cast<std::size_t>(index_of(in_place_ && b == buffer::input ? buffer::output : b));
        return starts_[where] + static_cast<std::size_t>(chunk - windows_[where].first);
    }

private:
    std::vector<chunk_range> windows_;
    std::vector<std::size_t> starts_; ///< by buffer
    std::size_t size_ = 0;
    bool in_place_;
};

} // namespace tutti::schedule
