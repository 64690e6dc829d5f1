// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "key_lists.hpp"
#include "packet.hpp"
#include "placement.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// Cuts a range of keys at the segments. Calls f(head, no keys, i) for each part, whose first key is the range's i-th.
/// The head has the part's segment and keys. Throws invalid_argument for keys that there are not.
template <class F>
void each_part(const placement& where, const key_range& of, const F& f) {
    const std::uint64_t keys = where.layout().keys, first = of.first, count = of.count;
    if (first > keys || count > keys - first)
        reject("client", "keys " + std::to_string(first) + " and " + std::to_string(count) + " more in a store of " +
                             std::to_string(keys));
    for (std::size_t done = 0; done < count;) {
        const std::uint64_t g = where.segment_of(first + done);
        const key_range all = where.keys_of(g);
        packet_head h;
        h.segment = static_cast<std::uint32_t>(g);
        h.first = first + done - all.first;
        h.count = std::min<std::uint64_t>(all.count - h.first, count - done);
        f(h, std::vector<std::uint64_t>(), done);
        done += h.count;
    }
}

/// The same for a list of keys, which must increase. Calls f(head, keys from the first of the segment, i).
template <class F>
void each_part(const placement& where, std::span<const std::uint64_t> keys, const F& f) {
    if (std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) != keys.end())
        reject("client", "the keys do not increase");
    if (!keys.empty() && keys.back() >= where.layout().keys)
        reject("client",
               "key " + std::to_string(keys.back()) + " in a store of " + std::to_string(where.layout().keys));
    for (std::size_t done = 0; done < keys.size();) {
        const std::uint64_t g = where.segment_of(keys[done]);
        const key_range all = where.keys_of(g);
        const auto end =
            std::lower_bound(keys.begin() + static_cast<std::ptrdiff_t>(done), keys.end(), all.first + all.count);
        std::vector<std::uint64_t> part(keys.begin() + static_cast<std::ptrdiff_t>(done), end);
        for (std::uint64_t& k : part) k -= all.first;
        const packet_head h{.segment = static_cast<std::uint32_t>(g), .count = part.size(), .hash = hash_of(part)};
        const std::size_t from = std::exchange(done, done + part.size());
        f(h, std::move(part), from);
    }
}

} // namespace tutti::training::server::detail
