// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../bootstrap/coordinator.hpp"
#include "../bootstrap/stderr_writer.hpp"
#include "scheduler.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

/// The coordinator of a simulated world, and a mailbox for each rank. Notices take no time.
class simulated_control {
public:
    /// `ring(rank)` is called when there is mail for it.
    simulated_control(scheduler& s, int size, std::function<void(int)> ring)
        : scheduler_(s), ring_(std::move(ring)), coordinator_(size), mail_(static_cast<std::size_t>(size)) {}
    simulated_control(const simulated_control&) = delete;
    simulated_control& operator=(const simulated_control&) = delete;
    ~simulated_control() { voice_.finish(std::chrono::seconds(1)); }

    void tell(int from, notice n) {
        coordinator_.take(from, std::move(n), scheduler_.now());
        deliver();
        for (const auto& c : coordinator_.complaints()) voice_.say(c);
    }
    void lose(int rank, std::string how) {
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
    void deliver() {
        for (auto& [to, what] : coordinator_.drain()) {
            const auto shared = std::make_shared<const notice>(std::move(what));
            for (const int rank : to) {
                mail_[static_cast<std::size_t>(rank)].push_back(shared);
                ring_(rank);
            }
        }
        const auto next = coordinator_.next_tick();
        if (next >= next_tick_) return; // the one before asks again
        next_tick_ = next;
        scheduler_.at(next, [this, next] { tick(next); });
    }
    void tick(clock::time_point asked_for) {
        if (asked_for == next_tick_) next_tick_ = clock::time_point::max();
        coordinator_.tick(scheduler_.now());
        deliver();
    }

    scheduler& scheduler_;
    std::function<void(int)> ring_;
    bootstrap::coordinator coordinator_;
    bootstrap::stderr_writer voice_;
    std::vector<std::deque<std::shared_ptr<const notice>>> mail_;
    clock::time_point next_tick_ = clock::time_point::max();
};

} // namespace tutti::transport::detail
