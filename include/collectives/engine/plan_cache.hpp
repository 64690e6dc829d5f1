// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../schedule/operation.hpp"
#include "group.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::schedule {
struct plan;
}

namespace tutti::engine {

/// A plan, and the runs of it that are not in use.
template <class Transport>
struct planned {
    struct key {
        schedule::operation what;
        std::uint64_t algorithm;
        const void* algorithm_type;
        int root, segments;
        bool in_place, keeps_order;
        friend bool operator==(const key&, const key&) = default;
    };
    using run_pointer = std::unique_ptr<execution<Transport>>;

    key id;
    std::shared_ptr<const schedule::plan> plan;
    std::array<std::vector<run_pointer>, slots> idle{};
    std::size_t in_use = 0; ///< runs and prepared calls that refer to it
    std::uint64_t last_use = 0;
};

/// The plans of one communicator, found again by everything that they depend on; counts are not among it. Bounded:
/// beyond its capacity the one that was not used for longest goes, unless all are in use.
template <class Transport>
class plan_cache {
public:
    using entry = planned<Transport>;
    static constexpr std::size_t capacity = 64;

    /// The plan of a call. A miss costs time linear in the steps of this rank, and a proof if the operator needs rank
    /// order. Throws invalid_argument if the algorithm's schedule is none for the call.
    [[nodiscard]] entry& find(const call& c, int rank, int size);

private:
    [[nodiscard]] entry& added(const typename entry::key& key, const call& c, const schedule::position& at);
    void evict();

    std::vector<std::unique_ptr<entry>> entries_;
    std::uint64_t uses_ = 0;
};

} // namespace tutti::engine
