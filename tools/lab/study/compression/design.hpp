// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../study.hpp"

#include <collectives/model/machine.hpp>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools::study::compression {

/// How gradients are averaged: as `tutti train --compress` has it; empty: by a plain allreduce.
inline constexpr std::array<std::string_view, 8> ways{"",       "top-k:0.01", "top-k:0.1",   "random-k:0.1",
                                                      "qsgd:8", "qsgd:4",     "power-sgd:4", "sign"};

[[nodiscard]] inline std::string name_of(std::string_view way) {
    return way.empty() ? "plain allreduce" : std::string(way);
}

/// What all trainings have in common.
struct design {
    int ranks = 64;        ///< each on a node of its own, in virtual time
    std::size_t batch = 8; ///< of a rank
    std::size_t hidden = 32;
    double rate = 0.2; ///< of plain descent
    std::size_t steps = 300;
    std::size_t looks = 15; ///< at the weights, in that time
    std::size_t seeds = 5;
    std::chrono::microseconds computing{5000};                  ///< of a step, without the compressor
    std::vector<double> mbit_s{10, 100, 1000, 10'000, 100'000}; ///< of the links
    double slow_mbit_s = 100;                                   ///< the one for which curves are drawn
    double latency_s = 2e-5, overhead_s = 1e-6;
    std::size_t timed_steps = 4; ///< for which messages are simulated
};

[[nodiscard]] inline design design_of(const settings& s) {
    design d;
    if (s.quick) d.ranks = 8, d.hidden = 16, d.steps = 40, d.looks = 4, d.timed_steps = 2;
    d.seeds = s.seeds > 0 ? s.seeds : s.quick ? 2 : 5;
    return d;
}

[[nodiscard]] inline tutti::model::machine machine_of(const design& d, double mbit_s) {
    return tutti::model::uniform(
        {.latency_s = d.latency_s, .overhead_s = d.overhead_s, .gap_s_per_byte = 8e-6 / mbit_s});
}

} // namespace tutti::tools::study::compression
