// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::tools::study::distbelief {
namespace {

std::string agrees(bool does) { return does ? "as there" : "unlike there"; }
std::string seconds_text(const std::optional<spread>& s) {
    return s ? fmt::format("{:.2f} s", s->mean) : std::string("never by all seeds");
}
/// How many times as long.
std::string ratio_text(const std::optional<spread>& a, const std::optional<spread>& b) {
    return a && b ? fmt::format("{:.1f}", a->mean / b->mean) : std::string("unknown");
}
bool is_less(const std::optional<spread>& a, const std::optional<spread>& b) { return a && (!b || a->mean < b->mean); }

std::string fastest_sentence(const results& r, bool stragglers) {
    std::vector<std::string> by_count;
    bool always = true;
    for (const int n : r.of.replicas) {
        const auto fixed = time_of(r, method::fixed_rate, n, stragglers),
                   adagrad = time_of(r, method::adagrad, n, stragglers),
                   batch = time_of(r, method::sandblaster, n, stragglers);
        always = always && is_less(adagrad, fixed) && is_less(adagrad, batch);
        by_count.push_back(fmt::format("{} replicas: {}, {} and {}", n, seconds_text(fixed), seconds_text(adagrad),
                                       seconds_text(batch)));
    }
    return fmt::format(
        "{}time to {:.0f} %, Downpour with a fixed rate, with Adagrad, and Sandblaster. {}. In the paper "
        "Downpour with Adagrad is the fastest for any number of machines: {}.",
        stragglers ? "With stragglers, " : "Without stragglers, ", 100 * r.of.target, fmt::join(by_count, "; "),
        agrees(always));
}

std::string scaling_sentence(const results& r) {
    const int few = r.of.replicas.front(), many = r.of.replicas.back();
    const auto gain = [&](method m) -> double {
        const auto slow = time_of(r, m, few, false), fast = time_of(r, m, many, false);
        return slow && fast ? slow->mean / fast->mean : 0;
    };
    const double adagrad = gain(method::adagrad), batch = gain(method::sandblaster);
    const auto words = [](double g) { return g > 0 ? fmt::format("{:.1f}", g) : std::string("unknown"); };
    return fmt::format("{} replicas are so many times as fast as {}: Downpour with Adagrad {}, Sandblaster {}. "
                       "In the paper Sandblaster gains more by more machines, and may win with very many: {}.",
                       many, few, words(adagrad), words(batch), agrees(batch > adagrad));
}

std::string sgd_sentence(const results& r) {
    const int many = r.of.replicas.back();
    const auto sgd = time_of(r, method::sgd, 1, false);
    std::vector<std::string> each;
    bool all = true;
    for (const method m : {method::fixed_rate, method::adagrad, method::sandblaster}) {
        const auto time = time_of(r, m, many, false);
        each.push_back(fmt::format("{} {}", name_of(m), ratio_text(sgd, time)));
        all = all && is_less(time, sgd);
    }
    return fmt::format("SGD takes {}. By {} replicas the methods are so many times as fast: {}. In the paper all are "
                       "faster than SGD: {}.",
                       seconds_text(sgd), many, fmt::join(each, ", "), agrees(all));
}

std::string straggler_sentence(const results& r) {
    std::vector<std::string> each;
    for (const method m : {method::fixed_rate, method::adagrad, method::sandblaster}) {
        std::vector<std::string> by_count;
        for (const int n : r.of.replicas)
            by_count.push_back(ratio_text(time_of(r, m, n, true), time_of(r, m, n, false)));
        each.push_back(fmt::format("{} {}", name_of(m), fmt::join(by_count, ", ")));
    }
    const design& d = r.of;
    return fmt::format("Stragglers make computing {:.2f} times as long on average. The time to the accuracy grows by "
                       "these factors, for {} replicas. {}. The paper has no such figure.",
                       1 + d.slow_chance * (d.slow_factor - 1), fmt::join(d.replicas, ", "), fmt::join(each, "; "));
}

} // namespace

std::vector<const series*> seeds_of(const results& r, method how, int replicas, bool stragglers) {
    std::vector<const series*> found;
    for (std::size_t i = 0; i < r.runs.size(); ++i)
        if (r.runs[i].how == how && r.runs[i].replicas == replicas && r.runs[i].stragglers == stragglers)
            found.push_back(&r.tests[i]);
    return found;
}

std::optional<spread> time_of(const results& r, method how, int replicas, bool stragglers) {
    numbers times;
    for (const series* one : seeds_of(r, how, replicas, stragglers)) {
        const auto time = staleness::place_of_accuracy(*one, staleness::axis::seconds, r.of.target);
        if (!time) return {};
        times.push_back(*time);
    }
    return spread_of(times);
}

std::vector<std::string> findings_of(const results& r) {
    return {fastest_sentence(r, false), fastest_sentence(r, true), scaling_sentence(r), sgd_sentence(r),
            straggler_sentence(r)};
}

std::string text_of(const results& r) {
    std::string text;
    for (const std::string& one : findings_of(r)) text += one + "\n";
    return text +
           fmt::format("{} trainings took {:.0f} s, and {:.0f} s of processors.\n", r.runs.size(), r.wall_s, r.cpu_s);
}

} // namespace tutti::tools::study::distbelief
