// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../schedule/lowering/cut.hpp"
#include "../collective.hpp"

#include <cstddef>

namespace tutti::model::detail {

/// The bytes that the chunks of a collective have, cut as its plans cut them.
class cut {
public:
    explicit cut(const collective& c) noexcept
        : layout_(
              schedule::cut_of(c.what, c.size, c.how.chunks(c.what, c.size), c.segments, c.bytes / c.element_bytes)),
          element_bytes_(c.element_bytes) {}

    [[nodiscard]] long long bytes(const schedule::place& x) const noexcept {
        return static_cast<long long>((layout_.bound(x.first + x.count) - layout_.bound(x.first)) * element_bytes_);
    }
    [[nodiscard]] long long bytes(const schedule::chunk_range& x) const noexcept {
        return bytes(schedule::place{{}, x.first, x.count()});
    }
    [[nodiscard]] long long bytes(const schedule::chunk_window& x) const noexcept {
        return static_cast<long long>(elements_of(layout_, x) * element_bytes_);
    }

private:
    schedule::layout layout_;
    std::size_t element_bytes_;
};

} // namespace tutti::model::detail
