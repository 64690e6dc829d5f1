// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::tools::planner {

/// Cuts a chain of layers into stages, each of one layer at least. With M microbatches of which a stage takes t, the
/// step takes M max(t) + (sum(t) - max(t)) / chunks. The slowest stage works all the time, and the others count while
/// the pipeline fills and drains. The stages that minimise it are found exactly.
/// Source: Zheng et al., Alpa, OSDI 2022, section 5. For each bound on the slowest stage a dynamic program finds the
/// least sum. Here the bounds are tried from the least one up, until no further one can win.
///
/// `cost(first, last)` is a stage's t for layers [first, last), and `fits(stage, first, last)` whether it has the
/// memory.
template <class Cost, class Fits>
class stage_cutter {
public:
    stage_cutter(int layers, int stages, Cost cost, Fits fits)
        : layers_(layers), stages_(stages), cost_(std::move(cost)), fits_(std::move(fits)) {}

    /// Where each stage ends; nothing where no cut fits.
    [[nodiscard]] std::optional<std::vector<int>> best(double microbatches, double chunks = 1) const {
        double limit = least_slowest();
        if (limit == never) return std::nullopt;
        const double least_sum = within(never).sum;
        const auto step = [&](double slowest, double sum) { return microbatches * slowest + (sum - slowest) / chunks; };
        found winner;
        double best_s = never;
        std::vector<double> others;
        while (step(limit, least_sum) < best_s * (1 - rounding)) {
            found f = within(limit);
            if (step(f.slowest, f.sum) < best_s) {
                best_s = step(f.slowest, f.sum);
                winner = std::move(f);
            }
            if (others.empty()) others = all_costs();
            const auto next = std::upper_bound(others.begin(), others.end(), limit);
            if (next == others.end()) break;
            limit = *next;
        }
        return std::move(winner.ends);
    }

private:
    static constexpr double never = std::numeric_limits<double>::infinity();
    static constexpr double rounding = 1e-12;

    struct found {
        double sum = never, slowest = never;
        std::vector<int> ends{};
    };

    [[nodiscard]] std::size_t at(int stage, int first) const noexcept {
        return static_cast<std::size_t>(stage) * static_cast<std::size_t>(layers_ + 1) +
               static_cast<std::size_t>(first);
    }
    /// Calls f(stage, first, last) for all that a stage may hold, later stages first.
    void each_stage(const auto& f) const {
        for (int stage = stages_ - 1; stage >= 0; --stage)
            for (int first = stage; first < layers_ && (stage > 0 || first == 0); ++first) {
                const int most = layers_ - (stages_ - 1 - stage);
                for (int last = stage == stages_ - 1 ? layers_ : first + 1; last <= most; ++last) f(stage, first, last);
            }
    }
    [[nodiscard]] std::vector<double> table() const {
        std::vector<double> best(at(stages_, layers_) + 1, never);
        best[at(stages_, layers_)] = 0;
        return best;
    }

    /// The least time of the slowest stage.
    [[nodiscard]] double least_slowest() const {
        std::vector<double> best = table();
        each_stage([&](int stage, int first, int last) {
            const double slowest = std::max(cost_(first, last), best[at(stage + 1, last)]);
            double& known = best[at(stage, first)];
            if (slowest < known && fits_(stage, first, last)) known = slowest;
        });
        return best[at(0, 0)];
    }
    /// The least sum of stages none of which takes longer.
    [[nodiscard]] found within(double limit) const {
        std::vector<double> best = table();
        std::vector<int> ends(best.size(), 0);
        each_stage([&](int stage, int first, int last) {
            const double cost = cost_(first, last), sum = cost + best[at(stage + 1, last)];
            double& known = best[at(stage, first)];
            if (cost > limit || !(sum < known) || !fits_(stage, first, last)) return;
            known = sum;
            ends[at(stage, first)] = last;
        });
        found f{best[at(0, 0)], 0};
        for (int stage = 0, first = 0; f.sum < never && stage < stages_; ++stage) {
            const int last = ends[at(stage, first)];
            f.slowest = std::max(f.slowest, cost_(first, last));
            f.ends.push_back(last);
            first = last;
        }
        return f;
    }
    [[nodiscard]] std::vector<double> all_costs() const {
        std::vector<double> all;
        for (int first = 0; first < layers_; ++first)
            for (int last = first + 1; last <= layers_; ++last) all.push_back(cost_(first, last));
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

    int layers_, stages_;
    Cost cost_;
    Fits fits_;
};

} // namespace tutti::tools::planner
