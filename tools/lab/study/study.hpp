// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../tutti/common/progress.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// Experiments that reproduce a figure which papers have: the parts of `tutti study`.
namespace tutti::tools::study {

struct settings {
    std::string name;      ///< of the study
    std::string out;       ///< the page's file; empty: NAME.html
    std::string json;      ///< the data's file, if any
    std::string data;      ///< a directory of MNIST's files, or "drawn"; empty: what is installed, else drawn
    std::size_t seeds = 0; ///< 0: the study's own, as for the two below
    std::size_t epochs = 0;
    std::size_t jobs = 0;  ///< processes at once; 0: one a core
    bool quick = false;    ///< tiny, to see what a page looks like
    std::string as_rank{}; ///< of a rank that a study has started: the file to which rank 0 writes what it measured
    std::vector<double> sleeps{}; ///< likewise: seconds that it sleeps in place of computing
};

/// What a study found.
struct outcome {
    std::string text;             ///< for the terminal
    nlohmann::ordered_json page;  ///< what sections_page() takes
    nlohmann::ordered_json facts; ///< all that was measured, for the JSON file
};

/// A study by its name. `line` shows how far it is.
struct entry {
    std::string_view name;
    std::string_view purpose;
    outcome (*run)(const settings& s, progress_line& line);
};

/// Test error against the size of a minibatch: Goyal et al. 2017.
outcome large_batch(const settings& s, progress_line& line);

/// BSP, SSP and asynchronous workers of a parameter server under three models of stragglers: Ho et al. 2013.
outcome stale_workers(const settings& s, progress_line& line);
/// How often weights are averaged: Wang and Joshi 2019.
outcome adacomm_study(const settings& s, progress_line& line);
/// Compressed gradients over slow and fast links: Renggli et al. 2019, Alistarh et al. 2017, Vogels et al. 2019.
outcome compression_study(const settings& s, progress_line& line);
/// Threads that share weights, with locks and without: Niu et al. 2011.
outcome hogwild_study(const settings& s, progress_line& line);

/// GPipe, 1F1B, interleaved 1F1B and PipeDream: Huang et al. 2019, Narayanan et al. 2019 and 2021. It has ranks
/// started, each of which calls pipeline_rank().
outcome pipelines(const settings& s, progress_line& line);
void pipeline_rank(const settings& s);

/// SGD, Downpour SGD and Sandblaster L-BFGS in virtual time: Dean et al. 2012.
outcome distbelief_methods(const settings& s, progress_line& line);

} // namespace tutti::tools::study
