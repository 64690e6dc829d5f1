// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "report.hpp"

#include "../common/text_output.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutti::tools {

train_report::train_report(const train_settings& settings, int ranks, std::size_t parameters, std::size_t pictures,
                           std::size_t steps, const std::string& data)
    : settings_(settings), ranks_(ranks), quiet_(settings.json == "-") {
    if (quiet_) return;
    std::string widths;
    for (std::size_t width : settings.hidden) widths += fmt::format("{}{}", widths.empty() ? "" : ", ", width);
    fmt::print("# tutti train: {} ranks over {}, {} training pictures ({}), hidden layers of {}, {} parameters\n",
               ranks, settings.transport, pictures, data, widths, parameters);
    fmt::print("# {} steps an epoch, batches of {}, learning rate {}, gradients averaged by allreduce({})\n", steps,
               settings.batch, settings.learning_rate, settings.algorithm);
    fmt::print("{:>5} {:>9} {:>9} {:>9} {:>9} {:>11}  {}\n", "epoch", "loss", "train", "test", "seconds",
               "in allreduce", "weights");
    std::fflush(stdout);
}

void train_report::add(const epoch_result& e) {
    epochs_.push_back(e);
    if (quiet_) return;
    fmt::print("{:>5} {:>9.4f} {:>8.2f}% {:>8.2f}% {:>9.2f} {:>11.0f}%  {:016x} {}\n", e.epoch, e.loss,
               100 * e.train_accuracy, 100 * e.test_accuracy, e.seconds, 100 * e.communication_seconds / e.seconds,
               e.weights_hash, e.weights_agree ? fmt::format("bit-identical on all {} ranks", ranks_) : "DIFFER");
    std::fflush(stdout);
}

void train_report::finish() const {
    if (settings_.json.empty()) return;
    std::string text;
    for (const epoch_result& e : epochs_) {
        const nlohmann::ordered_json one{{"epoch", e.epoch},
                                         {"loss", e.loss},
                                         {"train_accuracy", e.train_accuracy},
                                         {"test_accuracy", e.test_accuracy},
                                         {"seconds", e.seconds},
                                         {"communication_seconds", e.communication_seconds},
                                         {"ranks", ranks_},
                                         {"transport", settings_.transport},
                                         {"algorithm", settings_.algorithm},
                                         {"weights_hash", fmt::format("{:016x}", e.weights_hash)},
                                         {"weights_agree", e.weights_agree}};
        text += (text.empty() ? "[" : ",\n") + one.dump();
    }
    write_whole(text + "\n]\n", settings_.json);
}

} // namespace tutti::tools
