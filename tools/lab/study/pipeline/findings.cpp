// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "four.hpp"
#include "simulated.hpp"
#include "study.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace tutti::tools::study::pipeline {
namespace {

/// What the papers claim of time, beside what came out.
std::vector<std::string> findings_of_time(const results& r) {
    std::vector<std::string> all;
    const double off = largest_difference_of_bubble();
    all.push_back(
        fmt::format("GPipe (Huang et al. 2019) gives (S-1)/(M+S-1) as idle time. The steps {} it for 2 to 16 stages "
                    "and 1 to 64 microbatches, and 1F1B has the same: it saves memory, not time.",
                    off < 1e-9 ? "have exactly" : "differ from"));
    const auto at = [](std::size_t i) { return bubble_of(four[i].schedule, {4, 8, four[i].chunks}); };
    all.push_back(
        fmt::format("Interleaving (Narayanan et al. 2021) divides what is lost at the ends by the chunks. With 4 "
                    "stages, 8 microbatches and 2 chunks, idle time falls from {:.1f} % to {:.1f} %; the formula "
                    "says {:.1f} %.",
                    100 * at(1), 100 * at(2), 100 * formula_of_bubble({4, 8, 2})));
    double worst = 0;
    for (const measurement& m : r.measured)
        for (const measured_schedule& s : m.schedules) worst = std::max(worst, std::abs(s.step_s / s.predicted_s - 1));
    all.push_back(fmt::format("Measured steps are within {:.0f} % of the prediction in all {} cases.{}",
                              std::ceil(100 * worst), 4 * r.measured.size(),
                              r.load > 0.5 ? fmt::format(" The host had a load of {:.1f} when it began: other programs "
                                                         "have slowed down what was measured.",
                                                         r.load)
                                           : ""));
    for (const measurement& m : r.measured) {
        std::string words = fmt::format("8 microbatches on {} take", words_of(m));
        for (std::size_t i = 0; i < four.size(); ++i)
            words += fmt::format("{} {:.1f} ms by {}", i == 0 ? "" : ",", 1e3 * m.schedules[i].step_s, four[i].words);
        all.push_back(words + ".");
    }
    return all;
}

/// How far a curve of a learning rate ends from that of serial training.
struct gap {
    double points = 0; ///< of a hundred
    double noise = 0;  ///< two standard deviations of the one that varies more over the seeds
    [[nodiscard]] bool is_noise() const { return std::abs(points) <= noise; }
};

spread end_of(const learning& l, double rate, std::string_view name) {
    return spread_of(*std::ranges::find_if(l.curves, [&](const curve& c) { return c.rate == rate && c.name == name; }),
                     l.epochs - 1);
}
gap gap_of(const learning& l, double rate, std::string_view name, std::string_view from) {
    const spread one = end_of(l, rate, name), other = end_of(l, rate, from);
    return {100 * (one.mean - other.mean), 200 * std::max(one.deviation, other.deviation)};
}

std::string finding_of(const learning& l, double rate) {
    std::string words =
        fmt::format("At a learning rate of {}, serial training ends at {:.2f} %. Points from there:", rate,
                    100 * end_of(l, rate, "serial").mean);
    for (const char* name : {"PipeDream, stashing", "PipeDream, no stashing", "1 update old", "4 updates old"}) {
        const gap g = gap_of(l, rate, name, "serial");
        words += fmt::format(" {} {:+.2f}{};", name, g.points, g.is_noise() ? " (within the spread of the seeds)" : "");
    }
    words.back() = '.';
    return words;
}

/// At which learning rates something holds: "holds at 0.002, and does not hold at 0.02".
std::string where_holds(const learning& l, const auto& holds) {
    std::string words;
    for (const double rate : rates_of(l))
        words +=
            fmt::format("{}{} {}", words.empty() ? "" : ", and ", holds(rate) ? "holds at" : "does not hold at", rate);
    return words;
}

/// The claims of papers on accuracy, each judged by the spread of the seeds.
std::vector<std::string> verdicts(const learning& l) {
    const auto loses_nothing = [&l](std::string_view name) {
        return where_holds(l, [&, name](double rate) {
            const gap g = gap_of(l, rate, name, "serial");
            return g.points >= 0 || g.is_noise();
        });
    };
    const std::string stashing_helps = where_holds(l, [&l](double rate) {
        const gap g = gap_of(l, rate, "PipeDream, no stashing", "PipeDream, stashing");
        return g.points < 0 && !g.is_noise();
    });
    return {
        "PipeDream (Narayanan et al. 2019): with stashing, the accuracy is that of synchronous training. Here that " +
            loses_nothing("PipeDream, stashing") + ".",
        "The same paper: without stashing, learning suffers. Beside stashing, that " + stashing_helps + ".",
        "PipeDream-2BW (Narayanan et al. 2021): weights one update old lose nothing. Here that " +
            loses_nothing("1 update old") + "."};
}

} // namespace

std::string words_of(const measurement& m) {
    return fmt::format("{} ranks that {}", m.stages, m.sleeps ? "sleep" : "compute");
}

std::vector<double> rates_of(const learning& l) {
    std::vector<double> all;
    for (const curve& c : l.curves)
        if (std::ranges::find(all, c.rate) == all.end()) all.push_back(c.rate);
    return all;
}

std::vector<std::string> findings_of(const results& r) {
    std::vector<std::string> all = findings_of_time(r);
    for (const double rate : rates_of(r.learnt)) all.push_back(finding_of(r.learnt, rate));
    std::ranges::copy(verdicts(r.learnt), std::back_inserter(all));
    return all;
}

} // namespace tutti::tools::study::pipeline
