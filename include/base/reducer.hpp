// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace tutti {

/// An operator on elements, type-erased, for the engine and the transports. One indirect call works
/// on a whole piece of data.
struct reducer {
    /// to[i] = left[i] ∘ right[i] for `count` elements. No pointer need be aligned; `to` may equal `left` or `right`,
    /// and overlaps them in no other way. `state` is the operator itself when it has any.
    using kernel = void (*)(std::byte* to, const std::byte* left, const std::byte* right, std::size_t count,
                            const void* state);

    /// to[i] = ((s0[i] ∘ s1[i]) ∘ s2[i]) ... for `count` elements of `number` sources, two or more, in one pass over
    /// memory; meant for up to eight. Of floating-point elements of 16 and 8 bits the whole is computed in float and
    /// rounded once, so its bits are not those of `combine` called again and again; of all others they are. No pointer
    /// need be aligned; `to` may equal sources, which may equal each other, and overlaps them in no other way.
    using many_kernel = void (*)(std::byte* to, const std::byte* const* sources, std::size_t number, std::size_t count,
                                 const void* state);

    /// Reduces two operands.
    kernel combine = nullptr;
    /// The operator itself, or null where it has no state. It must outlive the transfers that reduce by it.
    const void* state = nullptr;
    /// Bytes of an element.
    std::size_t element_bytes = 1;
    /// Reduces several operands in one pass; null where there is no such kernel.
    many_kernel combine_many = nullptr;
    bool is_functor = false; ///< the code of a caller's own, which may take any time
};

} // namespace tutti
