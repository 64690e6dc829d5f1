// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../bench/row_json.hpp"
#include "pricing.hpp"
#include "report.hpp"

#include <string>
#include <vector>

namespace tutti::tools {

/// What a row of `tutti bench --json` says of one algorithm at one number of ranks and one size.
struct measured_row {
    std::string operation;
    std::string algorithm; ///< that ran: the library's choice where the bench says auto
    int ranks = 1;
    std::size_t bytes = 0;
    bool in_place = false;
    double median_us = 0; ///< of the slowest rank of each iteration
    row_object how;       ///< what else its time depends on, such as its type and transport
    std::string file;
};

/// The rows of some files. Throws std::invalid_argument that names the file which cannot be read, or is of another
/// kind.
[[nodiscard]] std::vector<measured_row> read_measured(const std::vector<std::string>& files);

/// The operations that were measured in place alone, to be priced so: what is compared is the same call.
[[nodiscard]] operation_names measured_in_place(const std::vector<measured_row>& measured);

/// Fills measured_us from rows of the place that is priced, in place for `in_place`; the median where there are
/// several. Returns what stands in no row of the report, as "allreduce ring in place, 4 ranks, 64 B (FILE)", but not
/// the other place of what does. Throws std::invalid_argument that names what differs if rows of several types, roots
/// or conditions, as of `tutti bench --against`, match one row: no median is of them all.
[[nodiscard]] std::vector<std::string> join_measured(const std::vector<measured_row>& measured,
                                                     const operation_names& in_place, model_report& report);

} // namespace tutti::tools
