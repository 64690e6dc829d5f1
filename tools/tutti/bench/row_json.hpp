// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"
#include "testbed.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

/// Rows as --json and --csv write them: an object of plain values, in an order that is always the same.
namespace tutti::tools {

using row_object = nlohmann::ordered_json;

/// What is not known is null.
[[nodiscard]] row_object known_or_null(const auto& value) { return value ? row_object(*value) : row_object(nullptr); }

/// What a row is of: two rows that are equal in this can be compared.
[[nodiscard]] row_object subject_of(const job& what);
/// How and where it is measured: rows that differ in this cannot be compared.
[[nodiscard]] row_object conditions_of(const bench_settings& settings, int ranks, const testbed& at);
/// All of that, and what was measured.
[[nodiscard]] row_object to_json(const row& r, const bench_settings& settings, const testbed& at);

/// The part of a row that says what it is of, and that which says how and where it was measured.
[[nodiscard]] row_object subject_in(const row_object& row);
[[nodiscard]] row_object conditions_in(const row_object& row);
/// "cold is true now, but false in FILE": the first of these conditions that the other row does not have; empty where
/// there is none.
[[nodiscard]] std::string difference(const row_object& conditions, std::string_view where, const row_object& other,
                                     std::string_view file);
/// A value as it is; "none" of null.
[[nodiscard]] std::string plain(const row_object& value);

} // namespace tutti::tools
