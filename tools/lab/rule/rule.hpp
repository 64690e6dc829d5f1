// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/choice/default_choice.hpp>
#include <collectives/model/residuals.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// The parts of `tutti rule`.
namespace tutti::tools {

/// A machine by which the rule is judged.
struct judge {
    std::string name;
    model::calibrated_machine machine;
};

/// What is to be judged: every combination.
struct rule_question {
    std::vector<judge> judges;
    std::vector<schedule::operation> operations;
    std::vector<int> nodes; ///< ranks per node
    std::vector<int> ranks;
    std::vector<std::size_t> bytes;
    std::size_t most_messages = 0; ///< that are simulated; calls with more are estimated
};

/// A call by one machine: what the rule takes, what costs least, and the times of both.
struct judged_call {
    std::size_t judge, node; ///< numbers in the question
    schedule::operation what;
    int ranks;
    std::size_t bytes;
    model::selection taken, best;
    double taken_s = 0, best_s = 0;

    /// 1 at least: the best is the rule's choice where none is faster.
    [[nodiscard]] double times() const noexcept { return taken_s > best_s && best_s > 0 ? taken_s / best_s : 1; }
};

/// Judges one operation in nodes of one width by one machine, in the order of ranks, then bytes. The candidates are the
/// library's, priced as for a choice.
[[nodiscard]] std::vector<judged_call> judge_rule(const rule_question& q, std::size_t judge, schedule::operation what,
                                                  std::size_t node);

/// The map of the worst of all judges, as SVG: a panel for each operation and width of nodes.
[[nodiscard]] std::string picture_of(const rule_question& q, const std::vector<judged_call>& all);

/// "ring", or "chain in 16 segments".
[[nodiscard]] std::string text_of(const model::selection& s);
/// "1 rank a node".
[[nodiscard]] std::string node_text(int ranks_per_node);

} // namespace tutti::tools
