// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "rank_grid.hpp"
#include "train.hpp"

namespace tutti::tools {

/// The settings with what the command line leaves open, so far as it follows from the model alone.
[[nodiscard]] inline train_settings with_usual(train_settings s) {
    const bool is_text = s.model == "transformer";
    if (s.batch == 0 && s.mode != "sandblaster") s.batch = is_text ? 16 : 64;
    if (s.optimizer.empty())
        s.optimizer = s.mode == "downpour" ? "adagrad" : s.mode == "hogwild" ? "sgd" : is_text ? "adam" : "momentum";
    if (s.pipeline == "1f1b") s.pipeline = "one_f_one_b";
    return s;
}

/// How many ranks are started where the command line does not say. Throws std::invalid_argument beyond the most.
[[nodiscard]] inline int usual_ranks(const train_settings& s) {
    if (s.mode != "3d") return 4;
    const auto or_two = [](int n) { return n > 0 ? n : 2; };
    const long long ranks = ranks_of({or_two(s.data_parallel), or_two(s.stages), or_two(s.tensor)});
    if (ranks > most_ranks) throw std::invalid_argument("there are at most " + std::to_string(most_ranks) + " ranks");
    return static_cast<int>(ranks);
}

} // namespace tutti::tools
