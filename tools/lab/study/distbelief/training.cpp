// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "training.hpp"

#include "../../train/out_of_step.hpp"
#include "../../train/sandblaster/portion_maths.hpp"
#include "../../train/sandblaster/virtual_time.hpp"

#include <algorithm>

namespace tutti::tools::study::distbelief {
namespace {

constexpr std::size_t tests_of_a_run = 40; ///< about

/// Steps of the first worker from one test to the next.
std::size_t steps_between_tests(const design& d, const run& r) {
    const std::size_t steps = d.epochs * d.pictures / (d.minibatch * static_cast<std::size_t>(r.replicas));
    return std::max<std::size_t>(1, steps / tests_of_a_run);
}

} // namespace

numbers accuracies(const design& d, const run& r, const picture_sets& pictures) {
    const train_settings s = settings_of(d, r);
    numbers found;
    const auto note = [&found](const auto& tests) {
        for (const auto& t : tests) found.insert(found.end(), {t.seconds, t.accuracy});
    };
    if (r.how == method::sandblaster) {
        portion_maths maths(s, {.tested = {}, .pictures = &pictures});
        note(sandblaster_in_virtual_time(s, maths).tests);
    } else {
        note(train_out_of_step(s, steps_between_tests(d, r), &pictures).tests);
    }
    return found;
}

} // namespace tutti::tools::study::distbelief
