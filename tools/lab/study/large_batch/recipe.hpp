// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../train/dataset.hpp"
#include "../../train/pictures.hpp"
#include "../study.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools::study {

/// How the learning rate follows from the minibatch.
enum class recipe : unsigned char {
    plain,  ///< the same for all
    scaled, ///< in proportion
    warmed, ///< likewise, reached from that of the smallest minibatch by gradual warm-up
    lars,   ///< layer-wise adaptive rates at one rate for all, with the same warm-up
};
inline constexpr std::array recipes{recipe::plain, recipe::scaled, recipe::warmed, recipe::lars};

[[nodiscard]] constexpr std::string_view name_of(recipe r) noexcept {
    constexpr std::array<std::string_view, recipes.size()> names{"no rule", "linear scaling",
                                                                 "linear scaling and warm-up", "LARS"};
    return names[static_cast<std::size_t>(r)];
}

/// Everything that the trainings of a study have in common, and what differs between them.
struct design {
    std::vector<std::size_t> minibatches;
    std::size_t seeds = 5, epochs = 8;
    std::size_t drawn = 0;    ///< training pictures that are drawn; 0: they are read from `data`
    std::string data;         ///< directory of the IDX files
    std::size_t hidden = 128; ///< units of the hidden layer
    double base_rate = 0.01;  ///< of momentum, at the smallest minibatch
    double lars_rate = 5;     ///< of LARS, at all
    double warm_up_epochs = 2;
    std::size_t microbatch = 512; ///< pictures that are computed at once, at most
};

[[nodiscard]] inline design design_of(const settings& s) {
    design d;
    const bool draws = s.data == drawn_data || (s.data.empty() && (s.quick || !has_digits(fashion_mnist)));
    d.data = draws ? "" : s.data.empty() ? fashion_mnist : s.data;
    if (draws) d.drawn = s.quick ? 1024 : 20'000; // more than the largest minibatch
    for (std::size_t m = 32; m <= (s.quick ? 512U : 16'384U); m *= s.quick ? 4 : 2) d.minibatches.push_back(m);
    if (s.quick) d.hidden = 32;
    d.seeds = s.seeds > 0 ? s.seeds : s.quick ? 2 : 5;
    d.epochs = s.epochs > 0 ? s.epochs : s.quick ? 3 : 8;
    d.warm_up_epochs = static_cast<double>(d.epochs) / 4;
    return d;
}

/// One training of a design.
struct run {
    recipe how = recipe::plain;
    std::size_t minibatch = 0;
    std::uint64_t seed = 1;
};

/// Seed by seed, so that the time that is left is guessed well.
[[nodiscard]] inline std::vector<run> runs_of(const design& d) {
    std::vector<run> all;
    for (std::size_t seed = 1; seed <= d.seeds; ++seed)
        for (const std::size_t minibatch : d.minibatches)
            for (const recipe r : recipes) all.push_back({r, minibatch, seed});
    return all;
}

/// A step has momentum 0.9 in the convention of PyTorch, which needs no momentum correction: Goyal et al. 2017,
/// section 3.
[[nodiscard]] inline train_settings settings_of(const design& d, const run& r) {
    train_settings s;
    s.data = d.data;
    s.pictures = d.drawn;
    s.hidden = {d.hidden};
    s.algorithm = "ring"; // of one rank
    s.epochs = d.epochs;
    s.batch = r.minibatch;
    s.microbatches = (r.minibatch + d.microbatch - 1) / d.microbatch;
    s.seed = r.seed;
    s.schedule = "cosine";
    s.optimizer = r.how == recipe::lars ? "lars" : "momentum";
    s.learning_rate = r.how == recipe::lars ? d.lars_rate : d.base_rate;
    if (r.how == recipe::scaled || r.how == recipe::warmed) s.reference_batch = d.minibatches.front();
    if (r.how == recipe::warmed || r.how == recipe::lars) s.warm_up_epochs = d.warm_up_epochs;
    return s;
}

} // namespace tutti::tools::study
