// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/log.hpp"
#include "../../base/version.hpp"
#include "under_way.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

/// What the engine writes to the log of base/log.hpp.
namespace tutti::engine {

TUTTI_COLD [[nodiscard]] inline std::string world_in_words(const transport::any& t, bool is_shared) {
    std::string text = "world of " + std::to_string(t.size()) + " ranks, version " TUTTI_VERSION_TEXT "; " +
                       t.way_to(t.rank()) + (is_shared ? ", any thread calls" : ", one thread calls");
    const auto way_to = [&](int r) { return r == t.rank() ? "" : t.way_to(r).substr(0, t.way_to(r).find(',')); };
    for (int r = 0; r < t.size();) {
        const int first = r;
        const std::string way = way_to(r);
        while (r < t.size() && way_to(r) == way) ++r;
        if (way.empty()) continue;
        text += (r > first + 1 ? "; ranks " + std::to_string(first) + "-" : "; rank ") + std::to_string(r - 1);
        text += " by " + way;
    }
    return text;
}

/// Of the first call by an algorithm on a communicator.
TUTTI_COLD [[nodiscard]] inline std::string choice_in_words(const transport::any& t, const group& g, const call& c) {
    std::string text = "first " + in_words(c) + g.name;
    if (c.title) text += ", " + std::string(c.how.name());
    if (g.size() != t.size())
        text += ", among " + std::to_string(g.size()) + " ranks from " + std::to_string(g.members[0]) + " on";
    return text;
}

/// Calls that do not move while their rank looks at them: told after a second, and each time that it has been twice as
/// long.
class stall_log {
public:
    using time_point = transport::clock::time_point;

    void look(const transport::any& t, const under_way& all, time_point now) {
        if (all.stalled_since == time_point{}) return;
        const bool was_away = now - std::exchange(looked_, now) > longest_gap && !t.is_timed();
        if (all.stalled_since != stalled_ || was_away) {
            stalled_ = all.stalled_since;
            since_ = now;
            next_ = std::chrono::seconds(1);
        }
        if (now - since_ < next_) return;
        for (const auto* r : all.runs) tell(t, *r, now);
        for (const auto* m : all.exchanges)
            if (!m->idle()) tell(t, *m, now);
        next_ = 2 * (now - since_);
    }

private:
    static constexpr std::chrono::milliseconds longest_gap{300}; ///< between looks of a rank that is inside a call

    template <class Work>
    void tell(const transport::any& t, const Work& w, time_point now) const {
        tutti::detail::log::say(t.rank(), [&] { return in_words(w, now - since_); });
    }
    template <class Work>
    TUTTI_COLD [[nodiscard]] static std::string in_words(const Work& w, std::chrono::nanoseconds time) {
        constexpr std::size_t most = 8;
        const auto peers = w.peers_waited_for(most + 1);
        std::string text = w.words() + " has not moved for " +
                           std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
        for (std::size_t i = 0; i < peers.size() && i < most; ++i)
            text += (i == 0 ? ": it waits for rank " : ", ") + std::to_string(peers[i]);
        if (peers.size() > most) text += ", ...";
        return text;
    }

    time_point stalled_{}, since_{}, looked_{};
    std::chrono::nanoseconds next_{};
};

} // namespace tutti::engine
