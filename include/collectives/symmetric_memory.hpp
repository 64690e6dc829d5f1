// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/arguments.hpp"

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <utility>

namespace tutti {

/// `n` elements, zeros at first, that peers of the same host read and reduce in place. communicator::allocate() makes
/// it. It is a contiguous range, and collectives take it like any other.
///
/// In a call that names no algorithm all ranks pass symmetric_memory or none does; a std::span of it counts as plain
/// memory. It is a handle: copies are the same memory, and a const handle gives mutable elements. The memory must
/// outlive the calls that use it. It may outlive the communicator.
///
/// @snippet reference.cpp allocate
template <element T>
class symmetric_memory {
public:
    /// The type of its elements.
    using value_type = T;

    symmetric_memory() = default;
    /// Memory that a transport has allocated, of `n` elements: communicator::allocate() makes it.
    symmetric_memory(std::shared_ptr<std::byte> memory, std::size_t n) noexcept
        : memory_(std::move(memory)), size_(n) {}

    /// The first element; null where there is none.
    [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(memory_.get()); }
    /// The number of elements.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// There are no elements.
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    /// The first element.
    [[nodiscard]] T* begin() const noexcept { return data(); }
    /// Behind the last element.
    [[nodiscard]] T* end() const noexcept { return data() + size_; }
    /// The element of that index. Precondition: i < size().
    [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data()[i]; }

private:
    std::shared_ptr<std::byte> memory_;
    std::size_t size_ = 0;
};

namespace detail {

template <element T>
inline constexpr bool is_symmetric<symmetric_memory<T>> = true;

/// The bytes of `n` elements. Throws std::bad_alloc where no memory holds them.
template <element T>
[[nodiscard]] std::size_t symmetric_size(std::size_t n) {
    static_assert(alignof(T) <= 64, "an element of symmetric memory is aligned to at most 64 bytes");
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(T) / 2) throw std::bad_alloc();
    return n * sizeof(T);
}

} // namespace detail

} // namespace tutti
