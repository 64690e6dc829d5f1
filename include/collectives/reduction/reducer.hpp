// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace tutti {

/// An operator on elements with its types forgotten: what the engine and the transports call. One indirect call works
/// on a whole piece of data.
struct reducer {
    /// to[i] = left[i] ∘ right[i] for `count` elements. No pointer need be aligned; `to` may equal `left` or `right`,
    /// and overlaps them in no other way. `state` is the operator itself when it has any.
    using kernel = void (*)(std::byte* to, const std::byte* left, const std::byte* right, std::size_t count,
                            const void* state);

    kernel combine = nullptr;
    const void* state = nullptr;
    std::size_t element_bytes = 1;
};

} // namespace tutti
