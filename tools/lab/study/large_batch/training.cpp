// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "training.hpp"

#include "../../train/trainer.hpp"

#include <collectives/any_communicator.hpp>
#include <transport/memory.hpp>

namespace tutti::tools::study {

std::vector<double> test_errors(const train_settings& settings) {
    const auto alone = transport::memory_world::create(1);
    const any_communicator world = type_erased(communicator{transport::memory{alone, 0}});
    trainer one{world, settings};
    std::vector<double> errors;
    while (errors.size() < settings.epochs) {
        const auto result = one.run([](std::size_t, double) {});
        if (!result) break; // interrupted
        errors.push_back(1 - result->test_accuracy);
    }
    return errors;
}

} // namespace tutti::tools::study
