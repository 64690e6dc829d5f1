// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "explain.hpp"

#include "../../base/sort.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace tutti::model {

namespace detail {

[[nodiscard, gnu::format(printf, 1, 2)]] TUTTI_INLINE std::string formatted(const char* format, ...) {
    char line[256];
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(line, sizeof line, format, values);
    va_end(values);
    return line;
}

[[nodiscard]] TUTTI_INLINE std::string name_of(const selection& s) {
    std::string text{s.how.name()};
    if (s.segments > 1) text += ", " + std::to_string(s.segments) + " segments";
    return text;
}

[[nodiscard]] TUTTI_INLINE std::string reason_of(const explanation& e, bool has_model) {
    if (e.on.size == 1) return "one rank has nobody to exchange data with";
    const std::string virtue{e.chosen.how.virtue()};
    if (!has_model) return "by rule, since " + virtue + " (no machine's parameters are given; tutti fit finds them)";
    if (e.ranking.empty()) return "by rule, since " + virtue + " (the model prices plain buffers, in any order)";
    if (e.ranking.size() == 1) return "it is the only one";
    const candidate_price& cheapest =
        *std::min_element(e.ranking.begin(), e.ranking.end(),
                          [](const candidate_price& a, const candidate_price& b) { return a.seconds < b.seconds; });
    const double taken = e.ranking.front().seconds, saved = taken > 0 ? 1 - cheapest.seconds / taken : 0;
    constexpr double noticeable = 0.001;
    if (saved > noticeable)
        return "the model decides for sizes around at once, though " + name_of(cheapest.what) +
               formatted(" would save %.1f %% at this one: ", saved * 100) + virtue;
    if (e.margin() < noticeable) return "the model expects none to be faster, and " + virtue;
    return formatted("the model expects the next best algorithm to take %.1f %% longer: ", e.margin() * 100) + virtue;
}

} // namespace detail

TUTTI_INLINE double explanation::margin() const noexcept {
    const auto other = std::find_if(ranking.begin(), ranking.end(),
                                    [&](const candidate_price& o) { return o.what.how.name() != chosen.how.name(); });
    return other == ranking.end() || ranking.front().seconds <= 0 ? 0 : other->seconds / ranking.front().seconds - 1;
}

TUTTI_INLINE std::string explanation::text() const {
    std::string said = detail::formatted("%s of %zu byte%s on %d rank%s: ", std::string(name_of(what)).c_str(), bytes,
                                         bytes == 1 ? "" : "s", on.size, on.size == 1 ? "" : "s") +
                       detail::name_of(chosen) + "\n";
    for (const candidate_price& o : ranking)
        said += detail::formatted(o.seconds < 1e6 ? " %c%12.3f us  " : " %c%12.4g us  ", o.estimated ? '~' : ' ',
                                  o.seconds * 1e6) +
                detail::name_of(o.what) + "\n";
    return said + "because: " + reason + "\n";
}

TUTTI_INLINE explanation explain(const chooser& by, schedule::operation what, std::size_t bytes, bool commutative,
                                 bool symmetric) {
    explanation e{what, bytes, by.topology(), by.choose(what, bytes, commutative, symmetric), {}, {}};
    if (const tuner* model = by.model(commutative, symmetric)) {
        e.ranking = model->prices(what, bytes);
        const auto is_chosen = [&](const candidate_price& o) {
            return o.what.how == e.chosen.how && o.what.segments == e.chosen.segments;
        };
        tutti::detail::sort_stably(e.ranking, [&](const candidate_price& a, const candidate_price& b) {
            return is_chosen(a) != is_chosen(b) ? is_chosen(a) : a.seconds < b.seconds;
        });
    }
    e.reason = detail::reason_of(e, by.model() != nullptr);
    return e;
}

} // namespace tutti::model
