// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "findings.hpp"

#include <cmath>

#include <fmt/format.h>

namespace tutti::tools::study::hogwild {
namespace {

spread over_seeds(const solved& one, std::size_t way, std::size_t threads, const auto& value) {
    std::vector<double> all;
    for (std::size_t seed = 0; seed < one.descents[way][threads].size(); ++seed)
        all.push_back(value(one.descents[way][threads][seed], seed));
    return spread_of(all);
}

/// As many threads as there are cores, or as near as was measured.
std::size_t threads_of_cores(const results& r) {
    std::size_t best = 0;
    for (std::size_t t = 0; t < r.of.threads.size(); ++t)
        if (r.of.threads[t] <= static_cast<int>(r.cores)) best = t;
    return best;
}

std::string speeds(const results& r, const solved& one) {
    const std::size_t t = threads_of_cores(r);
    const spread free = speed_up(one, 0, t), locked = speed_up(one, 1, t), turns = speed_up(one, 2, t);
    const bool leads = free.mean > locked.mean && free.mean > turns.mean;
    return fmt::format("{} samples, {} thread{} on {} core{}: without locks {} times as fast as one "
                       "thread, locked {}, round robin {}. Niu et al. 2011 find the first "
                       "fastest: {}.",
                       one.of.name == "sparse" ? "Sparse" : "Dense", r.of.threads[t], r.of.threads[t] == 1 ? "" : "s",
                       r.cores, r.cores == 1 ? "" : "s", words_of(free, 2), words_of(locked, 2), words_of(turns, 2),
                       leads ? "as there" : "unlike there");
}

std::string sparsity(const results& r) {
    const std::size_t t = threads_of_cores(r);
    const double sparse = speed_up(r.problems[0], 0, t).mean, dense = speed_up(r.problems[1], 0, t).mean;
    return fmt::format(
        "A sparse sample changes {:.3g} of {} weights, a dense one all {}. Without locks the speed-up is "
        "{:.2f} and {:.2f}. Niu et al.: sparse problems speed up more, {}.",
        r.problems[0].of.features_a_sample(), r.problems[0].of.features, r.problems[1].of.features, sparse, dense,
        sparse > dense ? "as there" : "unlike there");
}

std::string convergence(const solved& one, const std::vector<int>& threads) {
    const spread serial = last_loss(one, 0, 0), many = last_loss(one, 0, threads.size() - 1);
    const bool differs = std::abs(many.mean - serial.mean) > 2 * std::hypot(many.deviation, serial.deviation);
    return fmt::format("The {} problem ends with a loss of {} by one thread, and {} by {} "
                       "without locks. {}",
                       one.of.name, words_of(serial, 4), words_of(many, 4), threads.back(),
                       differs ? "The seeds show a difference, unlike Niu et al."
                               : "The seeds show no difference, as Niu et al. find.");
}

} // namespace

spread samples_a_second(const solved& one, std::size_t passes, std::size_t way, std::size_t threads) {
    return over_seeds(one, way, threads, [&](const descent& d, std::size_t) {
        return static_cast<double>(passes * one.of.training()) / d.seconds;
    });
}

spread speed_up(const solved& one, std::size_t way, std::size_t threads) {
    return over_seeds(one, way, threads,
                      [&](const descent& d, std::size_t seed) { return one.descents[0][0][seed].seconds / d.seconds; });
}

spread last_loss(const solved& one, std::size_t way, std::size_t threads) {
    return over_seeds(one, way, threads, [](const descent& d, std::size_t) { return d.losses.back(); });
}

spread last_error(const solved& one, std::size_t way, std::size_t threads) {
    return over_seeds(one, way, threads, [](const descent& d, std::size_t) { return d.error; });
}

std::vector<std::string> findings_of(const results& r) {
    std::vector<std::string> all;
    for (const solved& one : r.problems) all.push_back(speeds(r, one));
    all.push_back(sparsity(r));
    for (const solved& one : r.problems) all.push_back(convergence(one, r.of.threads));
    all.push_back(fmt::format("Times are real. This host has {} core{}, and at the end {:.1f} processes ran on it.",
                              r.cores, r.cores == 1 ? "" : "s", r.load));
    return all;
}

std::string text_of(const results& r) {
    std::string text = fmt::format("{:<7} {:<14} {:>7} {:>11} {:>14} {:>17} {:>15}\n", "", "", "threads", "samples/s",
                                   "speed-up", "loss", "test error, %");
    for (const solved& one : r.problems)
        for (std::size_t w = 0; w < ways.size(); ++w)
            for (std::size_t t = 0; t < r.of.threads.size(); ++t)
                text += fmt::format("{:<7} {:<14} {:>7} {:>11.0f} {:>14} {:>17} {:>15}\n", one.of.name,
                                    name_of(ways[w]), r.of.threads[t], samples_a_second(one, r.of.passes, w, t).mean,
                                    words_of(speed_up(one, w, t), 2), words_of(last_loss(one, w, t), 4),
                                    words_of(last_error(one, w, t), 2, 100));
    text += fmt::format("After {} passes; mean and two standard deviations of {} seeds.\n", r.of.passes, r.of.seeds);
    for (const std::string& one : findings_of(r)) text += one + "\n";
    return text + fmt::format("It took {:.0f} s.\n", r.wall_s);
}

} // namespace tutti::tools::study::hogwild
