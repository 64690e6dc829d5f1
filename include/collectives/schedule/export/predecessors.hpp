// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../lowering/order.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::schedule::detail {

/// An order reversed: the steps that each step waits for.
class predecessors {
public:
    explicit predecessors(const order& o) : first_(o.waits.size() + 1, 0), former_(o.waits.size(), -1) {
        for (const std::uint32_t follower : o.followers) ++first_[follower + 1];
        for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
        list_.resize(o.followers.size());
        std::vector<std::size_t> fill(first_.begin(), first_.end() - 1);
        for (std::size_t i = 0; i < former_.size(); ++i) {
            for (std::uint32_t f = o.first[i]; f < o.first[i + 1]; ++f)
                list_[fill[o.followers[f]]++] = static_cast<int>(i);
            if (const int next = o.next_on_channel[i]; next >= 0)
                former_[static_cast<std::size_t>(next)] = static_cast<int>(i);
        }
    }

    /// The steps whose completion step i awaits, in program order.
    [[nodiscard]] std::span<const int> of(int i) const {
        const auto first = first_[static_cast<std::size_t>(i)], last = first_[static_cast<std::size_t>(i) + 1];
        return std::span(list_).subspan(first, last - first);
    }
    /// The step whose start it awaits on its channel, or -1.
    [[nodiscard]] int on_channel(int i) const { return former_[static_cast<std::size_t>(i)]; }

private:
    std::vector<std::size_t> first_; ///< of step i's in list_
    std::vector<int> list_;
    std::vector<int> former_;
};

} // namespace tutti::schedule::detail
