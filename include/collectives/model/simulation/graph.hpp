// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"
#include "role.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::model::detail {

/// The schedules of all ranks, in flat arrays: for each rank its role and its slots.
struct graph {
    /// A rank's peer, the slot there that names this rank, and whether the peer is on another node.
    struct slot {
        std::uint32_t peer = 0;
        std::uint32_t back : 31 = 0;
        std::uint32_t far : 1 = 0;
    };
    struct rank {
        std::uint32_t role = 0;
        std::uint32_t node = 0;
        std::uint32_t first_step = 0, first_slot = 0;
    };
    std::vector<role> roles;
    std::vector<rank> ranks;     ///< by symmetry, one
    std::vector<slot> slot_list; ///< each rank's in their order
    std::vector<std::size_t> lengths;
    std::size_t steps = 0, messages = 0; ///< of `ranks`
    int size = 1;
    bool by_symmetry = false;

    [[nodiscard]] const role& role_of(std::size_t r) const noexcept { return roles[ranks[r].role]; }
    [[nodiscard]] std::span<const slot> slots_of(std::size_t r) const noexcept {
        return std::span(slot_list).subspan(ranks[r].first_slot, role_of(r).sends.size());
    }
};

[[noreturn]] inline void not_matched(std::size_t from, std::size_t to) {
    reject("simulate",
           "ranks " + std::to_string(from) + " and " + std::to_string(to) + " do not send what the other receives",
           "have verify name the fault of the schedule");
}

/// For each rank, the slots of others that name it, as (rank, slot) in the order of ranks.
class callers {
public:
    struct caller {
        std::uint32_t rank, slot;
    };
    explicit callers(const graph& g) : first_(g.ranks.size() + 1, 0), list_(g.slot_list.size()) {
        for (const graph::slot& s : g.slot_list) ++first_[s.peer + 1];
        for (std::size_t r = 0; r < g.ranks.size(); ++r) first_[r + 1] += first_[r];
        std::vector<std::size_t> fill(first_.begin(), first_.end() - 1);
        for (std::uint32_t r = 0; r < g.ranks.size(); ++r) {
            const auto slot_list = g.slots_of(r);
            for (std::uint32_t k = 0; k < slot_list.size(); ++k) list_[fill[slot_list[k].peer]++] = {r, k};
        }
    }
    [[nodiscard]] std::span<const caller> of(std::size_t r) const noexcept {
        return std::span(list_).subspan(first_[r], first_[r + 1] - first_[r]);
    }

private:
    std::vector<std::size_t> first_;
    std::vector<caller> list_;
};

/// Finds graph::slot::back of all slots. Throws tutti::error(invalid_argument) where sends and receives do not match.
inline void link_slots(graph& g) {
    const callers who(g);
    std::vector<std::uint32_t> slot_of(g.ranks.size(), none);
    for (std::size_t r = 0; r < g.ranks.size(); ++r) {
        const auto slot_list = g.slots_of(r);
        for (std::uint32_t k = 0; k < slot_list.size(); ++k) slot_of[slot_list[k].peer] = k;
        for (const auto& [caller, slot] : who.of(r)) {
            const std::uint32_t back = slot_of[caller];
            if (back == none || g.role_of(caller).sends[slot] != g.role_of(r).receives_from(back))
                not_matched(caller, r);
            g.slot_list[g.ranks[caller].first_slot + slot].back = back & 0x7fffffff;
        }
        if (who.of(r).size() != slot_list.size()) not_matched(r, r);
        for (const graph::slot& s : slot_list) slot_of[s.peer] = none;
    }
}

} // namespace tutti::model::detail
