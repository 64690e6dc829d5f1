// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "plan_cache.hpp"
#include "plan_run.hpp"
#include "planning.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::engine {

TUTTI_INLINE auto plan_cache::find(const call& c, int rank, int size) -> entry& {
    const entry::key key{c.what,
                         c.how.id(),
                         c.how.type(),
                         has_root(c.what) ? c.root : 0,
                         c.segments,
                         c.in_place,
                         c.keeps_order != nullptr,
                         c.by != nullptr,
                         c.lengths && !c.lengths->known_to_all(),
                         c.starter.run != nullptr,
                         displaced_of(c)};
    if (last_ && last_->id == key) return *last_;
    last_ = known(key);
    if (!last_) last_ = &added(key, c, {rank, size, key.root, c.in_place});
    return *last_;
}

TUTTI_INLINE auto plan_cache::known(const entry::key& key) noexcept -> entry* {
    constexpr int lately = 4; // calls that take turns are mostly few
    int looks = 0;
    for (auto e = entries_.rbegin(); e != entries_.rend() && looks < lately; ++e, ++looks)
        if (e->id == key) return &*e; // its place is good enough
    if (looks < lately) return nullptr;
    entry* e = head_of(key);
    while (e && e->id != key) e = e->next_of_hash;
    if (e) entries_.splice(entries_.end(), entries_, e->place);
    return e;
}

TUTTI_INLINE auto plan_cache::head_of(const entry::key& key) noexcept -> entry*& {
    const auto small = static_cast<std::uint64_t>(key.what) << 7 | std::uint64_t{key.displaced.input} << 6 |
                       std::uint64_t{key.displaced.output} << 5 | std::uint64_t{key.starts} << 4 |
                       std::uint64_t{key.local} << 3 | std::uint64_t{key.lowered} << 2 |
                       std::uint64_t{key.in_place} << 1 | std::uint64_t{key.keeps_order};
    const auto numbers = static_cast<std::uint64_t>(key.root) << 32 | static_cast<std::uint32_t>(key.segments);
    return by_hash_[mixed(mixed(small, key.algorithm), numbers) & (by_hash_.size() - 1)];
}

namespace detail {

/// The memory of a plan, and of a run of it in each slot.
[[nodiscard]] inline std::size_t memory_of(const schedule::plan& p) noexcept {
    const auto of = [](const auto& v) { return v.capacity() * sizeof(*v.data()); };
    const schedule::order& o = p.dependencies;
    const std::size_t plan = sizeof p + of(p.steps) + of(o.waits) + of(o.first) + of(o.followers) +
                             of(o.next_on_channel) + of(p.ready) + of(p.peers) + of(p.windows);
    const std::size_t run = sizeof(plan_run) +
                            p.steps.size() * (sizeof(transport::transfer) + 2 * sizeof(std::uint32_t)) +
                            p.peers.size() * sizeof(void*);
    return sizeof(planned) + plan + slot_count * run;
}

} // namespace detail

/// Apart, since the call that finds its plan is the one that has no time.
TUTTI_INLINE auto plan_cache::added(const entry::key& key, const call& c, const schedule::position& at) -> entry& {
    auto plan = plan_of(c, at);
    const std::size_t bytes = detail::memory_of(*plan);
    if (entries_.size() >= by_hash_.size()) grow_table();
    entry& e = entries_.emplace_back(entry{key, std::move(plan), {}, false, 0, bytes});
    e.place = std::prev(entries_.end());
    e.next_of_hash = std::exchange(head_of(key), &e);
    bytes_ += bytes;
    ++e.in_use; // it stays
    evict();
    --e.in_use;
    return e;
}

TUTTI_INLINE void plan_cache::grow_table() {
    by_hash_.assign(std::max<std::size_t>(16, 2 * by_hash_.size()), nullptr);
    for (entry& e : entries_) e.next_of_hash = std::exchange(head_of(e.id), &e);
}

/// Looks at each entry once at most: those in use count as used just now.
TUTTI_INLINE void plan_cache::evict() {
    for (std::size_t looks = entries_.size(); looks > 0 && bytes_ > most_bytes && entries_.size() > least; --looks) {
        entry& oldest = entries_.front();
        if (oldest.in_use > 0)
            entries_.splice(entries_.end(), entries_, oldest.place);
        else
            remove(oldest);
    }
}

TUTTI_INLINE void plan_cache::remove(entry& e) noexcept {
    entry** link = &head_of(e.id);
    while (*link != &e) link = &(*link)->next_of_hash;
    *link = e.next_of_hash;
    bytes_ -= e.bytes;
    entries_.erase(e.place);
}

} // namespace tutti::engine
