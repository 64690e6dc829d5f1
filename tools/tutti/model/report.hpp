// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "crossovers.hpp"

#include <collectives/schedule/activity.hpp>
#include <collectives/schedule/draw/timeline.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::tools {

/// One algorithm at one number of ranks and one size. What is not known is absent, and null in JSON.
struct model_row {
    std::string operation;
    std::string algorithm;
    int ranks = 1;
    std::size_t bytes = 0; ///< of the whole vector
    std::optional<long long> depth;
    std::optional<long long> rounds;
    std::optional<long long> messages; ///< of all ranks
    std::optional<long long> bytes_sent_max;
    std::optional<long long> bytes_received_max;
    std::optional<long long> fan_in_max;
    std::optional<long long> total_bytes; ///< sent by all ranks
    std::optional<double> closed_form_us;
    std::optional<double> simulated_us; ///< of all, or of estimates that could win
    std::optional<double> measured_us;
    bool closed_form_is_exact = false;    ///< for the schedule as it is; else an estimate
    int segments = 1;                     ///< into which each chunk is cut
    int ranks_per_node = 1;               ///< of a hierarchical algorithm
    std::optional<long long> far_bytes{}; ///< sent between its nodes; known of lectures alone
    /// The closed form is so many alphas, betas times bytes, and gammas times bytes; known of lectures alone.
    std::optional<std::array<double, 3>> terms{};
    int auto_segments = 0; ///< in so many the library would choose it; 0: it would not
};

/// Who is the fastest of one operation on so many ranks, from the smallest to the largest size of its rows.
struct model_fastest {
    std::string operation;
    int ranks = 1;
    bool simulated = false;         ///< by the simulated time, else by that of the closed form
    std::string at_smallest;        ///< at the smallest size; ~ first where an estimate says so; empty where no time is
                                    ///< known; both also in the changes
    std::vector<crossover> changes; ///< in order of size
};

/// A small schedule as it was simulated or measured.
struct model_timeline {
    std::string operation;
    std::string algorithm;
    int ranks = 1;
    std::size_t bytes = 0;
    std::vector<schedule::activity> activities;
};

/// The machine's parameters, as a table.
struct model_parameters {
    std::string summary;                                    ///< one short line, which says which machine it is
    std::string hint;                                       ///< what to do about ranks that share cores; mostly empty
    std::vector<std::pair<std::string, std::string>> facts; ///< by name: all that is not of a link
    std::vector<std::string> columns;                       ///< of the links
    std::vector<std::vector<std::string>> links;            ///< a line for each link and range of message lengths
};

/// A schedule on few ranks, to be looked at.
struct model_picture {
    std::string svg;
    std::vector<schedule::draw::message> messages;              ///< by round
    std::vector<std::vector<std::vector<std::uint32_t>>> holds; ///< as holdings_of() has it
};

/// One way to sum, of a lecture.
struct model_lesson {
    std::string title;
    std::string algorithm;
    std::string other_name;               ///< what textbooks call it, or empty
    std::string reason;                   ///< a text with names in braces, where counted figures go
    std::array<std::string, 3> formula{}; ///< what alpha, beta and gamma are multiplied by; empty where no one knows
    std::map<int, model_picture> on;      ///< by the number of ranks
};

/// What a page has that is a lecture.
struct model_lecture {
    std::vector<model_lesson> lessons{};
    std::size_t bytes = 0; ///< of the gradients of one step
    double step_s = 0;
    std::optional<std::array<double, 3>> hockney{}; ///< alpha, beta and gamma in seconds, where the machine has them
};

/// All that a report shows.
struct model_report {
    std::string machine; ///< the parameters and where they come from, a sentence with units
    std::vector<model_row> rows;
    std::vector<model_timeline> timelines;
    std::vector<model_fastest> fastest; ///< one for each operation and number of ranks, where there is a choice
    model_parameters parameters{};      ///< the same as `machine`; without a summary the page has no table
    model_lecture lecture{};            ///< without lessons the page is none
    bool compares_forms = false; ///< the page compares times of closed forms, and for some rows the simulated one
};

} // namespace tutti::tools
