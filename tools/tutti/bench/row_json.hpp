// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"
#include "testbed.hpp"

#include <string>

#include <nlohmann/json.hpp>

/// Rows as --json and --csv write them: an object of plain values, in an order that is always the same.
namespace tutti::tools {

using row_object = nlohmann::ordered_json;

/// What a row is of: two rows that are equal in this can be compared.
[[nodiscard]] row_object subject_of(const job& what);
/// How and where it is measured: rows that differ in this cannot be compared.
[[nodiscard]] row_object conditions_of(const bench_settings& settings, int ranks, const testbed& at);
/// All of that, and what was measured.
[[nodiscard]] row_object to_json(const row& r, const bench_settings& settings, const testbed& at);

} // namespace tutti::tools
