// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "train.hpp"

#include <cstdio>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

namespace tutti::tools {

/// A training as JSON lines, each of which is in the file at once: a line to begin with, one an epoch, and one each so
/// many steps.
class training_log {
public:
    /// `data` says what is learnt. A training that is resumed adds to the file. Throws std::system_error if it cannot
    /// be written.
    training_log(const train_settings& settings, int ranks, const std::string& data);

    void step(std::size_t epoch, std::size_t steps, double loss, double seconds);
    void epoch(const epoch_result& e);
    /// It ends early, after so many steps in all.
    void interrupted(std::size_t steps);
    void stuck(std::size_t steps);

private:
    void write(const nlohmann::ordered_json& line);
    struct close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    const train_settings& settings_;
    int ranks_;
    std::unique_ptr<std::FILE, close> file_; // empty: standard output
};

} // namespace tutti::tools
