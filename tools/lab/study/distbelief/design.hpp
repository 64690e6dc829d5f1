// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../train/train.hpp"
#include "../pictures_of.hpp"
#include "../study.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

/// Dean et al., Large Scale Distributed Deep Networks, NIPS 2012: figures 4 and 5.
namespace tutti::tools::study::distbelief {

enum class method : unsigned char {
    sgd,         ///< one worker, whose weights are on one server
    fixed_rate,  ///< Downpour SGD
    adagrad,     ///< Downpour SGD with Adagrad's rates
    sandblaster, ///< L-BFGS over all pictures
};
inline constexpr std::array methods{method::sgd, method::fixed_rate, method::adagrad, method::sandblaster};

[[nodiscard]] constexpr std::string_view name_of(method m) noexcept {
    constexpr std::array<std::string_view, methods.size()> names{"SGD", "Downpour, fixed rate", "Downpour, Adagrad",
                                                                 "Sandblaster L-BFGS"};
    return names[static_cast<std::size_t>(m)];
}

/// What all trainings have in common.
struct design {
    std::vector<int> replicas{4, 16, 50, 200}; ///< of all methods but SGD
    std::size_t seeds = 5;
    std::size_t pictures = 12'800, tests = 2'000; ///< the first of each set; so all replicas have whole minibatches
    std::size_t hidden = 32;                      ///< units of the hidden layer
    std::size_t minibatch = 32;                   ///< of SGD, and of a replica of Downpour
    std::size_t epochs = 20;                      ///< of SGD and Downpour, over all replicas
    std::size_t batch_epochs = 32;                ///< of Sandblaster, whose batch is all pictures
    std::size_t portions = 400;                   ///< of that batch
    double fixed_rate = 0.1, adagrad_rate = 0.01;
    double target = 0.75;                        ///< the accuracy of the second figure
    int servers = 4;                             ///< of all methods but SGD
    double picture_s = 2e-4, spread = 0.2;       ///< the median of a picture's computing; the logarithm's deviation
    double slow_chance = 0.05, slow_factor = 10; ///< of stragglers: draws that take so many times as long
    std::string cluster = "cloud-25g";
    int ranks_a_node = 8; ///< of that cluster
};

[[nodiscard]] inline design design_of(const settings& s) {
    design d;
    if (s.quick) {
        d.replicas = {2, 5};
        d.seeds = 2;
        d.pictures = 640;
        d.tests = 200;
        d.hidden = 12;
        d.epochs = 6;
        d.batch_epochs = 12;
        d.portions = 20;
        d.target = 0.4;
    }
    if (s.seeds > 0) d.seeds = s.seeds;
    if (s.epochs > 0) d.epochs = s.epochs;
    return d;
}

/// One training of a design.
struct run {
    method how = method::sgd;
    int replicas = 1;
    bool stragglers = false;
    std::uint64_t seed = 1;

    [[nodiscard]] int ranks(const design& d) const noexcept { return how == method::sgd ? 2 : d.servers + replicas; }
};

/// Seed by seed, so that the time that is left is guessed well.
[[nodiscard]] inline std::vector<run> runs_of(const design& d) {
    std::vector<run> all;
    for (std::uint64_t seed = 1; seed <= d.seeds; ++seed)
        for (const bool stragglers : {false, true}) {
            all.push_back({method::sgd, 1, stragglers, seed});
            for (const int n : d.replicas)
                for (const method m : {method::fixed_rate, method::adagrad, method::sandblaster})
                    all.push_back({m, n, stragglers, seed});
        }
    return all;
}

[[nodiscard]] inline train_settings settings_of(const design& d, const run& r) {
    const bool is_batch = r.how == method::sandblaster;
    train_settings s;
    s.mode = r.how == method::sgd ? "bsp" : is_batch ? "sandblaster" : "downpour";
    s.transport = "simulated";
    s.hidden = {d.hidden};
    s.seed = r.seed;
    s.schedule = "constant";
    s.optimizer = r.how == method::adagrad ? "adagrad" : "sgd";
    s.learning_rate = r.how == method::adagrad ? d.adagrad_rate : d.fixed_rate;
    s.batch = is_batch ? d.pictures : d.minibatch * static_cast<std::size_t>(r.replicas);
    s.epochs = is_batch ? d.batch_epochs : d.epochs;
    if (is_batch) s.portions = d.portions;
    s.servers = r.how == method::sgd ? 1 : d.servers;
    s.virtual_ranks = s.ranks = r.ranks(d);
    s.cluster = d.cluster;
    const double pictures =
        is_batch ? static_cast<double>(d.pictures) / static_cast<double>(d.portions) : static_cast<double>(d.minibatch);
    s.compute = fmt::format("lognormal({}us,{})", 1e6 * d.picture_s * pictures, d.spread);
    if (r.stragglers) s.stragglers = fmt::format("random({},{}x)", d.slow_chance, d.slow_factor);
    return s;
}

} // namespace tutti::tools::study::distbelief
