// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "train.hpp"

#include <training/learning_rate.hpp>

#include <functional>

namespace tutti::tools {

/// The learning rate of the optimizer where the command line names none.
[[nodiscard]] inline double usual_rate(const std::string& optimizer) {
    if (optimizer == "adam") return 0.001;
    if (optimizer == "adagrad") return 0.01;
    if (optimizer == "lars") return 2;
    return optimizer == "momentum" ? 0.03 : 0.2;
}

/// The highest rate, after the warm-up.
[[nodiscard]] inline double peak_rate(const train_settings& s) {
    const double base = s.learning_rate > 0 ? s.learning_rate : usual_rate(s.optimizer);
    return s.reference_batch > 0 ? training::linear_scaling(base, s.batch, s.reference_batch) : base;
}

/// The learning rate by the step, which counts from 0.
[[nodiscard]] inline std::function<double(std::size_t)> learning_rates(const train_settings& s,
                                                                       std::size_t steps_an_epoch) {
    const double peak = peak_rate(s);
    const auto warm = static_cast<std::size_t>(s.warm_up_epochs * static_cast<double>(steps_an_epoch));
    const double from = s.reference_batch > 0 ? training::linear_scaling(peak, s.reference_batch, s.batch) : peak / 10;
    if (s.schedule == "cosine") return training::warm_up{training::cosine{peak, s.epochs * steps_an_epoch}, warm, from};
    return training::warm_up{training::constant{peak}, warm, from};
}

} // namespace tutti::tools
