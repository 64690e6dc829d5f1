// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "json.hpp"

#include "../residuals.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/// Residuals as JSON, and back: for each operation and algorithm, a list by ranks of lists by bytes; null where nothing
/// is known.
namespace tutti::model::detail {

/// The double with the fewest digits that is this float: 1.012, not 1.0119999647140503.
[[nodiscard]] inline double fewest_digits(float f) {
    std::array<char, 32> digits;
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), f);
    const json read = json::parse(digits.data(), written.ptr, nullptr, false); // libc++ has no from_chars before 20
    return read.is_number() ? read.get<double>() : double{f};
}

/// By ranks and bytes; null if none is known.
[[nodiscard]] inline json grid_of(const residuals& r, schedule::operation what, const algorithm::any& how) {
    json rows = json::array();
    bool any = false;
    for (std::size_t k = 0; k < r.ranks().size(); ++k) {
        json row = json::array();
        for (std::size_t s = 0; s < r.bytes().size(); ++s) {
            const float ratio = r.at(what, how, k, s);
            row.push_back(ratio > 0 ? json(fewest_digits(ratio)) : json(nullptr));
            any = any || ratio > 0;
        }
        rows.push_back(std::move(row));
    }
    return any ? rows : json(nullptr);
}

[[nodiscard]] inline json to_json(const residuals& r) {
    json operations = json::object();
    for (const schedule::operation what : schedule::operations)
        for (const algorithm::any& how : algorithm::all()) {
            if (!residuals::has(what, how)) continue;
            json grid = grid_of(r, what, how);
            if (!grid.is_null()) operations[std::string(name_of(what))][std::string(how.name())] = std::move(grid);
        }
    return {{"ranks", r.ranks()}, {"bytes", r.bytes()}, {"measured_over_predicted", std::move(operations)}};
}

template <class Whole>
[[nodiscard]] std::vector<Whole> ascending_of(const json& j, const std::string& where, const char* key,
                                              std::size_t most) {
    std::vector<Whole> values;
    const json& list = j.at(key);
    if (!list.is_array() || list.size() > most)
        refuse_machine(where, "has in \"" + std::string(key) + "\" no list of at most " + std::to_string(most));
    for (const json& value : list) {
        const bool whole = value.is_number_unsigned() &&
                           value.get<std::size_t>() <= static_cast<std::size_t>(std::numeric_limits<Whole>::max());
        const auto number = whole ? static_cast<Whole>(value.get<std::size_t>()) : Whole{};
        if (number < 1 || (!values.empty() && number <= values.back()))
            refuse_machine(where, "has in \"" + std::string(key) + "\" no whole numbers that ascend from 1");
        values.push_back(number);
    }
    return values;
}

inline void read_grid(residuals& r, schedule::operation what, const algorithm::any& how, const json& rows,
                      const std::string& where) {
    const auto shaped = [](const json& list, std::size_t size) { return list.is_array() && list.size() == size; };
    if (!shaped(rows, r.ranks().size())) refuse_machine(where, "has not a list for each number of ranks");
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (!shaped(rows[k], r.bytes().size())) refuse_machine(where, "has not a ratio or null for each size");
        for (std::size_t s = 0; s < rows[k].size(); ++s) {
            const json& ratio = rows[k][s];
            if (ratio.is_null()) continue;
            if (!ratio.is_number() ||
                !(ratio.get<double>() >= residuals::least && ratio.get<double>() <= residuals::most))
                refuse_machine(where, "has a ratio that is no number from 0.001 to 1000");
            r.set(what, how, k, s, ratio.get<double>());
        }
    }
}

[[nodiscard]] inline residuals residuals_from(const json& j, const std::string& where) {
    expect_keys(j, where, {"ranks", "bytes", "measured_over_predicted"});
    residuals r(ascending_of<int>(j, where, "ranks", residuals::most_ranks),
                ascending_of<std::size_t>(j, where, "bytes", residuals::most_sizes));
    const json& operations = j.at("measured_over_predicted");
    if (!operations.is_object()) refuse_machine(where, "has in \"measured_over_predicted\" no object");
    for (const auto& [operation, algorithms] : operations.items()) {
        if (!algorithms.is_object()) refuse_machine(where, "has in \"" + operation + "\" no object");
        for (const auto& [algorithm, rows] : algorithms.items()) {
            const auto* const what = std::find_if(schedule::operations.begin(), schedule::operations.end(),
                                                  [&](auto o) { return name_of(o) == operation; });
            const auto all = algorithm::all();
            const auto how = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.name() == algorithm; });
            if (what == schedule::operations.end() || how == all.end() || !residuals::has(*what, *how))
                refuse_machine(where, "has \"" + operation + "\" by \"" + algorithm + "\", which nobody knows");
            read_grid(r, *what, *how, rows, where + ", " + operation + ", " + algorithm);
        }
    }
    return r;
}

/// A machine, with its residuals if there are any.
[[nodiscard]] inline json to_json(const calibrated_machine& m) {
    json j = to_json(static_cast<const machine&>(m));
    if (m.residual != residuals()) j["residuals"] = to_json(m.residual);
    return j;
}

[[nodiscard]] inline calibrated_machine calibrated_machine_from(json j, const std::string& where) {
    residuals residual;
    if (j.is_object() && j.contains("residuals")) {
        residual = residuals_from(j.at("residuals"), where + ", residuals");
        j.erase("residuals");
    }
    return {machine_from(j, where), residual};
}

} // namespace tutti::model::detail
