// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace tutti::transport::detail::tcp {

/// A queue of plain values in one block of memory, which doubles when it is full and is kept when it is empty: no
/// allocation once it has its size.
template <class Value>
    requires std::is_trivially_copyable_v<Value>
class ring_buffer {
public:
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] Value& front() noexcept { return slots_[first_]; }
    [[nodiscard]] Value& back() noexcept { return slots_[slot(size_ - 1)]; }

    void push(std::span<const Value> values) {
        if (size_ + values.size() > slots_.size()) grow(size_ + values.size());
        for (const Value* from = values.data(); !values.empty();) {
            const std::size_t at = slot(size_);
            const std::size_t run = std::min(values.size(), slots_.size() - at);
            std::copy_n(from, run, slots_.data() + at);
            size_ += run;
            values = values.subspan(run);
            from = values.data();
        }
    }
    void push(const Value& value) { push(std::span<const Value>(&value, 1)); }

    /// The oldest values that lie side by side; nothing only if the ring is empty.
    [[nodiscard]] std::span<const Value> run() const noexcept {
        return {slots_.data() + first_, std::min(size_, slots_.size() - first_)};
    }
    void pop(std::size_t count = 1) noexcept {
        first_ = slots_.empty() ? 0 : slot(count);
        size_ -= count;
    }

private:
    [[nodiscard]] std::size_t slot(std::size_t i) const noexcept { return (first_ + i) & (slots_.size() - 1); }

    void grow(std::size_t least) {
        std::vector<Value> larger(std::bit_ceil(std::max<std::size_t>(least, 16)));
        std::size_t filled = 0;
        while (size_ > 0) {
            const auto piece = run();
            std::copy(piece.begin(), piece.end(), larger.begin() + static_cast<std::ptrdiff_t>(filled));
            filled += piece.size();
            pop(piece.size());
        }
        slots_ = std::move(larger);
        first_ = 0;
        size_ = filled;
    }

    std::vector<Value> slots_; // a power of two of them
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

} // namespace tutti::transport::detail::tcp
