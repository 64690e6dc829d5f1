// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../schedule/lowering/split.hpp"
#include "group.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

namespace tutti::schedule {
struct plan;
}

namespace tutti::engine {

/// A plan, and the runs of it that are not in use.
struct planned {
    struct key {
        schedule::operation what;
        std::uint64_t algorithm;
        const void* algorithm_type;
        int root, segments;
        bool in_place, keeps_order, lowered, local, starts;
        schedule::displaced_buffers displaced;
        friend bool operator==(const key&, const key&) = default;
    };
    using run_pointer = std::unique_ptr<plan_run>;

    key id;
    std::shared_ptr<const schedule::plan> plan;
    std::array<std::vector<run_pointer>, slot_count> idle;
    bool is_told = false;            ///< to the log
    std::size_t in_use = 0;          ///< runs and prepared calls that refer to it
    std::size_t bytes = 0;           ///< that it takes once each slot has run it
    planned* next_of_hash = nullptr; ///< in the cache
    std::list<planned>::iterator place{};
};

/// The plans of one communicator, found again by everything that they depend on; counts are not among it. Bounded by
/// memory: beyond `most_bytes` those that were not used for longest go, unless they are in use, or no more than `least`
/// are left.
class plan_cache {
public:
    using entry = planned;
    static constexpr std::size_t least = 64;
    static constexpr std::size_t most_bytes = std::size_t{16} << 20;

    /// The plan of a call: in constant time, if it was made before. A miss costs what plan_of() does. Throws
    /// invalid_argument if the algorithm's schedule is none for the call.
    [[nodiscard]] entry& find(const call& c, int rank, int size);

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    [[nodiscard]] entry* known(const entry::key& key) noexcept;
    [[nodiscard]] entry& added(const entry::key& key, const call& c, const schedule::position& at);
    [[nodiscard]] entry*& head_of(const entry::key& key) noexcept;
    void grow_table();
    void evict();
    void remove(entry& e) noexcept;

    entry* last_ = nullptr;       ///< the one that was found last
    std::list<entry> entries_;    ///< in the order of their last use
    std::vector<entry*> by_hash_; ///< the first of each hash; a power of two of them
    std::size_t bytes_ = 0;
};

} // namespace tutti::engine
