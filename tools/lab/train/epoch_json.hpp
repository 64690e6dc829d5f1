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
    if (!s.compress.empty()) all["compress"] = s.compress;
    if (s.mode == "local") all["period"] = s.period;
    if (s.mode == "gossip") all["graph"] = s.graph;
    if (e.consensus_distance) all["consensus_distance"] = *e.consensus_distance;
    if (e.sent_bytes) all["sent_bytes"] = *e.sent_bytes;
    return all;
}

} // namespace tutti::tools
