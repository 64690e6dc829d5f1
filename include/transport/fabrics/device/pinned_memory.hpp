// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/device_runtime.hpp"

#include <cstddef>
#include <utility>

namespace tutti::transport::detail::device {

/// Host memory from and to which copies run while the host does other things.
template <device_runtime R>
class pinned_memory {
public:
    /// Throws device_error.
    pinned_memory(const R& runtime, std::size_t bytes)
        : runtime_(runtime), start_(runtime.allocate_host(bytes)), bytes_(bytes) {}
    pinned_memory(pinned_memory&& other) noexcept
        : runtime_(other.runtime_), start_(std::exchange(other.start_, nullptr)), bytes_(other.bytes_) {}
    pinned_memory& operator=(pinned_memory&& other) noexcept {
        std::swap(start_, other.start_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~pinned_memory() {
        if (start_) runtime_.free_host(start_);
    }

    [[nodiscard]] std::byte* data() const noexcept { return start_; }
    [[nodiscard]] std::size_t size() const noexcept { return bytes_; }

private:
    R runtime_;
    std::byte* start_;
    std::size_t bytes_;
};

} // namespace tutti::transport::detail::device
