// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../operation.hpp"

#include "../../../base/language.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti::schedule {

/// By buffer, the chunk ids from the first to the last that the steps touch; of input and output, which belong to the
/// user, none.
TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR std::vector<chunk_range> scratch_windows(const std::vector<step>& steps) {
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

/// By buffer, the chunk ids that one rank's memory holds: the operation's windows of input and output, and scratch.
[[nodiscard]] TUTTI_CONSTEXPR std::vector<chunk_window> windows_of(operation what, const position& at, int chunks,
                                                                   const std::vector<step>& steps) {
    const std::vector<chunk_range> touched = scratch_windows(steps);
    std::vector<chunk_window> windows(touched.begin(), touched.end());
    for (const buffer b : {buffer::input, buffer::output})
        windows[static_cast<std::size_t>(index_of(b))] = window(what, at, b, chunks);
    return windows;
}

/// Numbers the chunks of one rank's buffers from 0, for tables by place: those of input and output that it may use, and
/// the chunks of scratch that its steps touch. Places have equal numbers where they are the same memory.
class place_numbers {
public:
    /// Any chunk of input and output.
    TUTTI_COLD TUTTI_CONSTEXPR place_numbers(const std::vector<step>& steps, int chunks, bool in_place) {
        const std::vector<chunk_range> touched = scratch_windows(steps);
        windows_.assign(touched.begin(), touched.end());
        windows_[0] = windows_[1] = chunk_range{0, chunks};
        number(in_place);
    }
    /// The chunks that the operation's windows show.
    TUTTI_CONSTEXPR place_numbers(operation what, const position& at, int chunks, const std::vector<step>& steps)
        : windows_(windows_of(what, at, chunks, steps)) {
        // In place, one window holds the other. The blocks of an alltoall share memory by their index in the window.
        if (at.in_place && what != operation::alltoall)
            windows_[0] = windows_[1] = windows_[0].count() > windows_[1].count() ? windows_[0] : windows_[1];
        number(at.in_place);
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] TUTTI_CONSTEXPR std::size_t of(buffer b, int chunk) const {
        const auto where = static_cast<std::size_t>(index_of(b));
        return starts_[where] + static_cast<std::size_t>(windows_[where].index_of(chunk));
    }

private:
    TUTTI_CONSTEXPR void number(bool in_place) {
        if (!in_place) size_ = static_cast<std::size_t>(windows_[0].count());
        starts_.push_back(0);
        for (std::size_t b = 1; b < windows_.size(); ++b) {
            starts_.push_back(size_);
            size_ += static_cast<std::size_t>(windows_[b].count());
        }
    }

    std::vector<chunk_window> windows_;
    std::vector<std::size_t> starts_; ///< by buffer
    std::size_t size_ = 0;
};

} // namespace tutti::schedule
