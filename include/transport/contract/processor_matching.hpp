// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "processors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

namespace detail {

/// A matching that grows along augmenting paths: a rank that finds no free processor makes others move.
class processor_matching {
public:
    explicit processor_matching(std::span<const allotment> ranks) : ranks_(ranks), given_(ranks.size(), nobody) {
        for (const allotment& r : ranks) free_.add(r.processors);
        owner_.assign(free_.words().size() * 64, nobody);
        from_ = owner_;
    }

    [[nodiscard]] bool match() {
        if (free_.count() < ranks_.size()) return false;
        for (std::size_t r = 0; r < ranks_.size(); ++r)
            if (!place(static_cast<int>(r))) return false;
        return true;
    }
    [[nodiscard]] std::vector<int> take() { return std::move(given_); }

private:
    static constexpr int nobody = -1;

    /// Breadth first, from the rank to its processors, from these to their owners, and so on to one that is free.
    TUTTI_COLD bool place(int rank) {
        processor_set reached;
        std::vector<int> ranks{rank};
        for (std::size_t next = 0; next < ranks.size(); ++next) {
            processor_set near = ranks_[static_cast<std::size_t>(ranks[next])].processors;
            near.remove(reached);
            processor_set open = near;
            open.keep(free_);
            if (!open.empty()) {
                hand_over(ranks[next], open.first());
                return true;
            }
            near.each([&](int p) {
                from_[static_cast<std::size_t>(p)] = ranks[next];
                ranks.push_back(owner_[static_cast<std::size_t>(p)]);
            });
            reached.add(near);
        }
        return false;
    }

    /// The rank takes the free processor. What it had goes to the rank that reached it by that, and so on.
    void hand_over(int rank, int processor) {
        free_.remove({processor});
        while (processor != nobody) {
            owner_[static_cast<std::size_t>(processor)] = rank;
            std::swap(given_[static_cast<std::size_t>(rank)], processor);
            if (processor != nobody) rank = from_[static_cast<std::size_t>(processor)];
        }
    }

    std::span<const allotment> ranks_;
    std::vector<int> given_; // by rank
    std::vector<int> owner_; // by processor
    std::vector<int> from_;  // by processor: the rank that reached it, where this search has
    processor_set free_;
};

} // namespace detail

/// A processor for each of these ranks of one host, out of its own and no other rank's. Nothing where that cannot be,
/// or where ranks that share a quota are more than it allows processors: the host is crowded. The same ranks in the
/// same order get the same.
TUTTI_COLD [[nodiscard]] inline std::optional<std::vector<int>> share_out(std::span<const allotment> ranks) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> sharers;
    for (const allotment& r : ranks)
        if (r.quota.thousandths > 0)
            if (++sharers[{r.quota.device, r.quota.inode}] * 1000 > r.quota.thousandths) return std::nullopt;
    detail::processor_matching all(ranks);
    if (!all.match()) return std::nullopt;
    return all.take();
}

} // namespace tutti::transport::bootstrap
