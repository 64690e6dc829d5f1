// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "point_to_point.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti::engine {

/// All that is under way on one rank. Touched by the thread that drives.
struct under_way {
    using run = plan_run;
    using messages = point_to_point;
    using time_point = transport::clock::time_point;

    /// Those whose turn in their slot it is: four a communicator at most, however many wait behind them.
    std::vector<run*> runs;
    std::vector<messages*> exchanges; ///< of communicators with sends or receives under way
    time_point stalled_since{};       ///< nothing has moved since; zero where something has
    /// No run that waits for its slot is due before.
    time_point soonest_queued = time_point::max();

    /// When something is to be done about work that goes on as it is.
    template <class Work>
    [[nodiscard]] static time_point due(const Work& r) noexcept {
        return r.reported().sent ? r.reported().answer_due : r.deadline();
    }
    /// The first of these times after `now`, and `latest` at the latest.
    [[nodiscard]] time_point next_deadline(time_point now, time_point latest) const {
        if (soonest_queued > now) latest = std::min(latest, soonest_queued);
        for (const run* r : runs)
            if (due(*r) > now) latest = std::min(latest, due(*r));
        for (const messages* m : exchanges)
            if (due(*m) > now) latest = std::min(latest, due(*m));
        return latest;
    }

    /// The program waits for some of it.
    [[nodiscard]] bool is_wanted(time_point now) const {
        for (const run* r : runs)
            for (; r; r = r->next)
                if (r->is_wanted(now)) return true;
        return std::any_of(exchanges.begin(), exchanges.end(), [now](const messages* m) { return m->is_wanted(now); });
    }

    /// Gives a run's place to the one behind it; null if none is.
    void replace(const run& r, run* follower) noexcept {
        std::size_t k = 0;
        while (runs[k] != &r) ++k;
        if (follower)
            runs[k] = follower;
        else
            runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(k));
    }
    /// Sends and receives of a communicator are no longer looked at.
    void forget(const group& g) noexcept {
        if (!g.messages) return;
        g.messages->is_listed = false;
        std::erase(exchanges, g.messages.get());
    }
};

} // namespace tutti::engine
