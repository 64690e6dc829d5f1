// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::server {

/// Consecutive keys.
struct key_range {
    std::uint64_t first = 0; ///< the first key
    std::uint64_t count = 0; ///< how many
};

/// Who has part in a store. Equal on all ranks.
struct store_layout {
    std::uint64_t keys = 0;   ///< keys are 0 to keys - 1; each has a float
    std::vector<int> servers; ///< ranks that keep values
    std::vector<int> workers; ///< ranks that have clients; a rank may be in both lists
    int segments = 0;         ///< equal ranges of keys, each kept as a whole; 0: four for each server
    int copies = 1;           ///< servers that keep each segment
};

/// Which servers keep which keys, by consistent hashing. Servers are named by their index in the layout.
///
/// Each server has 64 points on a ring of hashes, which depend on its rank alone. A segment belongs to the servers
/// whose points come first behind the segment's own. So one server more or less moves only the segments that it gains
/// or had. Source: Karger et al., Consistent hashing and random trees, STOC 1997.
class placement {
public:
    /// Throws invalid_argument where a layout has no keys, servers or workers, names a rank twice, or wants more
    /// segments than keys or more copies than servers.
    explicit placement(store_layout layout) : layout_(std::move(layout)) {
        if (layout_.segments == 0)
            layout_.segments = static_cast<int>(std::min<std::uint64_t>(4 * layout_.servers.size(), layout_.keys));
        examine();
        std::vector<point> ring;
        for (std::size_t s = 0; s < layout_.servers.size(); ++s)
            for (std::uint64_t i = 0; i < points; ++i)
                ring.emplace_back(mixed(static_cast<std::uint64_t>(layout_.servers[s]) * points + i + 1),
                                  static_cast<int>(s));
        std::sort(ring.begin(), ring.end());
        for (std::uint64_t g = 0; g < static_cast<std::uint64_t>(layout_.segments); ++g)
            orders_.push_back(order_from(ring, mixed(~g)));
    }

    /// The layout, with its number of segments.
    [[nodiscard]] const store_layout& layout() const noexcept { return layout_; }
    /// The number of segments.
    [[nodiscard]] std::uint64_t segments() const noexcept { return orders_.size(); }
    /// The keys of a segment. Their numbers differ by one at most.
    [[nodiscard]] key_range keys_of(std::uint64_t segment) const noexcept {
        const std::uint64_t first = begin(segment);
        return {first, begin(segment + 1) - first};
    }
    /// The segment of a key.
    [[nodiscard]] std::uint64_t segment_of(std::uint64_t key) const noexcept {
        const std::uint64_t small = layout_.keys / segments(), larger = layout_.keys % segments();
        const std::uint64_t in_larger = larger * (small + 1);
        return key < in_larger ? key / (small + 1) : larger + (key - in_larger) / small;
    }
    /// All servers in the order in which they come to keep a segment. The first ones alive do, as many as there are
    /// copies. The very first takes its requests, and each passes updates on to the next.
    [[nodiscard]] const std::vector<int>& order_of(std::uint64_t segment) const noexcept { return orders_[segment]; }
    /// The servers that keep a segment while all are alive.
    [[nodiscard]] std::span<const int> chain_of(std::uint64_t segment) const noexcept {
        return std::span(orders_[segment]).first(static_cast<std::size_t>(layout_.copies));
    }

private:
    static constexpr std::uint64_t points = 64; ///< of a server
    using point = std::pair<std::uint64_t, int>;

    /// The finisher of splitmix64.
    [[nodiscard]] static constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
        x = (x ^ x >> 30U) * 0xbf58476d1ce4e5b9;
        x = (x ^ x >> 27U) * 0x94d049bb133111eb;
        return x ^ x >> 31U;
    }
    [[nodiscard]] std::uint64_t begin(std::uint64_t segment) const noexcept {
        return segment * (layout_.keys / segments()) + std::min(segment, layout_.keys % segments());
    }
    [[nodiscard]] std::vector<int> order_from(const std::vector<point>& ring, std::uint64_t hash) const {
        std::vector<int> order;
        auto at = std::lower_bound(ring.begin(), ring.end(), point{hash, 0});
        for (; order.size() < layout_.servers.size(); ++at) {
            if (at == ring.end()) at = ring.begin();
            if (std::find(order.begin(), order.end(), at->second) == order.end()) order.push_back(at->second);
        }
        return order;
    }
    void examine() const {
        const auto refuse = [](const std::string& why) { reject("store_layout", why); };
        if (layout_.keys == 0 || layout_.servers.empty() || layout_.workers.empty())
            refuse("a store needs keys, servers and workers");
        for (auto ranks : {layout_.servers, layout_.workers}) {
            std::sort(ranks.begin(), ranks.end());
            if (std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end()) refuse("it names a rank twice");
        }
        if (layout_.segments < 1 || static_cast<std::uint64_t>(layout_.segments) > layout_.keys)
            refuse(std::to_string(layout_.segments) + " segments of " + std::to_string(layout_.keys) + " keys");
        if (layout_.copies < 1 || static_cast<std::size_t>(layout_.copies) > layout_.servers.size())
            refuse(std::to_string(layout_.copies) + " copies on " + std::to_string(layout_.servers.size()) +
                   " servers");
    }

    store_layout layout_;
    std::vector<std::vector<int>> orders_; ///< by segment
};

} // namespace tutti::training::server
