// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "report.hpp"

#include "../common/text_output.hpp"
#include "learning_rates.hpp"
#include "rank_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>
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

std::string words_of_model(const train_settings& s) {
    if (s.model == "transformer")
        return fmt::format("a transformer of {} layers of width {}, {} heads", s.layers, s.width, s.heads);
    return fmt::format("hidden layers of {}", fmt::join(s.hidden, ", "));
}

// The columns that tell how well it has learned.
std::string score_titles(bool is_text) {
    if (is_text) return fmt::format("{:>9} {:>9} {:>10} {:>9}", "loss", "test", "perplexity", "bits/char");
    return fmt::format("{:>9} {:>9} {:>9}", "loss", "train", "test");
}
std::string score_words(bool is_text, const epoch_result& e) {
    if (is_text)
        return fmt::format("{:>9.4f} {:>9.4f} {:>10.3f} {:>9.3f}", e.loss, e.test_loss, std::exp(e.test_loss),
                           e.test_loss / std::numbers::ln2);
    return fmt::format("{:>9.4f} {:>8.2f}% {:>8.2f}%", e.loss, 100 * e.train_accuracy, 100 * e.test_accuracy);
}

// What is the same after each epoch.
std::string words_of_same(const train_settings& s, int ranks) {
    const grid_shape of = grid_of(s, ranks);
    if (of.data == ranks) return fmt::format("bit-identical on all {} ranks", ranks);
    const std::string grid = fmt::format("{} x {} x {} ranks", of.data, of.stages, of.tensor);
    return of.data > 1 ? fmt::format("bit-identical in all {} replicas of {}", of.data, grid) : "in parts on " + grid;
}

} // namespace

train_report::train_report(const train_settings& settings, int ranks, std::size_t parameters, const task& of)
    : settings_(settings), ranks_(ranks), steps_(of.steps()), same_(words_of_same(settings, ranks)),
      quiet_(settings.json == "-") {
    if (quiet_) return;
    fmt::print("# tutti train: {} ranks over {}, {}, {}, {} parameters\n", ranks, settings.transport, of.words(),
               words_of_model(settings), parameters);
    fmt::print("# {} steps an epoch, batches of {}, {} by {} at a rate of {}, gradients averaged by {}\n", of.steps(),
               settings.batch, settings.mode, settings.optimizer, peak_rate(settings), settings.algorithm);
    fmt::print("{:>5} {} {:>9} {:>8} {:>8} {:>9}  {}\n", "epoch", score_titles(settings.model == "transformer"),
               "seconds", "exposed", "hidden", "bytes", "weights");
    std::fflush(stdout);
}

void train_report::add(const epoch_result& e) {
    epochs_.push_back(e);
    line_.clear();
    if (quiet_) return;
    fmt::print("{:>5} {} {:>9.2f} {:>7.0f}% {:>8} {:>9}  {:016x} {}\n", e.epoch,
               score_words(settings_.model == "transformer", e), e.seconds, 100 * e.exposed_seconds / e.seconds,
               hidden_words(e), e.bytes[0] + e.bytes[1] + e.bytes[2], e.weights_hash,
               e.weights_agree ? same_ : "DIFFER");
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
                                         {"test_loss", e.test_loss},
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
