// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../control/coordinator.hpp"
#include "../../control/stderr_writer.hpp"
#include "scheduler.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

/// The coordinator of a simulated world, and a mailbox for each rank. Notices take no time.
class simulated_control {
public:
    /// `ring(rank)` is called when there is mail for it. False: it takes none any more.
    simulated_control(scheduler& s, int size, std::function<bool(int)> ring)
        : scheduler_(s), ring_(std::move(ring)), coordinator_(size), mail_(static_cast<std::size_t>(size)) {}
    simulated_control(const simulated_control&) = delete;
    simulated_control& operator=(const simulated_control&) = delete;
    ~simulated_control() { voice_.finish(std::chrono::seconds(1)); }

    void tell(int from, notice n) {
        if (is_over_) return;
        coordinator_.take(from, std::move(n), scheduler_.now());
        deliver();
        for (const auto& c : coordinator_.complaints()) voice_.say(c);
    }
    void lose(int rank, std::string how) {
        if (is_over_) return;
        if (rank == 0) return lose_coordinator(how);
        coordinator_.lost(rank, std::move(how), scheduler_.now());
        deliver();
    }
    [[nodiscard]] bool has_mail(int rank) const noexcept { return !mail_[static_cast<std::size_t>(rank)].empty(); }
    [[nodiscard]] bool fetch(int rank, notice& n) {
        auto& mine = mail_[static_cast<std::size_t>(rank)];
        if (mine.empty()) return false;
        n = *mine.front();
        mine.pop_front();
        return true;
    }

private:
    void post(int rank, const std::shared_ptr<const notice>& n) {
        if (ring_(rank)) mail_[static_cast<std::size_t>(rank)].push_back(n);
    }
    /// Its process has the coordinator. The connections of all ranks to it end.
    void lose_coordinator(const std::string& how) {
        is_over_ = true;
        notice n;
        n.kind = notice_kind::lost;
        n.why = cause::lost_peer;
        n.rank = n.peer = 0;
        n.text = "rank 0 was lost: " + how;
        const auto shared = std::make_shared<const notice>(std::move(n));
        for (int rank = 1; rank < static_cast<int>(mail_.size()); ++rank) post(rank, shared);
    }
    void deliver() {
        for (auto& [to, what] : coordinator_.drain()) {
            const auto shared = std::make_shared<const notice>(std::move(what));
            for (const int rank : to) post(rank, shared);
        }
        const auto next = coordinator_.next_tick();
        if (next >= next_tick_) return; // the one before asks again
        next_tick_ = next;
        scheduler_.at(next, [this, next] { tick(next); });
    }
    void tick(clock::time_point asked_for) {
        if (is_over_) return;
        if (asked_for == next_tick_) next_tick_ = clock::time_point::max();
        coordinator_.tick(scheduler_.now());
        deliver();
    }

    scheduler& scheduler_;
    std::function<bool(int)> ring_;
    bootstrap::coordinator coordinator_;
    bootstrap::stderr_writer voice_;
    std::vector<std::deque<std::shared_ptr<const notice>>> mail_;
    clock::time_point next_tick_ = clock::time_point::max();
    bool is_over_ = false; // rank 0 was killed
};

} // namespace tutti::transport::detail
