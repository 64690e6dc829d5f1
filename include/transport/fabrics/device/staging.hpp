// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "copy.hpp"
#include "pinned_memory.hpp"

#include <cstddef>
#include <deque>
#include <vector>

namespace tutti::transport::detail::device {

template <device_runtime R>
class staging_pool;

/// A buffer of pinned memory, and the copy that fills or empties it.
template <device_runtime R>
struct staging {
    std::byte* memory;
    staging_pool<R>* home;
    copy<R> work{};
};

/// Such buffers of one length, used again. There are as many as were ever taken at a time.
template <device_runtime R>
class staging_pool {
public:
    /// So many of them are allocated together.
    staging_pool(const R& runtime, std::size_t bytes, std::size_t together)
        : runtime_(runtime), bytes_(bytes), together_(together) {}
    staging_pool(const staging_pool&) = delete;
    staging_pool& operator=(const staging_pool&) = delete;

    /// Throws device_error and std::bad_alloc.
    [[nodiscard]] staging<R>& take() {
        if (free_.empty()) add();
        staging<R>& s = *free_.back();
        free_.pop_back();
        return s;
    }
    /// Precondition: its copy is over.
    void give_back(staging<R>& s) noexcept { free_.push_back(&s); } // its place was reserved

private:
    void add() {
        free_.reserve(made_.size() + together_);
        const auto& memory = memory_.emplace_back(runtime_, bytes_ * together_);
        for (std::size_t i = 0; i < together_; ++i)
            free_.push_back(&made_.emplace_back(staging<R>{memory.data() + i * bytes_, this}));
    }

    R runtime_;
    std::size_t bytes_, together_;
    std::deque<pinned_memory<R>> memory_;
    std::deque<staging<R>> made_; ///< which stay where they are
    std::vector<staging<R>*> free_;
};

} // namespace tutti::transport::detail::device
