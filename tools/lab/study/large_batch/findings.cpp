// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "findings.hpp"

#include <fmt/format.h>

namespace tutti::tools::study {
namespace {

/// Goyal et al. 2017, figure 1: flat from 64 to 8,192, with the rule and warm-up.
constexpr double published_factor = 8192. / 64;

/// Up to which multiple of the smallest minibatch a curve is flat.
double flat_factor(const large_batch_results& r, recipe how) {
    const auto& sizes = r.of.minibatches;
    std::size_t last = sizes.back();
    if (const auto broken = break_of(r, how))
        for (const std::size_t m : sizes)
            if (m < *broken) last = m;
    return static_cast<double>(last) / static_cast<double>(sizes.front());
}

std::string break_sentence(const large_batch_results& r, recipe how) {
    const std::vector<spread> curve = curve_of(r, how);
    const std::string begins =
        fmt::format("{}: {} at {}", name_of(how), percent_text(curve.front()), r.of.minibatches.front());
    const auto broken = break_of(r, how);
    if (!broken)
        return fmt::format("{}, {} at {}. The curve does not break.", begins, percent_text(curve.back()),
                           r.of.minibatches.back());
    std::size_t at = 0;
    while (r.of.minibatches[at] != *broken) ++at;
    return fmt::format("{}. It breaks at {}, with {}; at {} it has {}.", begins, *broken, percent_text(curve[at]),
                       r.of.minibatches.back(), percent_text(curve.back()));
}

} // namespace

spread error_of(const large_batch_results& r, recipe how, std::size_t minibatch, std::size_t epoch) {
    numbers of_seeds;
    for (std::size_t i = 0; i < r.runs.size(); ++i)
        if (r.runs[i].how == how && r.runs[i].minibatch == minibatch) of_seeds.push_back(r.errors[i].at(epoch));
    return spread_of(of_seeds);
}

std::vector<spread> curve_of(const large_batch_results& r, recipe how) {
    std::vector<spread> curve;
    for (const std::size_t m : r.of.minibatches) curve.push_back(error_of(r, how, m, r.of.epochs - 1));
    return curve;
}

std::optional<std::size_t> break_of(const large_batch_results& r, recipe how) {
    const std::vector<spread> curve = curve_of(r, how);
    const auto at = where_it_breaks(curve, curve.front());
    return at ? std::optional(r.of.minibatches[*at]) : std::nullopt;
}

std::string percent_text(const spread& s) { return words_of(s, 2, 100) + " %"; }

std::vector<std::string> findings_of(const large_batch_results& r) {
    std::vector<std::string> all{comparison(r)};
    for (const recipe how : recipes) all.push_back(break_sentence(r, how));
    return all;
}

std::string comparison(const large_batch_results& r) {
    const double plain = flat_factor(r, recipe::plain), scaled = flat_factor(r, recipe::scaled),
                 warmed = flat_factor(r, recipe::warmed);
    const auto agrees = [](bool does) { return does ? "as there" : "unlike there"; };
    return fmt::format(
        "Goyal et al. 2017 (figure 1): with linear scaling and warm-up ResNet-50 is flat from 64 to 8,192, a factor of "
        "{:.0f}, and worse beyond. Here the factor is {:.0f} with both, {:.0f} without warm-up, and {:.0f} with no "
        "rule. The rule with warm-up is flat for longer than no rule: {}. Without warm-up it is flat for less: {}. "
        "In the end it breaks: {}.",
        published_factor, warmed, scaled, plain, agrees(warmed > plain), agrees(scaled < warmed),
        agrees(break_of(r, recipe::warmed).has_value()));
}

std::string efficiency_sentence(const large_batch_results& r) {
    std::string text = fmt::format("{} GPUs, by those of one node: ", r.scalings.front().steps.back().gpus);
    for (const scaling& s : r.scalings)
        text += fmt::format("{} {:.1f} %, ", s.algorithm, 100 * s.steps.back().efficiency);
    return text + "Goyal et al. about 90 %.";
}

std::string text_of(const large_batch_results& r) {
    std::string text = fmt::format("{:>9}", "minibatch");
    for (const recipe how : recipes) text += fmt::format("  {:>26}", name_of(how));
    text += "\n";
    for (std::size_t i = 0; i < r.of.minibatches.size(); ++i) {
        text += fmt::format("{:>9}", r.of.minibatches[i]);
        for (const recipe how : recipes) text += fmt::format("  {:>26}", percent_text(curve_of(r, how)[i]));
        text += "\n";
    }
    text += fmt::format("Test error after {} epochs, mean and two standard deviations of {} seeds.\n", r.of.epochs,
                        r.of.seeds);
    text += comparison(r) + "\n" + efficiency_sentence(r) + "\n";
    return text +
           fmt::format("{} trainings took {:.0f} s, and {:.0f} s of processors.\n", r.runs.size(), r.wall_s, r.cpu_s);
}

} // namespace tutti::tools::study
