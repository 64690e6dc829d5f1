// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "findings.hpp"

#include "../../../tutti/common/lists.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tutti::tools::study::compression {
namespace {

std::string link_name(double mbit_s) {
    return mbit_s < 1000 ? fmt::format("{:g} Mbit/s", mbit_s) : fmt::format("{:g} Gbit/s", mbit_s / 1000);
}

std::optional<double> seconds_to(const results& r, std::size_t way, std::size_t link) {
    const auto steps = steps_to(r, way, target_of(r));
    return steps ? std::optional(*steps * step_s(r, way, link)) : std::nullopt;
}

/// Who comes to the target first over a link, and who comes later than a plain allreduce.
std::string race(const results& r, std::size_t link) {
    const double plain = seconds_to(r, 0, link).value_or(0);
    std::vector<std::string> later, never;
    std::size_t best = 0;
    double best_s = plain;
    for (std::size_t w = 1; w < ways.size(); ++w) {
        const auto s = seconds_to(r, w, link);
        if (!s) never.push_back(name_of(ways[w]));
        if (s && *s > plain) later.push_back(name_of(ways[w]));
        if (s && *s < best_s) best = w, best_s = *s;
    }
    std::string text = fmt::format("Over {} a plain allreduce comes to a loss of {:.4f} after {:.3g} s.",
                                   link_name(r.of.mbit_s[link]), target_of(r), plain);
    text += best == 0 ? " Nothing comes there sooner."
                      : fmt::format(" {} is first, {:.1f} times as soon.", name_of(ways[best]), plain / best_s);
    if (!later.empty()) text += " Later than that: " + join(later) + ".";
    if (!never.empty()) text += " Never there: " + join(never) + ".";
    return text;
}

std::string where_it_pays(const results& r) {
    std::vector<std::string> all;
    for (std::size_t w = 1; w < ways.size(); ++w) {
        std::optional<double> most;
        for (std::size_t l = 0; l < r.of.mbit_s.size(); ++l)
            if (step_s(r, w, l) < step_s(r, 0, l)) most = r.of.mbit_s[l];
        all.push_back(name_of(ways[w]) + (most ? " up to " + link_name(*most) : " nowhere"));
    }
    return "A step is shorter than with a plain allreduce: " + join(all) + ".";
}

std::string learning(const results& r) {
    const spread plain = last_of(r, 0, &look::loss);
    std::vector<std::string> same, worse;
    for (std::size_t w = 1; w < ways.size(); ++w) {
        const spread own = last_of(r, w, &look::loss);
        const bool is_worse = own.mean - plain.mean > 2 * std::hypot(own.deviation, plain.deviation);
        (is_worse ? worse : same).push_back(name_of(ways[w]));
    }
    std::string text =
        fmt::format("After {} steps a plain allreduce has a loss of {}.", r.of.steps, words_of(plain, 4));
    if (!same.empty()) text += " No worse, as far as the seeds show: " + join(same) + ".";
    if (!worse.empty()) text += " Worse: " + join(worse) + ".";
    return text;
}

/// The papers find no loss of accuracy with 8 bits (Alistarh et al.), with rank 4 (Vogels et al.) and, for top-k with
/// error feedback, little (Renggli et al.).
std::string papers(const results& r) {
    const spread plain = last_of(r, 0, &look::loss);
    std::string text;
    for (const auto& [way, who] :
         {std::pair{"qsgd:8", "Alistarh et al. 2017"}, std::pair{"power-sgd:4", "Vogels et al. 2019"},
          std::pair{"top-k:0.01", "Renggli et al. 2019"}}) {
        const auto w = static_cast<std::size_t>(std::ranges::find(ways, std::string_view(way)) - ways.begin());
        const spread own = last_of(r, w, &look::loss);
        const bool is_worse = own.mean - plain.mean > 2 * std::hypot(own.deviation, plain.deviation);
        text += fmt::format("{}{} find that {} learns as well, in less time over a slow network: {}, and {}.",
                            text.empty() ? "" : " ", who, way, is_worse ? "unlike here" : "as here",
                            step_s(r, w, slow_link(r)) < step_s(r, 0, slow_link(r)) ? "as here" : "unlike here");
    }
    return text;
}

} // namespace

spread spread_at(const results& r, std::size_t way, std::size_t look_number, double look::*what) {
    return spread_of(r.runs[way], [&](const training_found& one) { return one.looks.at(look_number).*what; });
}

spread last_of(const results& r, std::size_t way, double look::*what) {
    return spread_at(r, way, r.runs[way].front().looks.size() - 1, what);
}

double target_of(const results& r) {
    return spread_at(r, 0, r.runs[0].front().looks.size() * 3 / 4 - 1, &look::loss).mean;
}

std::optional<double> steps_to(const results& r, std::size_t way, double loss) {
    for (std::size_t i = 0; i < r.runs[way].front().looks.size(); ++i) {
        const double now = spread_at(r, way, i, &look::loss).mean, steps = r.runs[way].front().looks[i].steps;
        if (now > loss) continue;
        if (i == 0) return steps;
        const double before = spread_at(r, way, i - 1, &look::loss).mean,
                     earlier = r.runs[way].front().looks[i - 1].steps;
        return earlier + (steps - earlier) * (before - loss) / (before - now);
    }
    return {};
}

double step_s(const results& r, std::size_t way, std::size_t link) {
    return std::chrono::duration<double>(r.of.computing).count() + r.coding_s[way] + r.network_s[way][link];
}

std::size_t slow_link(const results& r) {
    return static_cast<std::size_t>(std::ranges::find(r.of.mbit_s, r.of.slow_mbit_s) - r.of.mbit_s.begin());
}
std::size_t fast_link(const results& r) { return r.of.mbit_s.size() - 1; }

double bytes_of(const results& r, std::size_t way) {
    double sum = 0;
    for (const training_found& one : r.runs[way]) sum += one.bytes;
    return sum / static_cast<double>(r.runs[way].size());
}

std::vector<std::string> findings_of(const results& r) {
    return {race(r, slow_link(r)), race(r, fast_link(r)), where_it_pays(r), learning(r), papers(r)};
}

std::string text_of(const results& r) {
    std::string text = fmt::format("{:<16} {:>9} {:>9} {:>17} {:>15}", "", "bytes", "coding", "loss", "test error, %");
    for (const double m : r.of.mbit_s) text += fmt::format(" {:>11}", link_name(m));
    text += "\n";
    for (std::size_t w = 0; w < ways.size(); ++w) {
        text += fmt::format("{:<16} {:>9.0f} {:>6.2f} ms {:>17} {:>15}", name_of(ways[w]), bytes_of(r, w),
                            1e3 * r.coding_s[w], words_of(last_of(r, w, &look::loss), 4),
                            words_of(last_of(r, w, &look::error), 2, 100));
        for (std::size_t l = 0; l < r.of.mbit_s.size(); ++l) text += fmt::format(" {:>8.2f} ms", 1e3 * step_s(r, w, l));
        text += "\n";
    }
    text += fmt::format("After {} steps of {} ranks; mean and two standard deviations of {} seeds; time of a step by "
                        "link.\n",
                        r.of.steps, r.of.ranks, r.of.seeds);
    for (const std::string& one : findings_of(r)) text += one + "\n";
    return text + fmt::format("It took {:.0f} s.\n", r.wall_s);
}

} // namespace tutti::tools::study::compression
