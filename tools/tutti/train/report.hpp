// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "train.hpp"

#include <string>
#include <vector>

namespace tutti::tools {

/// What rank 0 shows of a training: a line an epoch, and a JSON file where one is wanted.
class train_report {
public:
    /// `parameters` of the network, `pictures` and `steps` of an epoch, and where the pictures come from.
    train_report(const train_settings& settings, int ranks, std::size_t parameters, std::size_t pictures,
                 std::size_t steps, const std::string& data);

    void add(const epoch_result& e);
    /// Throws std::system_error if the JSON file cannot be written.
    void finish() const;

private:
    const train_settings& settings_;
    int ranks_;
    bool quiet_; // standard output is for the JSON alone
    std::vector<epoch_result> epochs_;
};

} // namespace tutti::tools
