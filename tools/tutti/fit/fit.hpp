// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/model/fit.hpp>
#include <collectives/model/residuals.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// The parts of `tutti fit`.
namespace tutti::tools {

/// What the command line asks for.
struct fit_settings {
    std::vector<std::string> transports{"shared_memory", "tcp"};
    std::vector<int> ranks{2, 4};
    int rounds = 3;
    double seconds = 0.008;
    std::size_t largest = std::size_t{64} << 20;
    std::string machine; ///< files to write; empty: none
    std::string json;
    std::string markdown;
};

/// The sizes at which parameters are fitted and residuals kept.
[[nodiscard]] std::vector<std::size_t> fitted_sizes(const fit_settings& settings);
/// Those between them, at which what was found is put to the test.
[[nodiscard]] std::vector<std::size_t> tested_sizes(const fit_settings& settings);

/// One call as it was measured, and as the machine that was fitted has it.
struct observed {
    std::string transport;
    std::string algorithm; ///< as the command line names it
    model::collective what;
    bool kept = false;           ///< at a fitted size: its residual is kept
    bool fitted = false;         ///< the parameters rest on it
    std::vector<double> seconds; ///< by round, ascending
    double predicted_s = 0;      ///< by the parameters
    double corrected_s = 0;      ///< by parameters and residuals

    /// The lower quartile of the rounds: what disturbs makes them longer.
    [[nodiscard]] double typical_s() const { return seconds[(seconds.size() - 1) / 4]; }
    /// How much longer the middle round took, relative to that.
    [[nodiscard]] double spread() const { return seconds[seconds.size() / 2] / typical_s() - 1; }
    /// Predicted over measured, less 1.
    [[nodiscard]] double error() const { return predicted_s / typical_s() - 1; }
    [[nodiscard]] double corrected_error() const { return corrected_s / typical_s() - 1; }
};

struct measurements {
    std::vector<observed> all;
    double other_cores = 0; ///< that other work used meanwhile, on average
};

/// Runs `tutti bench` again and again. Throws std::runtime_error with what it said if it fails.
[[nodiscard]] measurements measure(const fit_settings& settings);

/// A transport's machine, and what it rests on.
struct fitted_transport {
    std::string name;
    model::fitted fit;
    model::residuals residual;

    [[nodiscard]] model::calibrated_machine machine() const { return {fit.found, residual}; }
};

/// What was found, as Markdown that can be read as it is; `where` says where and when it was measured.
[[nodiscard]] std::string fit_report(const fit_settings& settings, const measurements& m,
                                     const std::vector<fitted_transport>& found, const std::string& where);
/// All measurements, an object a row.
[[nodiscard]] std::string fit_json(const measurements& m);

} // namespace tutti::tools
