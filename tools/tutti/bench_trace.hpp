// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"

#include <string>
#include <vector>

namespace tutti::tools {

/// What rank 0 writes of the calls that were recorded: one trace, in which rows follow each other without the time in
/// between, below a track that names them.
class trace_file {
public:
    /// Throws std::system_error if the file cannot be written.
    explicit trace_file(const std::string& path);

    void add(const row& r, activities recorded);
    /// Writes it. Throws as the constructor does.
    void finish() const;

private:
    struct span_of_row {
        std::string name;
        double begin_s, end_s;
    };

    [[nodiscard]] std::string text() const;

    std::string path_;
    activities activities_;
    std::vector<span_of_row> rows_;
    int ranks_ = 0;
};

} // namespace tutti::tools
