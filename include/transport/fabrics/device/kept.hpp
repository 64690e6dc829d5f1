// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "pinned_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

/// Memory that is used again, and given back to CUDA when the transport goes. CUDA may wait for the whole device then,
/// and so for streams that wait for what the transport is about to do.
namespace tutti::transport::detail::device {

/// Pinned memory of a rank's channels. The thread that drives the transport.
template <device_runtime R>
class kept_pinned {
public:
    explicit kept_pinned(const R& runtime) : runtime_(runtime) {}
    kept_pinned(const kept_pinned&) = delete;
    kept_pinned& operator=(const kept_pinned&) = delete;
    ~kept_pinned() {
        if (is_left_) leave();
    }

    /// At least so many bytes. Throws device_error.
    [[nodiscard]] pinned_memory<R> take(std::size_t bytes) {
        free_.reserve(++made_); // so that giving back cannot fail
        for (auto at = free_.begin(); at != free_.end(); ++at)
            if (at->size() >= bytes && at->size() / 2 <= bytes) {
                std::swap(*at, free_.back());
                pinned_memory<R> found = std::move(free_.back());
                free_.pop_back();
                --made_;
                return found;
            }
        return pinned_memory<R>(runtime_, bytes);
    }
    void give_back(pinned_memory<R>&& memory) noexcept { free_.push_back(std::move(memory)); }
    /// A copy may be under way that does not end: all that is given back, now or later, stays until the process ends.
    void leave() noexcept {
        is_left_ = true;
        static_cast<void>(new (std::nothrow) std::vector<pinned_memory<R>>(std::move(free_)));
        free_.clear();
    }
    [[nodiscard]] bool is_left() const noexcept { return is_left_; }

private:
    R runtime_;
    std::size_t made_ = 0; ///< pieces that there are
    std::vector<pinned_memory<R>> free_;
    bool is_left_ = false;
};

/// Device memory that its users give back on any thread. Each holds it by a pointer.
template <device_runtime R>
class kept_device_memory : public std::enable_shared_from_this<kept_device_memory<R>> {
public:
    explicit kept_device_memory(const R& runtime) : runtime_(runtime) {}
    kept_device_memory(const kept_device_memory&) = delete;
    kept_device_memory& operator=(const kept_device_memory&) = delete;
    ~kept_device_memory() {
        for (const piece& p : pieces_) runtime_.free(p.start);
    }

    /// Zeroed. Throws device_error.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) {
        bytes = std::max<std::size_t>(bytes, 1);
        return {taken(bytes), [self = this->shared_from_this()](std::byte* p) { self->give_back(p); }};
    }

private:
    struct piece {
        std::byte* start;
        std::size_t bytes;
        bool used;
    };

    [[nodiscard]] std::byte* taken(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        runtime_.use();
        auto found = std::find_if(pieces_.begin(), pieces_.end(), [bytes](const piece& p) {
            return !p.used && p.bytes >= bytes && p.bytes / 2 <= bytes;
        });
        if (found == pieces_.end()) {
            pieces_.reserve(pieces_.size() + 1);
            pieces_.push_back({runtime_.allocate(bytes), bytes, false});
            found = std::prev(pieces_.end());
        }
        runtime_.clear(found->start, found->bytes);
        found->used = true;
        return found->start;
    }
    void give_back(const std::byte* start) noexcept {
        const std::lock_guard lock(mutex_);
        for (piece& p : pieces_)
            if (p.start == start) p.used = false;
    }

    R runtime_;
    std::mutex mutex_; ///< guards pieces_
    std::vector<piece> pieces_;
};

} // namespace tutti::transport::detail::device
