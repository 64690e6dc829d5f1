// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "train.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutti::tools {

/// An epoch as --json and --log write it. Where time is simulated, all seconds are virtual ones; `virtual_seconds` are
/// those from the begin of all.
[[nodiscard]] inline nlohmann::ordered_json json_of(const train_settings& s, int ranks, const epoch_result& e) {
    nlohmann::ordered_json all{{"epoch", e.epoch},
                               {"loss", e.loss},
                               {"train_accuracy", e.train_accuracy},
                               {"test_loss", e.test_loss},
                               {"test_accuracy", e.test_accuracy},
                               {"seconds", e.seconds},
                               {"exposed_seconds", e.exposed_seconds},
                               {"under_way_seconds_least", e.under_way_least},
                               {"under_way_seconds_most", e.under_way_most},
                               {"parameter_bytes", e.bytes[0]},
                               {"gradient_bytes", e.bytes[1]},
                               {"state_bytes", e.bytes[2]},
                               {"mode", s.mode},
                               {"ranks", ranks},
                               {"transport", s.transport},
                               {"algorithm", s.algorithm},
                               {"weights_hash", fmt::format("{:016x}", e.weights_hash)},
                               {"weights_agree", e.weights_agree}};
    if (e.virtual_seconds) all["virtual_seconds"] = *e.virtual_seconds;
    return all;
}

} // namespace tutti::tools
