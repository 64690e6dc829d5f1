// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "execution.hpp"
#include "plan_cache.hpp"
#include "planning.hpp"

#include <utility>

namespace tutti::engine {

template <class T>
auto plan_cache<T>::find(const call& c, int rank, int size) -> entry& {
    const typename entry::key key{c.what,
                                  c.how.id(),
                                  c.how.type(),
                                  has_root(c.what) ? c.root : 0,
                                  c.segments,
                                  c.in_place,
                                  c.keeps_order != nullptr};
    ++uses_;
    for (const auto& e : entries_)
        if (e->id == key) {
            e->last_use = uses_;
            return *e;
        }
    return added(key, c, {rank, size, key.root, c.in_place});
}

/// Apart, since the call that finds its plan is the one that has no time.
template <class T>
auto plan_cache<T>::added(const typename entry::key& key, const call& c, const schedule::position& at) -> entry& {
    if (entries_.size() >= capacity) evict();
    return *entries_.emplace_back(std::make_unique<entry>(entry{key, plan_of(c, at), {}, 0, uses_}));
}

template <class T>
void plan_cache<T>::evict() {
    auto oldest = entries_.end();
    for (auto e = entries_.begin(); e != entries_.end(); ++e)
        if ((*e)->in_use == 0 && (oldest == entries_.end() || (*e)->last_use < (*oldest)->last_use)) oldest = e;
    if (oldest != entries_.end()) entries_.erase(oldest);
}

} // namespace tutti::engine
