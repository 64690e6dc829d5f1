// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace tutti::training::server::detail {

/// Never 0, which stands for no list.
[[nodiscard]] inline std::uint64_t hash_of(std::span<const std::uint64_t> keys) noexcept {
    std::uint64_t h = 0xcbf29ce484222325;
    for (const std::uint64_t k : keys) h = ((h ^ k) * 0x100000001b3) ^ h >> 29U;
    return h == 0 ? 1 : h;
}

/// The lists of keys that one worker has sent last, found by their hashes: it need not send one again.
class key_lists {
public:
    explicit key_lists(std::size_t most) : most_(most) {}

    /// `count`: how many keys there are. A client keeps none of them.
    void add(std::uint32_t segment, std::uint64_t hash, std::uint64_t count, const std::vector<std::uint64_t>& keys) {
        if (most_ == 0 || find(segment, hash, count)) return;
        if (lists_.size() == most_) lists_.pop_front();
        lists_.push_back({segment, hash, count, keys});
    }
    /// Forgets those of a segment.
    void forget(std::uint32_t segment) {
        std::erase_if(lists_, [segment](const list& l) { return l.segment == segment; });
    }
    /// Null if it is not there any more.
    [[nodiscard]] const std::vector<std::uint64_t>* find(std::uint32_t segment, std::uint64_t hash,
                                                         std::uint64_t count) const noexcept {
        for (const list& l : lists_)
            if (l.segment == segment && l.hash == hash && l.count == count) return &l.keys;
        return nullptr;
    }

private:
    struct list {
        std::uint32_t segment;
        std::uint64_t hash, count;
        std::vector<std::uint64_t> keys;
    };
    std::size_t most_;
    std::deque<list> lists_; ///< the oldest first
};

} // namespace tutti::training::server::detail
