// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "consistency.hpp"
#include "key_lists.hpp"
#include "packet.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// What a server knows of each worker: its next requests, its lists of keys, and its clock.
class worker_sessions {
public:
    worker_sessions(std::size_t workers, std::size_t key_lists)
        : of_(workers, session{detail::key_lists(key_lists)}), clocks_(workers) {}

    [[nodiscard]] std::size_t size() const noexcept { return of_.size(); }
    [[nodiscard]] const worker_clocks& clocks() const noexcept { return clocks_; }
    void tick(std::size_t worker) noexcept { clocks_.tick(worker); }

    [[nodiscard]] bool has_ended(std::size_t worker) const noexcept { return of_[worker].has_ended; }
    [[nodiscard]] bool any_is_left() const noexcept {
        return std::any_of(of_.begin(), of_.end(), [](const session& s) { return !s.has_ended; });
    }
    void end(std::size_t worker) {
        of_[worker].has_ended = true;
        of_[worker].waiting.clear();
        clocks_.leave(worker);
    }

    /// The next request may be received from it: it is owed nothing, so it is not silent since it waits for others.
    /// True once, until take().
    [[nodiscard]] bool must_listen(std::size_t worker) noexcept {
        session& s = of_[worker];
        return !s.has_ended && s.waiting.empty() && !std::exchange(s.is_listened_to, true);
    }
    /// A request of it is not answered yet.
    [[nodiscard]] bool waits(std::size_t worker) const noexcept { return !of_[worker].waiting.empty(); }
    /// A request has come from it.
    [[nodiscard]] bool has_spoken(std::size_t worker) const noexcept { return of_[worker].has_spoken; }
    void take(std::size_t worker, packet&& p) {
        of_[worker].is_listened_to = false;
        of_[worker].has_spoken |= p.head.what != action::alive;
        of_[worker].waiting.push_back(std::move(p));
    }
    /// Calls f(request) for those of a worker that wait, in their order, until it returns false. True if there was one
    /// that it returned true for.
    template <class F>
    bool each_waiting(std::size_t worker, const F& f) {
        auto& waiting = of_[worker].waiting;
        bool any = false;
        while (!waiting.empty()) {
            packet p = std::move(waiting.front());
            waiting.pop_front();
            if (!f(p)) {
                waiting.push_front(std::move(p));
                break;
            }
            any = true;
        }
        return any;
    }

    /// Finds the keys of a list that the worker has sent before. False: it must send them.
    [[nodiscard]] bool know_keys(std::size_t worker, packet& p) {
        const packet_head& h = p.head;
        if (h.hash == 0) return true;
        auto& lists = of_[worker].lists;
        if (!p.keys.empty()) return lists.add(h.segment, h.hash, p.keys.size(), p.keys), true;
        const auto* const keys = lists.find(h.segment, h.hash, h.count);
        if (keys) p.keys = *keys;
        return keys != nullptr;
    }

private:
    struct session {
        key_lists lists;
        std::deque<packet> waiting{};
        bool is_listened_to = false, has_spoken = false, has_ended = false;
    };

    std::vector<session> of_; ///< by worker
    worker_clocks clocks_;
};

} // namespace tutti::training::server::detail
