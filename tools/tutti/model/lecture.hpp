// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "pricing.hpp"
#include "report.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tutti::tools {

/// Gradients that are summed in every step. By default those of ResNet-50: 97.5 MiB of float32.
struct lecture_settings {
    std::size_t parameters = 25'557'032;
    double step_s = 1. / 3;
    std::string algorithms{}; ///< a list of names; empty: those that the lecture has a text for
    [[nodiscard]] std::size_t bytes() const noexcept { return parameters * 4; } ///< of all gradients, as float32
};

/// Prints how the ways to sum them compare on `ranks` ranks, at least 2, and why: each number is counted from the
/// schedules, each time is what `prices` predicts.
void lecture(int ranks, const lecture_settings& s, pricing& prices);

/// The algorithms of the lecture, as a command line lists them. Throws std::invalid_argument where there is no such.
[[nodiscard]] std::string lecture_algorithms(const lecture_settings& s);
/// What the page tells of them: texts without figures, which follow the reader's choice, and pictures for those numbers
/// of ranks that can be looked at.
[[nodiscard]] model_lecture page_lecture(const lecture_settings& s, const std::vector<int>& ranks,
                                         const pricing& prices);
/// Adds to rows what lectures alone tell: the bytes between nodes, and the terms of closed forms.
void add_for_lecture(std::span<model_row> rows, const pricing& prices);

} // namespace tutti::tools
