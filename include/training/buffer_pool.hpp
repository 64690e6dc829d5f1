// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::training::detail {

/// Buffers of whole buckets, which are used again.
class buffer_pool {
public:
    /// One of so many zeros.
    [[nodiscard]] std::vector<float> take(std::size_t count) {
        std::vector<float> buffer;
        if (!free_.empty()) {
            buffer = std::move(free_.back());
            free_.pop_back();
        }
        elements_ -= buffer.capacity();
        buffer.assign(count, 0.0F);
        elements_ += buffer.capacity();
        return buffer;
    }
    void give_back(std::vector<float>&& buffer) { free_.push_back(std::move(buffer)); }

    /// Of all its buffers, in use or not.
    [[nodiscard]] std::size_t bytes() const noexcept { return elements_ * sizeof(float); }

private:
    std::vector<std::vector<float>> free_;
    std::size_t elements_ = 0;
};

} // namespace tutti::training::detail
