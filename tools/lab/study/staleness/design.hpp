// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../train/train.hpp"
#include "../pictures_of.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::tools::study::staleness {

/// How far workers may be apart.
struct discipline {
    std::string name;
    std::string mode;        ///< of `tutti train`
    std::uint64_t slack = 0; ///< clocks, in ssp
};

/// Who is late, in the words of `tutti train`.
struct straggler_model {
    std::string name;
    std::string compute;
    std::string stragglers;
};

/// What the trainings of a study have in common, and what differs between them.
struct design {
    std::vector<discipline> disciplines; ///< the first is bulk synchronous, the last asynchronous
    std::vector<straggler_model> models;
    std::size_t seeds = 5, epochs = 4;
    int workers = 16;
    std::size_t hidden = 64;
    std::size_t batch = 256; ///< of all workers
    double rate = 0.1;
    std::size_t test_every = 39; ///< steps of the first worker
    std::string cluster = "cloud-25g";
};

[[nodiscard]] inline std::vector<discipline> disciplines_of(const std::vector<std::uint64_t>& slacks) {
    std::vector<discipline> all{{"BSP", "bsp", 0}};
    for (const std::uint64_t s : slacks) all.push_back({"SSP " + std::to_string(s), "ssp", s});
    all.push_back({"asynchronous", "asynchronous", 0});
    return all;
}

[[nodiscard]] inline design design_of(const settings& s) {
    design d;
    d.disciplines =
        disciplines_of(s.quick ? std::vector<std::uint64_t>{1, 4} : std::vector<std::uint64_t>{1, 2, 4, 8, 16});
    d.models = {{"jitter", "lognormal(100ms,0.5)", ""},
                {"one slow worker", "lognormal(100ms,0.1)", "slow(2,4x)"}, // rank 2 is the second worker
                {"steps slow by chance", "lognormal(100ms,0.1)", "random(0.05,5x)"}};
    if (s.quick) d.workers = 4, d.hidden = 16, d.batch = 64, d.test_every = 10;
    d.seeds = s.seeds > 0 ? s.seeds : s.quick ? 2 : d.seeds;
    d.epochs = s.epochs > 0 ? s.epochs : s.quick ? 2 : d.epochs;
    return d;
}

/// One training of a design.
struct run {
    std::size_t model = 0, discipline = 0;
    std::uint64_t seed = 1;
};

/// Seed by seed, so that the time that is left is guessed well.
[[nodiscard]] inline std::vector<run> runs_of(const design& d) {
    std::vector<run> all;
    for (std::size_t seed = 1; seed <= d.seeds; ++seed)
        for (std::size_t m = 0; m < d.models.size(); ++m)
            for (std::size_t how = 0; how < d.disciplines.size(); ++how) all.push_back({m, how, seed});
    return all;
}

/// A seed draws the first weights, the order of pictures, and the times of the workers. All disciplines have the same.
[[nodiscard]] inline train_settings settings_of(const design& d, const run& r) {
    train_settings s;
    s.mode = d.disciplines[r.discipline].mode;
    s.staleness = d.disciplines[r.discipline].slack;
    s.compute = d.models[r.model].compute;
    s.stragglers = d.models[r.model].stragglers;
    s.virtual_ranks = d.workers + s.servers;
    s.cluster = d.cluster;
    s.hidden = {d.hidden};
    s.batch = d.batch;
    s.epochs = d.epochs;
    s.optimizer = "sgd";
    s.learning_rate = d.rate;
    s.schedule = "constant";
    s.data = drawn_data; // pictures come from the study
    s.seed = r.seed;
    return s;
}

} // namespace tutti::tools::study::staleness
