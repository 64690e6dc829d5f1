// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "train.hpp"

#include <training/parameter_server.hpp>

#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tutti::tools {

[[nodiscard]] inline std::chrono::nanoseconds silence_of(const train_settings& s) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(s.silence));
}

/// Who serves, and who computes.
struct server_ranks {
    std::vector<int> servers; ///< the first ranks, settings.servers of them
    std::vector<int> others;
};

/// Throws std::invalid_argument where none is left to be what the others are called.
[[nodiscard]] inline server_ranks server_ranks_of(const train_settings& s, int ranks, const std::string& other) {
    if (ranks <= s.servers)
        throw std::invalid_argument(std::to_string(s.servers) + " servers of " + std::to_string(ranks) +
                                    " ranks leave no " + other);
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return {{all.begin(), all.begin() + s.servers}, {all.begin() + s.servers, all.end()}};
}

/// Weights are on servers, and workers are not in step but for bsp.
[[nodiscard]] inline bool has_servers(const train_settings& s) {
    return s.mode == "bsp" || s.mode == "ssp" || s.mode == "asynchronous" || s.mode == "downpour";
}

[[nodiscard]] inline training::server::consistency consistency_of(const train_settings& s) {
    if (s.mode == "bsp") return training::server::bulk_synchronous;
    if (s.mode == "ssp") return training::server::bounded_staleness(s.staleness);
    return training::server::asynchronous;
}

/// The first ranks serve, the others work. Throws std::invalid_argument where none is left to work.
[[nodiscard]] inline training::server::store_layout store_layout_of(const train_settings& s, std::uint64_t weights,
                                                                    int ranks) {
    server_ranks of = server_ranks_of(s, ranks, "worker");
    return {weights, std::move(of.servers), std::move(of.others)};
}

/// Calls act(rule) with the rule of the servers.
void with_rule(const std::string& optimizer, const auto& act) {
    if (optimizer == "momentum") return act(training::momentum{});
    if (optimizer == "adam") return act(training::adam{});
    if (optimizer == "adagrad") return act(training::adagrad{});
    act(training::sgd{});
}

} // namespace tutti::tools
