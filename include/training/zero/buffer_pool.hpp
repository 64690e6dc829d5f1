// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::training::detail {

/// Buffers of whole buckets, which are used again.
class buffer_pool {
public:
    /// One of so many zeros. A buffer of more than twice as many is left for larger buckets, so that no buffer comes to
    /// be as large as the largest.
    [[nodiscard]] std::vector<float> take(std::size_t count) {
        const auto fits = [count](const auto& b) { return b.capacity() >= count && b.capacity() <= 2 * count; };
        const auto found = std::ranges::find_if(free_, fits);
        std::vector<float> buffer;
        if (found == free_.end()) {
            buffer.reserve(count);
            elements_ += buffer.capacity();
        } else {
            std::swap(*found, free_.back());
            buffer = std::move(free_.back());
            free_.pop_back();
        }
        buffer.assign(count, 0.0F);
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
