// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../study.hpp"

#include <collectives/model/machine.hpp>
#include <transport/fabrics/simulated/compute_time.hpp>

#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools::study::adacomm {

/// When ranks average their weights.
struct strategy {
    std::string name;
    std::string period; ///< as `tutti train --period` has it
    double slow_momentum = 0;
};

/// What all trainings have in common. Time is virtual.
struct design {
    int ranks = 8;
    std::size_t batch = 16; ///< of a rank
    std::size_t hidden = 128;
    double rate = 0.3; ///< of plain descent
    double budget_s = 60;
    std::size_t looks = 40; ///< at the weights, in that time
    std::size_t seeds = 5;
    tutti::model::loggp link{.latency_s = 1e-4, .overhead_s = 1e-5, .gap_s_per_byte = 8e-8}; ///< 100 Mbit/s
    transport::compute_time takes{
        .by = transport::compute_time::law::lognormal, .typical = std::chrono::duration<double>(0.015), .spread = 0.3};
    std::vector<std::size_t> fixed{1, 4, 16, 64};
};

[[nodiscard]] inline design design_of(const settings& s) {
    design d;
    if (s.quick) d.budget_s = 6, d.hidden = 32, d.ranks = 4;
    d.seeds = s.seeds > 0 ? s.seeds : s.quick ? 2 : 5;
    return d;
}

/// Fixed periods, and then those that change.
[[nodiscard]] inline std::vector<strategy> strategies_of(const design& d) {
    std::vector<strategy> all;
    for (const std::size_t tau : d.fixed) all.push_back({fmt::format("tau {}", tau), fmt::format("{}", tau)});
    all.push_back({"AdaComm", fmt::format("adacomm:16:{}", d.budget_s / 20)});
    all.push_back({"post-local, tau 16", fmt::format("post-local:{}:16", static_cast<std::size_t>(d.budget_s * 3))});
    all.push_back({"tau 16, slow momentum 0.5", "16", 0.5});
    return all;
}

} // namespace tutti::tools::study::adacomm
