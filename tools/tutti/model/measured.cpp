// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "measured.hpp"

#include "../common/quantities.hpp"
#include "../common/statistics.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

measured_row row_of(const row_object& j, const std::string& file) {
    const auto& chosen = j.at("chosen");
    row_object how = subject_in(j);
    for (const char* const known : {"algorithm", "count"}) how.erase(known);
    how.update(conditions_in(j));
    return {j.at("operation").get<std::string>(),
            (chosen.is_null() ? j.at("algorithm") : chosen).get<std::string>(),
            j.at("ranks").get<int>(),
            j.at("bytes").get<std::size_t>(),
            j.at("in_place").get<bool>(),
            j.at("p50_us").get<double>(),
            std::move(how),
            file};
}

bool is_of_place(const measured_row& m, const operation_names& in_place) {
    return m.in_place == in_place.contains(m.operation);
}

bool belongs(const measured_row& m, const model_row& r) {
    return m.operation == r.operation && m.algorithm == r.algorithm && m.ranks == r.ranks && m.bytes == r.bytes;
}

void refuse_mixtures(const std::vector<measured_row>& measured, const operation_names& in_place, const model_row& r) {
    const measured_row* first = nullptr;
    for (const measured_row& m : measured) {
        if (!belongs(m, r) || !is_of_place(m, in_place)) continue;
        if (!first) first = &m;
        if (const std::string other = difference(first->how, "in " + first->file, m.how, m.file); !other.empty())
            throw std::invalid_argument(fmt::format("--measured has {} {}, {} ranks, {} in several ways: {}",
                                                    r.operation, r.algorithm, r.ranks,
                                                    bytes_text(static_cast<double>(r.bytes)), other));
    }
}

std::string measured_words(const measured_row& m) {
    return fmt::format("{} {} {} place, {} ranks, {} ({})", m.operation, m.algorithm, m.in_place ? "in" : "out of",
                       m.ranks, bytes_text(static_cast<double>(m.bytes)), m.file);
}

/// The median of those that belong to the row and are of this kind.
std::optional<double> median_in(const std::vector<measured_row>& measured, const model_row& r, bool in_place) {
    std::vector<double> times;
    for (const measured_row& m : measured)
        if (m.in_place == in_place && belongs(m, r)) times.push_back(m.median_us);
    return times.empty() ? std::nullopt : std::optional(median_of(std::move(times)));
}

} // namespace

std::vector<measured_row> read_measured(const std::vector<std::string>& files) {
    std::vector<measured_row> rows;
    for (const std::string& file : files) {
        std::ifstream in(file, std::ios::binary);
        if (!in) throw std::invalid_argument("cannot read " + file);
        try {
            for (const auto& j : row_object::parse(in))
                if (j.value("library", "tutti") == "tutti") rows.push_back(row_of(j, file)); // else a contestant's
        } catch (const nlohmann::json::exception&) {
            throw std::invalid_argument(file + " is not what tutti bench --json writes");
        }
    }
    return rows;
}

operation_names measured_in_place(const std::vector<measured_row>& measured) {
    operation_names all;
    for (const measured_row& m : measured) all.insert(m.operation);
    for (const measured_row& m : measured)
        if (!m.in_place) all.erase(m.operation);
    return all;
}

std::vector<std::string> join_measured(const std::vector<measured_row>& measured, const operation_names& in_place,
                                       model_report& report) {
    for (model_row& r : report.rows) {
        refuse_mixtures(measured, in_place, r);
        r.measured_us = median_in(measured, r, in_place.contains(r.operation));
    }
    std::vector<std::string> strangers;
    for (const measured_row& m : measured)
        if (std::none_of(report.rows.begin(), report.rows.end(),
                         [&](const model_row& r) { return belongs(m, r) && r.measured_us; }))
            strangers.push_back(measured_words(m));
    return strangers;
}

} // namespace tutti::tools
