// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/schedule/activity.hpp>

#include <string>
#include <vector>

namespace tutti::tools {

/// A Chrome trace of several calls, recorded or simulated, which follow each other without the time in between, below a
/// track that names them.
class trace_file {
public:
    /// Throws std::system_error if the file cannot be written.
    explicit trace_file(const std::string& path);

    /// A call on so many ranks.
    void add(std::string name, int ranks, std::vector<schedule::activity> call);
    /// Writes it. Throws as the constructor does.
    void finish() const;

private:
    struct span_of_call {
        std::string name;
        double begin_s, end_s;
    };

    [[nodiscard]] std::string text() const;

    std::string path_;
    std::vector<schedule::activity> activities_;
    std::vector<span_of_call> calls_;
    int ranks_ = 0;
};

} // namespace tutti::tools
