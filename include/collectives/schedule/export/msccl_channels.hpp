// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"
#include "../program.hpp"
#include "msccl_memory.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::schedule::detail {

/// Where the messages of each channel come from and go to: MSCCL names both ends at both ends.
class msccl_channels {
public:
    /// Throws tutti::error if a rank does not receive as many messages as are sent to it.
    msccl_channels(const program& p, const std::vector<msccl_memory>& memories)
        : size_(static_cast<std::size_t>(p.size)), sources_(size_ * size_), targets_(size_ * size_) {
        for (int r = 0; r < p.size; ++r)
            for (const step& s : p.ranks[static_cast<std::size_t>(r)]) {
                const msccl_memory& memory = memories[static_cast<std::size_t>(r)];
                if (sends(s)) sources_[channel(r, s.peer)].push_back(memory.at(s.from));
                if (receives(s)) targets_[channel(s.peer, r)].push_back(memory.at(s.to));
            }
        for (int from = 0; from < p.size; ++from)
            for (int to = 0; to < p.size; ++to) examine(from, to);
    }

    /// The ends of the k-th message from one rank to another.
    [[nodiscard]] msccl_location source(int from, int to, std::size_t k) const {
        return sources_[channel(from, to)][k];
    }
    [[nodiscard]] msccl_location target(int from, int to, std::size_t k) const {
        return targets_[channel(from, to)][k];
    }

private:
    [[nodiscard]] std::size_t channel(int from, int to) const noexcept {
        return static_cast<std::size_t>(from) * size_ + static_cast<std::size_t>(to);
    }
    void examine(int from, int to) const {
        const std::size_t sent = sources_[channel(from, to)].size(), received = targets_[channel(from, to)].size();
        if (sent != received)
            reject("export as MSCCL XML",
                   "rank " + std::to_string(from) + " sends " + std::to_string(sent) + " messages to rank " +
                       std::to_string(to) + ", which receives " + std::to_string(received),
                   "have verify look at the schedule");
    }

    std::size_t size_;
    std::vector<std::vector<msccl_location>> sources_, targets_; ///< by channel
};

} // namespace tutti::schedule::detail
