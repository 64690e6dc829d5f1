// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "report.hpp"

#include "../common/text_output.hpp"
#include "learning_rates.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutti::tools {
namespace {

// Bounds of the share of the time under way in which rank 0 did not wait: "40-60%".
std::string hidden_words(const epoch_result& e) {
    if (e.under_way_most <= 0) return "-";
    const auto share = [&e](double under_way) {
        return 100 * std::max(0., under_way - e.exposed_seconds) / e.under_way_most;
    };
    return fmt::format("{:.0f}-{:.0f}%", share(e.under_way_least), share(e.under_way_most));
}

} // namespace

train_report::train_report(const train_settings& settings, int ranks, std::size_t parameters, const pictures& of)
    : settings_(settings), ranks_(ranks), steps_(of.steps()), quiet_(settings.json == "-") {
    if (quiet_) return;
    std::string widths;
    for (std::size_t width : settings.hidden) widths += fmt::format("{}{}", widths.empty() ? "" : ", ", width);
    fmt::print("# tutti train: {} ranks over {}, {} training pictures ({}), hidden layers of {}, {} parameters\n",
               ranks, settings.transport, of.size(), of.data(), widths, parameters);
    fmt::print("# {} steps an epoch, batches of {}, {} by {} at a rate of {}, gradients averaged by {}\n", of.steps(),
               settings.batch, settings.mode, settings.optimizer, peak_rate(settings), settings.algorithm);
    fmt::print("{:>5} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9}  {}\n", "epoch", "loss", "train", "test", "seconds",
               "exposed", "hidden", "bytes", "weights");
    std::fflush(stdout);
}

void train_report::add(const epoch_result& e) {
    epochs_.push_back(e);
    line_.clear();
    if (quiet_) return;
    fmt::print("{:>5} {:>9.4f} {:>8.2f}% {:>8.2f}% {:>9.2f} {:>7.0f}% {:>8} {:>9}  {:016x} {}\n", e.epoch, e.loss,
               100 * e.train_accuracy, 100 * e.test_accuracy, e.seconds, 100 * e.exposed_seconds / e.seconds,
               hidden_words(e), e.bytes[0] + e.bytes[1] + e.bytes[2], e.weights_hash,
               e.weights_agree ? fmt::format("bit-identical on all {} ranks", ranks_) : "DIFFER");
    std::fflush(stdout);
}

void train_report::show(std::size_t epoch, std::size_t step) {
    if (step % 16 == 0)
        line_.show(fmt::format("epoch {} of {}, step {} of {}", epoch, settings_.epochs, step + 1, steps_));
}

void train_report::interrupted(std::size_t step) {
    line_.clear();
    fmt::print(stderr, "interrupted after step {}{}\n", step,
               settings_.checkpoint.empty() ? "" : ", which " + settings_.checkpoint + " has");
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
                                         {"exposed_seconds", e.exposed_seconds},
                                         {"under_way_seconds_least", e.under_way_least},
                                         {"under_way_seconds_most", e.under_way_most},
                                         {"parameter_bytes", e.bytes[0]},
                                         {"gradient_bytes", e.bytes[1]},
                                         {"state_bytes", e.bytes[2]},
                                         {"mode", settings_.mode},
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
