// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "findings.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tutti::tools::study::adacomm {
namespace {

std::size_t place_of(const results& r, const std::string& begin) {
    return static_cast<std::size_t>(
        std::ranges::find_if(r.ways, [&](const strategy& s) { return s.name.starts_with(begin); }) - r.ways.begin());
}

/// By more than two standard deviations of the seeds, of both together.
const char* beside(const spread& a, const spread& b) {
    const double apart = a.mean - b.mean, sure = 2 * std::hypot(a.deviation, b.deviation);
    return apart < -sure ? "lower than" : apart > sure ? "higher than" : "not to be told from";
}

std::string speed(const results& r) {
    const std::size_t last = r.of.fixed.size() - 1;
    const double first_s = step_s(r, 0), last_s = step_s(r, last);
    return fmt::format("A step takes {:.1f} ms where weights are averaged after each, and {:.1f} ms at {}. So the "
                       "network takes {:.1f} times as long as the rest of a step.",
                       1e3 * first_s, 1e3 * last_s, r.ways[last].name, (first_s - last_s) / last_s);
}

std::string trade_off_sentence(const results& r) {
    const double end = r.of.budget_s;
    std::string text = "The fixed period with the lowest loss:";
    for (const double share : {0.125, 0.25, 0.5, 1.})
        text += fmt::format(" {} at {:.3g} s{}", r.ways[best_fixed(r, share * end)].name, share * end,
                            share < 1 ? "," : ".");
    const bool shrinks = best_fixed(r, end) < best_fixed(r, end / 8);
    return text + fmt::format(" Wang and Joshi 2019: a long period is best at first, and a shorter one later; {}.",
                              shrinks ? "as there" : "unlike there");
}

std::string race(const results& r) {
    const std::size_t ada = place_of(r, "AdaComm");
    const spread target = spread_at(r, 0, r.of.budget_s, &look::loss);
    const auto when = time_to(r, ada, target.mean);
    if (!when) return "AdaComm never has the loss that tau 1 ends with: unlike Wang and Joshi 2019.";
    const double factor = r.of.budget_s / *when;
    return fmt::format("Tau 1 ends with a loss of {:.4f} after {:.3g} s. AdaComm has that after {:.3g} s, {:.1f} times "
                       "as soon. Wang and Joshi 2019 report up to 3 times: {}.",
                       target.mean, r.of.budget_s, *when, factor, factor >= 1.5 ? "as there" : "unlike there");
}

std::string end_sentence(const results& r) {
    const auto last = [&](std::size_t way) { return spread_at(r, way, r.of.budget_s, &look::loss); };
    const std::size_t best = best_fixed(r, r.of.budget_s), sixteen = place_of(r, "tau 16");
    std::string text = fmt::format("At the end the loss of AdaComm is {} that of the best fixed period, {}.",
                                   beside(last(place_of(r, "AdaComm")), last(best)), r.ways[best].name);
    for (const char* name : {"post-local", "tau 16, slow momentum"}) {
        const std::size_t way = place_of(r, name);
        text += fmt::format(" That of {} is {} that of tau 16.", r.ways[way].name, beside(last(way), last(sixteen)));
    }
    return text;
}

} // namespace

double value_at(const std::vector<look>& run, double seconds, double look::*what) {
    const auto after = std::ranges::lower_bound(run, seconds, {}, &look::seconds);
    if (after == run.end()) return run.back().*what;
    if (after == run.begin()) return run.front().*what;
    const look &a = *(after - 1), &b = *after;
    return a.*what + (b.*what - a.*what) * (seconds - a.seconds) / (b.seconds - a.seconds);
}

spread spread_at(const results& r, std::size_t way, double seconds, double look::*what) {
    return spread_of(r.runs[way], [&](const auto& run) { return value_at(run, seconds, what); });
}

std::vector<double> times_of(const results& r) {
    std::vector<double> all;
    for (std::size_t i = 1; i <= r.of.looks; ++i)
        all.push_back(r.of.budget_s * static_cast<double>(i) / static_cast<double>(r.of.looks));
    return all;
}

std::optional<double> time_to(const results& r, std::size_t way, double loss) {
    for (const double t : times_of(r))
        if (spread_at(r, way, t, &look::loss).mean <= loss) return t;
    return {};
}

double step_s(const results& r, std::size_t way) {
    double seconds = 0, steps = 0;
    for (const auto& run : r.runs[way]) seconds += run.back().seconds, steps += run.back().steps;
    return seconds / steps;
}

std::size_t best_fixed(const results& r, double seconds) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < r.of.fixed.size(); ++i)
        if (spread_at(r, i, seconds, &look::loss).mean < spread_at(r, best, seconds, &look::loss).mean) best = i;
    return best;
}

std::vector<std::string> findings_of(const results& r) {
    return {speed(r), trade_off_sentence(r), race(r), end_sentence(r)};
}

std::string text_of(const results& r) {
    std::string text = fmt::format("{:<26} {:>7} {:>8} {:>17} {:>17}\n", "", "steps", "ms", "loss", "test error, %");
    for (std::size_t w = 0; w < r.ways.size(); ++w)
        text += fmt::format("{:<26} {:>7.0f} {:>8.1f} {:>17} {:>17}\n", r.ways[w].name, r.of.budget_s / step_s(r, w),
                            1e3 * step_s(r, w), words_of(spread_at(r, w, r.of.budget_s, &look::loss), 4),
                            words_of(spread_at(r, w, r.of.budget_s, &look::error), 2, 100));
    text += fmt::format("After {} s of virtual time; mean and two standard deviations of {} seeds.\n", r.of.budget_s,
                        r.of.seeds);
    for (const std::string& one : findings_of(r)) text += one + "\n";
    return text + fmt::format("It took {:.0f} s.\n", r.wall_s);
}

} // namespace tutti::tools::study::adacomm
