// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "spread.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

/// Parts of a study's page, as sections_page() takes them.
namespace tutti::tools::study {

using json = nlohmann::ordered_json;

/// one(i) for each i below `count`.
[[nodiscard]] json list_of(std::size_t count, const auto& one) {
    json all = json::array();
    for (std::size_t i = 0; i < count; ++i) all.push_back(one(i));
    return all;
}

/// A point of a curve, whose band has two standard deviations, and is no lower than `least`.
[[nodiscard]] inline json banded(double x, const spread& s, double unit = 1, double least = 0) {
    return {{"x", x},
            {"y", unit * s.mean},
            {"low", std::max(least, unit * (s.mean - 2 * s.deviation))},
            {"high", unit * (s.mean + 2 * s.deviation)}};
}

[[nodiscard]] inline json series(std::string name, json points) {
    return {{"name", std::move(name)}, {"points", std::move(points)}};
}

/// `set` are those of page.js's flags that are true.
[[nodiscard]] inline json chart(std::string title, std::string x, std::string y, json series,
                                std::initializer_list<const char*> set = {}) {
    json made{{"title", std::move(title)}, {"x", std::move(x)}, {"y", std::move(y)}, {"series", std::move(series)}};
    for (const char* flag : set) made[flag] = true;
    return made;
}
/// Points are {"y": value}, one for each label.
[[nodiscard]] inline json bars(std::string title, std::string x, std::string y, json labels, json series) {
    json made = chart(std::move(title), std::move(x), std::move(y), std::move(series));
    made.update({{"kind", "bars"}, {"labels", std::move(labels)}});
    return made;
}

[[nodiscard]] inline json table(std::string caption, json heads, json lines) {
    return {{"caption", std::move(caption)}, {"heads", std::move(heads)}, {"lines", std::move(lines)}};
}

/// The last section, of what a study has used.
[[nodiscard]] inline json parameters(const std::vector<std::pair<std::string, std::string>>& all) {
    json folded = table("Parameters", json::array({"parameter", "value"}), list_of(all.size(), [&](std::size_t i) {
                            return json::array({all[i].first, all[i].second});
                        }));
    folded["folded"] = true;
    return {{"title", "Parameters"}, {"tables", json::array({std::move(folded)})}};
}

} // namespace tutti::tools::study
