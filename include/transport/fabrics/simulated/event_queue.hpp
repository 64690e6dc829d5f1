// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transport.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

/// What is to happen by a clock: in the order of the times, and of one time in the order in which it was asked for. A
/// warm queue allocates nothing.
class event_queue {
public:
    explicit event_queue(clock::time_point begin) noexcept : now_(begin) {}
    event_queue(const event_queue&) = delete;
    event_queue& operator=(const event_queue&) = delete;
    /// What has not happened is forgotten.
    ~event_queue() {
        for (; now_begin_ < at_once_.size(); ++now_begin_) drop(at_once_[now_begin_]);
        for (const entry& e : later_) drop(e.what);
    }

    [[nodiscard]] clock::time_point now() const noexcept { return now_; }
    [[nodiscard]] bool empty() const noexcept { return later_.empty() && now_begin_ == at_once_.size(); }

    /// Lets what() happen at that time, or now if that is past.
    template <class What>
    void at(clock::time_point when, What what) {
        const std::uint32_t slot = keep(std::move(what));
        if (when <= now_) return at_once_.push_back(slot);
        later_.push_back({when, asked_++, slot});
        std::push_heap(later_.begin(), later_.end(), is_later);
    }

    /// Lets the next one happen. Precondition: not empty.
    void happen() {
        const std::uint32_t slot = next();
        action& a = actions_[slot];
        a.run(a.what.data());
        drop(slot);
    }

private:
    static constexpr std::size_t most_bytes = 32;
    struct action {
        alignas(std::max_align_t) std::array<std::byte, most_bytes> what;
        void (*run)(void*) = nullptr;
        void (*destroy)(void*) noexcept = nullptr;
    };
    struct entry {
        clock::time_point when;
        std::uint64_t number;
        std::uint32_t what; ///< its place in actions_
    };
    [[nodiscard]] static bool is_later(const entry& a, const entry& b) noexcept {
        return a.when != b.when ? a.when > b.when : a.number > b.number;
    }

    template <class What>
    [[nodiscard]] std::uint32_t keep(What what) {
        static_assert(sizeof(What) <= most_bytes && alignof(What) <= alignof(std::max_align_t));
        static_assert(std::is_nothrow_move_constructible_v<What>);
        if (free_.empty()) {
            actions_.emplace_back();
            if (free_.capacity() < actions_.size()) free_.reserve(2 * actions_.size()); // so that drop() cannot fail
            free_.push_back(static_cast<std::uint32_t>(actions_.size() - 1));
        }
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        action& a = actions_[slot];
        ::new (a.what.data()) What(std::move(what));
        a.run = [](void* it) { (*std::launder(static_cast<What*>(it)))(); };
        a.destroy = [](void* it) noexcept { std::launder(static_cast<What*>(it))->~What(); };
        return slot;
    }
    void drop(std::uint32_t slot) noexcept {
        action& a = actions_[slot];
        a.destroy(a.what.data());
        free_.push_back(slot);
    }

    /// Those of the present time in the heap were asked for before it came, and so before those that are at once.
    [[nodiscard]] std::uint32_t next() {
        if (now_begin_ < at_once_.size() && (later_.empty() || later_.front().when > now_)) {
            const std::uint32_t slot = at_once_[now_begin_++];
            if (2 * now_begin_ >= at_once_.size()) {
                at_once_.erase(at_once_.begin(), at_once_.begin() + static_cast<std::ptrdiff_t>(now_begin_));
                now_begin_ = 0;
            }
            return slot;
        }
        std::pop_heap(later_.begin(), later_.end(), is_later);
        const entry e = later_.back();
        later_.pop_back();
        now_ = e.when;
        return e.what;
    }

    clock::time_point now_;
    std::vector<entry> later_;           ///< a heap, the next one on top
    std::vector<std::uint32_t> at_once_; ///< from now_begin_ on: what is asked for now
    std::size_t now_begin_ = 0;
    std::deque<action> actions_; // which keep their places
    std::vector<std::uint32_t> free_;
    std::uint64_t asked_ = 0;
};

} // namespace tutti::transport::detail
