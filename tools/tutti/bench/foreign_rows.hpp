// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tutti::tools {

/// A row that another program measured, in our words. What its output does not say is not known.
struct foreign_row {
    std::string operation;
    std::size_t bytes = 0; ///< of the whole operation, as in our rows
    double time_us = 0;    ///< the mean over calls and ranks; of messages there and back half of it, of streams all
    std::optional<std::string> type{}, op{};
    bool in_place = false;
    std::optional<int> root{};
    std::optional<int> ranks{}; ///< of messages between pairs: how many there are in all pairs

    bool operator==(const foreign_row&) const = default;
};

/// What one file holds.
struct foreign_file {
    std::string tool; ///< "OSU micro-benchmarks"
    std::vector<foreign_row> rows;
    std::set<std::string> unknown{}; ///< benchmarks of which none of our rows is
};

/// Whether it is for read_foreign(): not JSON. Throws std::invalid_argument where the file cannot be read.
[[nodiscard]] bool is_foreign(const std::string& path);

/// Reads output of the OSU micro-benchmarks, of IMB-MPI1 or of nccl-tests. `ranks` are taken where the output does not
/// say how many, since some sizes are those of one rank's part. Throws std::invalid_argument that says what is wrong.
[[nodiscard]] foreign_file read_foreign(const std::string& path, int ranks);

} // namespace tutti::tools
