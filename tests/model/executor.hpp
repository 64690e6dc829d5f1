// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/model/collective.hpp>
#include <collectives/model/counts/cut.hpp>
#include <collectives/model/parameters.hpp>
#include <collectives/schedule/lowering/order.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::test {

/// Runs the steps of all ranks under a model's rules, always what can begin first (then what has waited longest, then
/// by rank, then as listed), to have a time that no formula has been used for. Slow and small on purpose.
template <class Model>
class executor {
public:
    executor(const model::collective& c, const Model& p) : model_(p), cut_(c) {
        const auto program = c.how.write(c.what, c.size, c.root, c.in_place, c.segments);
        std::map<std::pair<int, int>, std::vector<int>> sends, receives;
        for (int r = 0; r < c.size; ++r) {
            const auto& steps = program.ranks[static_cast<std::size_t>(r)];
            first_.push_back(static_cast<int>(all_.size()));
            const auto order = schedule::order_of(program, r);
            for (std::size_t i = 0; i < steps.size(); ++i) {
                const bool first = schedule::leads(steps, i); // further parts of a message never open
                if (first && schedule::sends(steps[i]))
                    sends[{r, steps[i].peer}].push_back(static_cast<int>(all_.size()));
                if (first && schedule::receives(steps[i]))
                    receives[{steps[i].peer, r}].push_back(static_cast<int>(all_.size()));
                all_.push_back({steps[i], r, order.waits[i], order.next_on_channel[i], {}});
                for (std::size_t k = schedule::parts_from(steps, i); k-- > 0;) add_part(all_.back(), steps[i + k]);
                for (auto f = order.first[i]; f < order.first[i + 1]; ++f)
                    all_.back().followers.push_back(static_cast<int>(order.followers[f]));
            }
        }
        for (const auto& [ends, list] : sends)
            for (std::size_t k = 0; k < list.size(); ++k) {
                at(list[k]).other_end = receives.at(ends)[k];
                at(receives.at(ends)[k]).other_end = list[k];
            }
        ports_.resize(static_cast<std::size_t>(c.size));
    }

    /// When the last step ends.
    [[nodiscard]] double run() {
        std::vector<int> free;
        for (int i = 0; i < static_cast<int>(all_.size()); ++i)
            if (at(i).waits == 0) free.push_back(i);
        for (const int i : free) open(i, 0);
        while (!open_.empty()) {
            auto next = open_.end();
            double soonest = never;
            for (auto i = open_.begin(); i != open_.end(); ++i)
                if (const double s = start_of(*i);
                    s < soonest || (s == soonest && s < never && waits_longer(*i, *next)))
                    next = i, soonest = s;
            if (next == open_.end()) return never; // it cannot go on
            const int i = *next;
            open_.erase(next);
            execute(i, soonest);
        }
        return finish_;
    }

    static constexpr double never = 1e300;

private:
    struct task {
        schedule::step what;
        int rank;
        std::size_t waits;
        int next_on_channel;
        std::vector<int> followers;
        double bytes = 0; ///< of all parts
        double reduction = 0;
        int other_end = -1;
        double ready = never;  ///< when all that it waits for has ended
        double header = never; ///< under LogGP, when what it receives is there
    };
    struct resources {
        double processor = 0, out = 0, in = 0; ///< when each is free
    };

    task& at(int i) { return all_[static_cast<std::size_t>(i)]; }
    resources& of(const task& t) { return ports_[static_cast<std::size_t>(t.rank)]; }
    void add_part(task& to, const schedule::step& s) const {
        using schedule::action;
        const auto bytes = static_cast<double>(cut_.bytes(s.what == action::receive ? s.to : s.from));
        const bool one = s.what == action::receive_reduce || s.what == action::reduce;
        const int operands = s.what == action::reduce_many ? s.extra : one ? 1 : 0;
        to.bytes += bytes;
        to.reduction += operands * bytes * model_.gamma_s_per_byte;
    }

    void open(int i, double now) {
        task& t = at(i);
        t.ready = now;
        open_.push_back(i);
        if (t.next_on_channel >= 0) release(first_[static_cast<std::size_t>(t.rank)] + t.next_on_channel, now);
    }
    void release(int i, double now) {
        task& t = at(i);
        t.ready = t.ready == never ? now : std::max(t.ready, now);
        if (--t.waits == 0) open(i, t.ready);
    }
    void end(int i, double now) {
        finish_ = std::max(finish_, now);
        const int base = first_[static_cast<std::size_t>(at(i).rank)];
        for (const int f : at(i).followers) release(base + f, now);
    }

    double start_of(int i) {
        task& t = at(i);
        resources& r = of(t);
        if (!schedule::communicates(t.what)) return std::max(t.ready, r.processor);
        if constexpr (std::is_same_v<Model, model::hockney>) { // both ends at once; counted at the sender
            task& u = at(t.other_end);
            if (schedule::receives(t.what) || u.waits > 0) return never;
            return std::max({t.ready, u.ready, r.out, of(u).in});
        } else {
            if (schedule::sends(t.what)) return std::max({t.ready, r.processor, r.out});
            return std::max({t.ready, r.processor, t.header});
        }
    }

    /// For the processor, or for the port, where sends stand in a line.
    bool waits_longer(int i, int j) {
        return std::tuple(since(i), at(i).ready, i) < std::tuple(since(j), at(j).ready, j);
    }
    double since(int i) {
        const task& t = at(i);
        if constexpr (std::is_same_v<Model, model::hockney>) return t.ready;
        if (schedule::sends(t.what)) return std::max(t.ready, of(t).out);
        return schedule::receives(t.what) ? std::max(t.ready, t.header) : t.ready;
    }

    void execute(int i, double now) {
        task& t = at(i);
        resources& r = of(t);
        if (!schedule::communicates(t.what)) return end(i, r.processor = now + t.reduction);
        if constexpr (std::is_same_v<Model, model::hockney>) {
            task& u = at(t.other_end);
            r.out = of(u).in = now + model_.alpha_s + t.bytes * model_.beta_s_per_byte;
            open_.erase(std::find(open_.begin(), open_.end(), t.other_end));
            end(i, r.out);
            if (u.reduction > 0) of(u).processor = std::max(of(u).processor, r.out) + u.reduction;
            end(t.other_end, u.reduction > 0 ? of(u).processor : r.out);
        } else {
            const double further = std::max(t.bytes - 1, 0.0) * model_.gap_s_per_byte;
            if (schedule::sends(t.what)) {
                r.processor = now + model_.overhead_s;
                r.out = now + std::max(model_.overhead_s, model_.gap_s + further);
                at(t.other_end).header = r.processor + model_.latency_s;
            } else {
                r.processor = now + model_.overhead_s + further + t.reduction;
            }
            end(i, r.processor);
        }
    }

    Model model_;
    model::detail::cut cut_;
    std::vector<task> all_;  ///< of all ranks
    std::vector<int> first_; ///< of each rank
    std::vector<resources> ports_;
    std::vector<int> open_; ///< what waits for nothing but resources, and a message its other end
    double finish_ = 0;
};

} // namespace tutti::test
