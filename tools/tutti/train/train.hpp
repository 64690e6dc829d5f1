// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The parts of `tutti train`.
namespace tutti::tools {

struct train_settings {
    int ranks = 0; ///< 0: not said
    std::string transport = "tcp";
    std::string data; ///< directory of the IDX files, or "drawn"; empty: not said
    std::size_t epochs = 6;
    std::size_t batch = 64; ///< over all ranks
    double learning_rate = 0.2;
    std::vector<std::size_t> hidden{128};
    std::string algorithm = "auto";
    std::uint64_t seed = 1;
    std::size_t pictures = 0; ///< drawn for training; an eighth of that for testing; 0: not said
    std::string json;
};

/// What an epoch came to.
struct epoch_result {
    std::size_t epoch = 0; ///< from 1
    double loss = 0;       ///< mean cross entropy of the training pictures, in nats
    double train_accuracy = 0;
    double test_accuracy = 0;
    double seconds = 0;               ///< of this epoch
    double communication_seconds = 0; ///< thereof in allreduce, on rank 0
    std::uint64_t weights_hash = 0;
    bool weights_agree = false; ///< bit by bit, on all ranks
};

} // namespace tutti::tools
