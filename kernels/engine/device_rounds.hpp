// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "device_ports.hpp"
#include "device_steps.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::kernels {

namespace detail {

/// All ranks' plans as they are walked, each strictly one step after the other. What a step waits for never goes away
/// again, so one order of steps tells for all whether a rank waits for ever.
class plans_walk {
public:
    explicit plans_walk(std::span<const device_plan> plans)
        : plans_(plans), at_(plans.size(), 0), posted_(plans.size() * plans.size(), 0), taken_(posted_) {}

    /// How long it takes, by `ports`; or the first rank that waits for ever.
    struct result {
        ticks time = 0;
        int stuck = -1; ///< -1: all come to their end
    };
    [[nodiscard]] result run(std::size_t count) {
        result found;
        ports links;
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t r = 0; r < plans_.size(); ++r)
                while (!links.reads(r) && goes_on(r)) {
                    moved = true;
                    begin(r, count, links);
                }
            if (moved) continue; // what one has posted another may wait for
            const ticks passed = links.advance([&](std::size_t r) {
                ++at_[r];
                moved = true;
            });
            found.time += passed;
        }
        for (std::size_t r = 0; r < plans_.size() && found.stuck < 0; ++r)
            if (at_[r] < plans_[r].steps.size()) found.stuck = static_cast<int>(r);
        return found;
    }

private:
    /// The rank has a next step, which waits for nothing.
    [[nodiscard]] bool goes_on(std::size_t r) const {
        if (at_[r] == plans_[r].steps.size()) return false;
        const device_step& s = plans_[r].steps[at_[r]];
        if (s.what == device_action::await_post) return posted_[channel(s.peer, r)] >= s.number;
        if (s.what == device_action::await_taken) return taken_[channel(r, s.peer)] >= s.number;
        return true;
    }
    /// Does the rank's next step, or begins it where it takes time.
    void begin(std::size_t r, std::size_t count, ports& links) {
        const device_step& s = plans_[r].steps[at_[r]];
        if (s.what == device_action::post) posted_[channel(r, s.peer)] = s.number;
        if (s.what == device_action::acknowledge) taken_[channel(s.peer, r)] = s.number;
        std::vector<std::uint8_t> from;
        if (s.what == device_action::combine)
            for (unsigned k = 0; k < s.operands; ++k)
                if (const auto rank = plans_[r].operands[s.number + k].rank; rank != r) from.push_back(rank);
        const ticks work = ticks_of((s.end - s.first) * from.size(), count);
        if (work == 0)
            ++at_[r];
        else
            links.begin(r, work, from);
    }
    [[nodiscard]] std::size_t channel(std::size_t from, std::size_t to) const noexcept {
        return from * plans_.size() + to;
    }

    std::span<const device_plan> plans_;
    std::vector<std::size_t> at_;               ///< by rank
    std::vector<std::uint32_t> posted_, taken_; ///< by channel
};

} // namespace detail

/// How long the plans of all ranks take, of one device_plans_of for `count` elements, as multiples of the time in which
/// a rank reads a whole vector from another one. In this model each rank reads by one port and is read by another;
/// those that read one rank share its port. A post is seen at once, and steps within a rank take no time. So it tells
/// of vectors that are long enough. Cost: linear in the steps, times the ranks.
[[nodiscard]] inline double device_rounds_of(std::span<const device_plan> plans, std::size_t count) {
    return static_cast<double>(detail::plans_walk(plans).run(count).time) / static_cast<double>(detail::ticks_a_vector);
}

} // namespace tutti::kernels
