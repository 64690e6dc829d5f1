// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "messages.hpp"
#include "step.hpp"
#include "walk.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti::training::pipeline {

/// What steps cost, in seconds. A chunk is one of shape::chunks on a worker, so a v-th part of a stage takes a v-th of
/// its time.
struct costs {
    double forward_s = 1;  ///< of a microbatch on a chunk
    double backward_s = 2; ///< likewise
    double update_s = 0;   ///< of all chunks of a worker
    double alpha_s = 0;    ///< of a message, whatever its length
    double beta_s = 0;     ///< of each byte of a message
    double bytes = 0;      ///< of a message: the activation of a microbatch between two chunks
    /// Sends need not wait for their receives. Else a message passes when both ends have started.
    bool eager = false;
};

/// When something begins and ends, in seconds from the start.
struct interval {
    double begin_s = 0; ///< of a message: when its data start to move
    double end_s = 0;   ///< of a message: when the receiver has them
};

/// A run of a pipeline in time.
struct timeline {
    std::vector<std::vector<interval>> steps; ///< of each step, by worker and number
    std::vector<double> busy_s;               ///< of each worker: computing and updating
    double makespan_s = 0;                    ///< when the last step ends

    /// The share of the makespan in which a worker neither computes nor updates.
    [[nodiscard]] double bubble(int worker) const {
        return makespan_s > 0 ? 1 - busy_s[static_cast<std::size_t>(worker)] / makespan_s : 0;
    }
};

namespace detail {

/// Gives times to steps, in the order of a walk.
class clocks {
public:
    clocks(const program& p, const costs& c) : p_(p), c_(c), ends_(ends_of(p)), now_(p.workers.size(), 0) {
        out_.busy_s.resize(p.workers.size());
        for (const auto& steps : p.workers) out_.steps.emplace_back(steps.size());
    }

    void take(int worker, int number, const needs& n) {
        const step& s = p_.workers[static_cast<std::size_t>(worker)][static_cast<std::size_t>(number)];
        double& now = now_[static_cast<std::size_t>(worker)];
        if (n.arrival >= 0) now = std::max(now, pass(n.arrival).end_s);
        if (n.sent >= 0 && !c_.eager) now = std::max(now, pass(n.sent).end_s);
        const double lasts = communicates(s) ? 0 : length_of(s);
        at({worker, number}) = {now, now + lasts};
        now += lasts;
        out_.busy_s[static_cast<std::size_t>(worker)] += lasts;
    }
    [[nodiscard]] timeline finish() && {
        std::vector<interval> passed;
        for (std::size_t m = 0; m < ends_.size(); ++m) passed.push_back(pass(static_cast<int>(m)));
        for (std::size_t m = 0; m < ends_.size(); ++m)
            if (ends_[m].send) at(ends_[m].send) = at(ends_[m].receive) = passed[m];
        for (const auto& steps : out_.steps)
            for (const interval& i : steps) out_.makespan_s = std::max(out_.makespan_s, i.end_s);
        return std::move(out_);
    }

private:
    [[nodiscard]] interval& at(position p) {
        return out_.steps[static_cast<std::size_t>(p.worker)][static_cast<std::size_t>(p.step)];
    }
    [[nodiscard]] double length_of(const step& s) const {
        return s.what == action::forward ? c_.forward_s : s.what == action::backward ? c_.backward_s : c_.update_s;
    }
    /// Precondition: both ends have started, or there is no such message.
    [[nodiscard]] interval pass(int message) {
        const message_ends& m = ends_[static_cast<std::size_t>(message)];
        if (!m.send) return {};
        const double sent = at(m.send).begin_s, wanted = at(m.receive).begin_s;
        const double lasts = c_.alpha_s + c_.bytes * c_.beta_s;
        if (c_.eager) return {sent, std::max(sent + lasts, wanted)};
        return {std::max(sent, wanted), std::max(sent, wanted) + lasts};
    }

    const program& p_;
    const costs& c_;
    std::vector<message_ends> ends_;
    std::vector<double> now_;
    timeline out_;
};

} // namespace detail

/// Runs the steps in time, each as early as it can. Messages do not hold each other up, and computing does not slow
/// them down. Throws invalid_argument for a program that does not come to its end. Precondition: the program is of the
/// form that verify() proves. Cost: as of walk().
[[nodiscard]] inline timeline timeline_of(const program& p, const costs& c = {}) {
    detail::clocks all(p, c);
    const standstill s = walk(p, [&](int worker, int number, const needs& n) { all.take(worker, number, n); });
    if (s.at) reject("pipeline timeline", "the program does not come to its end", "verify() says which step waits");
    return std::move(all).finish();
}

} // namespace tutti::training::pipeline
