// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../notice.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace tutti::transport::bootstrap {

/// The verdict on each communicator that failed; the oldest is forgotten past `capacity`.
class remembered_verdicts {
public:
    static constexpr std::size_t capacity = 1024;

    [[nodiscard]] const notice* find(std::uint64_t communicator) const {
        const auto found = verdicts_.find(communicator);
        return found == verdicts_.end() ? nullptr : &found->second;
    }

    /// Keeps the first verdict on a communicator.
    void add(notice verdict) {
        const auto id = verdict.communicator;
        if (!verdicts_.try_emplace(id, std::move(verdict)).second) return;
        order_.push_back(id);
        if (order_.size() <= capacity) return;
        verdicts_.erase(order_.front());
        order_.pop_front();
    }

private:
    std::map<std::uint64_t, notice> verdicts_;
    std::deque<std::uint64_t> order_;
};

} // namespace tutti::transport::bootstrap
