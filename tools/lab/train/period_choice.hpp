// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "words_of_choice.hpp"

#include <training/local_sgd/averaging_period.hpp>

#include <string>
#include <variant>

namespace tutti::tools {

/// After how many steps of their own ranks average their weights.
using period_choice = std::variant<training::every, training::post_local, training::adacomm>;

/// What --period says. Throws std::invalid_argument where it is not understood.
[[nodiscard]] inline period_choice averaging_period_of(const std::string& text) {
    const words_of_choice words(text, "16, post-local:1000:16 (STEPS:TAU), adacomm:16:60 (TAU:SECONDS)");
    if (words.is("post-local", 2)) return training::post_local{.until = words.count(0), .then = words.count(1)};
    if (words.is("adacomm", 2)) return training::adacomm(words.count(0), words.number(1, 1e9));
    return training::every{words.count()};
}

} // namespace tutti::tools
