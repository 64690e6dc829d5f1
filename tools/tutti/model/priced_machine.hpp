// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/model/gpu_host.hpp>
#include <collectives/model/residuals.hpp>

#include <optional>
#include <string>
#include <variant>

namespace CLI {
class App;
}

namespace tutti::tools {

/// What the command line says of the machine: words, empty where it says nothing.
struct machine_words {
    std::string file;      ///< --machine
    std::string transport; ///< --transport: which one of the file
    std::string alpha, beta, gamma;
    std::string loggp;           ///< "L,o,g,G"
    int nics = 0;                ///< --nics: adapters of a node; 0: not said
    double oversubscription = 0; ///< of the network between nodes; 0: not said
};

/// Adds the options that say it.
void add_machine(CLI::App& command, machine_words& words);
/// True if any of them was given.
[[nodiscard]] inline bool says_anything(const machine_words& w) noexcept {
    return !(w.file.empty() && w.alpha.empty() && w.beta.empty() && w.gamma.empty() && w.loggp.empty() && w.nics == 0 &&
             w.oversubscription == 0);
}

/// What schedules are priced by, and the sentence that says so to the reader.
struct priced_machine {
    std::variant<model::hockney, model::loggp, model::calibrated_machine> parameters;
    std::string description; ///< with units, and where the figures come from
    std::string name{};      ///< of a file: the transport and the file; else empty
    std::string made{};      ///< of a file: when, where and how the figures came about
};

/// Where nothing is said of the machine: a cluster whose ranks have a port of 25 Gbit/s each.
inline constexpr model::hockney cluster_25g{10e-6, 8 / 25e9, 0.1e-9};

/// Throws std::invalid_argument where the words exclude each other or one of them means nothing, and tutti::error where
/// the file does.
[[nodiscard]] priced_machine machine_of(const machine_words& words);

/// The GPUs of a machine file, and where their figures come from.
struct priced_gpus {
    model::gpu_host gpus;
    std::string file, made;
};
/// The GPUs of the file, where it has nothing else, or --transport names them `gpus`; else none. Throws as
/// machine_of().
[[nodiscard]] std::optional<priced_gpus> gpus_of(const machine_words& words);

/// The machine that the simulator runs on. Hockney's prices by his rule, whose alpha is L + 2o.
[[nodiscard]] model::calibrated_machine simulated_machine(const priced_machine& by);

} // namespace tutti::tools
