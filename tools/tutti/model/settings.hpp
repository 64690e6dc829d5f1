// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "lecture.hpp"
#include "priced_machine.hpp"
#include "pricing.hpp"

#include <string>
#include <vector>

/// The parts of `tutti model`.
namespace tutti::tools {

/// What the command line asks for.
struct model_settings {
    std::string ranks;
    std::string bytes = "8..64M*16";
    std::string operation = "allreduce";
    std::string algorithm; ///< empty: all, or those of the lecture
    machine_words machine;
    bool one_gpu = false; ///< ranks share a GPU
    pricing_settings how;
    std::vector<std::string> measured;
    std::string csv, json, html, trace;
    bool lecture = false;
    lecture_settings of_lecture;
    std::string step;
};

/// Prices all that is asked for, prints it and writes the files. Throws std::invalid_argument where the settings make
/// no sense, and std::system_error where a file cannot be written, before anything is priced. Returns the exit status.
int report_prices(const model_settings& settings);
/// The same for the GPUs of a host.
int report_gpus(model_settings settings, const priced_gpus& by);
/// Prints the lecture for all numbers of ranks that are asked for. Returns the exit status.
int report_lecture(const model_settings& settings);

} // namespace tutti::tools
