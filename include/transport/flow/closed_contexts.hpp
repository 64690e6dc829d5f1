// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../contract/transport.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <unordered_set>

namespace tutti::transport::detail::tcp {

struct context_hash {
    [[nodiscard]] std::size_t operator()(const context& k) const noexcept {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
        return std::hash<std::uint64_t>{}(((k.communicator * golden) ^ k.slot) * golden);
    }
};

/// The contexts that were closed last: messages that still come for them are discarded. Bounded; a peer that is this
/// many closed contexts behind gets a channel that is never read, bounded by its credits.
class closed_contexts {
public:
    static constexpr std::size_t remembered = 4096;

    void add(context k) {
        if (!known_.insert(k).second) return;
        order_.push_back(k);
        if (order_.size() <= remembered) return;
        known_.erase(order_.front());
        order_.pop_front();
    }
    /// From now on messages for it belong to the new one.
    void reopen(context k) {
        if (known_.erase(k) > 0) std::erase(order_, k);
    }
    [[nodiscard]] bool contain(context k) const { return known_.contains(k); }

private:
    std::unordered_set<context, context_hash> known_;
    std::deque<context> order_;
};

} // namespace tutti::transport::detail::tcp
