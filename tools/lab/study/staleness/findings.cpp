// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "findings.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::tools::study::staleness {
namespace {

constexpr double half = 0.5; // of all steps: where accuracies are compared

/// More than two standard deviations of the difference of two means of so many seeds.
bool is_above(const spread& a, const spread& b, std::size_t seeds) {
    const double of_difference =
        std::sqrt((a.deviation * a.deviation + b.deviation * b.deviation) / static_cast<double>(seeds));
    return a.mean - b.mean > 2 * of_difference;
}

std::size_t last_of(const results& r) { return r.of.disciplines.size() - 1; }

/// The one that reaches the goal first. BSP does in any case.
std::size_t fastest_to(const results& r, std::size_t model, double goal) {
    std::size_t best = 0;
    for (std::size_t how = 1; how <= last_of(r); ++how) {
        const auto time = seconds_to(r, model, how, goal);
        if (time && time->mean < seconds_to(r, model, best, goal)->mean) best = how;
    }
    return best;
}

/// "in 2 of 3 models of stragglers".
std::string in_models(const results& r, const std::function<bool(std::size_t model)>& holds) {
    std::size_t count = 0;
    for (std::size_t m = 0; m < r.of.models.size(); ++m) count += holds(m);
    return fmt::format("in {} of {} models of stragglers", count, r.of.models.size());
}

/// The largest bound.
std::size_t widest_bound(const results& r) { return last_of(r) - 1; }

bool never_falls(const results& r, std::size_t model) {
    for (std::size_t how = 1; how < last_of(r); ++how)
        if (is_above(steps_a_second(r, model, how - 1), steps_a_second(r, model, how), r.of.seeds)) return false;
    return true;
}

} // namespace

std::vector<const out_of_step_result*> seeds_of(const results& r, std::size_t model, std::size_t how) {
    std::vector<const out_of_step_result*> all;
    for (std::size_t i = 0; i < r.runs.size(); ++i)
        if (r.runs[i].model == model && r.runs[i].discipline == how) all.push_back(&r.found[i]);
    return all;
}

spread steps_a_second(const results& r, std::size_t model, std::size_t how) {
    return spread_of(seeds_of(r, model, how),
                     [](const out_of_step_result* one) { return static_cast<double>(one->steps) / one->seconds; });
}

spread accuracy_after(const results& r, std::size_t model, std::size_t how, double share) {
    return spread_of(seeds_of(r, model, how), [share](const out_of_step_result* one) {
        const double place = share * static_cast<double>(one->steps);
        return accuracy_at(one->tests, axis::steps, place).value_or(one->tests.back().accuracy);
    });
}

std::optional<double> mean_accuracy_at(const results& r, std::size_t model, std::size_t how, axis by, double place) {
    double sum = 0;
    const auto all = seeds_of(r, model, how);
    for (const out_of_step_result* one : all) {
        const auto here = accuracy_at(one->tests, by, place);
        if (!here) return {};
        sum += *here;
    }
    return sum / static_cast<double>(all.size());
}

double goal_of(const results& r) {
    double least = 1;
    for (std::size_t m = 0; m < r.of.models.size(); ++m)
        for (const out_of_step_result* one : seeds_of(r, m, 0))
            least = std::min(least, std::ranges::max(one->tests, {}, &tested_store::accuracy).accuracy);
    return std::floor(100 * least - 1) / 100;
}

std::optional<spread> seconds_to(const results& r, std::size_t model, std::size_t how, double goal) {
    numbers all;
    for (const out_of_step_result* one : seeds_of(r, model, how)) {
        const auto time = place_of_accuracy(one->tests, axis::seconds, goal);
        if (!time) return {};
        all.push_back(*time);
    }
    return spread_of(all);
}

std::vector<double> staleness_of(const results& r, std::size_t model, std::size_t how) {
    std::vector<double> shares;
    for (const out_of_step_result* one : seeds_of(r, model, how)) {
        if (shares.size() < one->staleness.size()) shares.resize(one->staleness.size());
        for (std::size_t i = 0; i < one->staleness.size(); ++i) shares[i] += static_cast<double>(one->staleness[i]);
    }
    const double all = std::accumulate(shares.begin(), shares.end(), 0.);
    for (double& share : shares) share /= all;
    return shares;
}

std::vector<std::string> findings_of(const results& r) {
    std::vector<std::string> all{comparison(r)};
    const double goal = goal_of(r);
    const std::size_t wide = widest_bound(r), last = last_of(r);
    for (std::size_t m = 0; m < r.of.models.size(); ++m) {
        const double bsp = steps_a_second(r, m, 0).mean;
        const std::size_t best = fastest_to(r, m, goal);
        all.push_back(fmt::format(
            "{}: BSP makes {:.0f} steps a second, {} {:.2f} times as many, asynchronous {:.2f} times. After half of "
            "the "
            "steps BSP has {} %, asynchronous {} %. {} reaches {:.0f} % first, in {:.1f} s; BSP needs {:.1f} s.",
            r.of.models[m].name, bsp, r.of.disciplines[wide].name, steps_a_second(r, m, wide).mean / bsp,
            steps_a_second(r, m, last).mean / bsp, words_of(accuracy_after(r, m, 0, half), 1, 100),
            words_of(accuracy_after(r, m, last, half), 1, 100), r.of.disciplines[best].name, 100 * goal,
            seconds_to(r, m, best, goal)->mean, seconds_to(r, m, 0, goal)->mean));
    }
    return all;
}

std::string comparison(const results& r) {
    const std::size_t wide = widest_bound(r), last = last_of(r), seeds = r.of.seeds;
    const double goal = goal_of(r);
    const auto faster = [&](std::size_t m) {
        return is_above(steps_a_second(r, m, wide), steps_a_second(r, m, 0), seeds) && never_falls(r, m);
    };
    const auto worse = [&](std::size_t m) {
        return is_above(accuracy_after(r, m, 0, half), accuracy_after(r, m, wide, half), seeds);
    };
    const auto sooner = [&](std::size_t m) {
        const auto bounded = seconds_to(r, m, wide, goal);
        return bounded && is_above(*seconds_to(r, m, 0, goal), *bounded, seeds);
    };
    const auto between = [&](std::size_t m) {
        const std::size_t best = fastest_to(r, m, goal);
        return best != 0 && best != last;
    };
    const auto free = [&](std::size_t m) { return fastest_to(r, m, goal) == last; };
    return fmt::format(
        "Ho et al. 2013 find that more staleness gives more steps a second, that each step is then worth less, and "
        "that "
        "SSP learns faster than BSP and than asynchronous workers. Here more staleness gives more steps a second {}. "
        "After half of the steps {} is worse than BSP {}. It reaches {:.0f} % sooner than BSP {}. A bound is the first "
        "to reach that {}, and asynchronous workers are {}. Differences from BSP count from two standard deviations of "
        "the means on.",
        in_models(r, faster), r.of.disciplines[wide].name, in_models(r, worse), 100 * goal, in_models(r, sooner),
        in_models(r, between), in_models(r, free));
}

std::string text_of(const results& r) {
    std::string text;
    const double goal = goal_of(r);
    for (std::size_t m = 0; m < r.of.models.size(); ++m) {
        text += fmt::format("{}:\n{:>14}  {:>15}  {:>16}  {:>15}\n", r.of.models[m].name, "", "steps a second",
                            "half of steps, %", fmt::format("s to {:.0f} %", 100 * goal));
        for (std::size_t how = 0; how <= last_of(r); ++how) {
            const auto time = seconds_to(r, m, how, goal);
            text += fmt::format(
                "{:>14}  {:>15}  {:>16}  {:>15}\n", r.of.disciplines[how].name, words_of(steps_a_second(r, m, how), 1),
                words_of(accuracy_after(r, m, how, half), 1, 100), time ? words_of(*time, 1) : "not by all");
        }
    }
    return text + fmt::format("Mean and two standard deviations of {} seeds.\n{}\n{} trainings took {:.0f} s.\n",
                              r.of.seeds, comparison(r), r.runs.size(), r.wall_s);
}

} // namespace tutti::tools::study::staleness
