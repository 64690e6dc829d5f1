// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "parameters.hpp"

#include "../common/quantities.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

std::string bandwidth_of(double s_per_byte) {
    return s_per_byte == 0 ? "-"
                           : fmt::format("{} ({})", time_per_byte_text(s_per_byte), bandwidth_text(8 / s_per_byte));
}

void add_links(const model::hockney& p, model_parameters& all) {
    all.columns = {"link", "alpha: a message", "beta: a byte", "gamma: to reduce a byte"};
    all.links = {{"between all ranks", time_text(p.alpha_s), bandwidth_of(p.beta_s_per_byte),
                  time_per_byte_text(p.gamma_s_per_byte)}};
}

std::string lengths(const model::link& l, int k) {
    if (l.count == 1) return "all";
    const auto upper = [&](int range) {
        return bytes_text(static_cast<double>(l.ranges[static_cast<std::size_t>(range)].most_bytes));
    };
    return k + 1 < l.count ? "up to " + upper(k) : "beyond " + upper(k - 1);
}

void add_link(std::string_view name, const model::link& l, model_parameters& all) {
    for (int k = 0; k < l.count; ++k) {
        const model::loggp& p = l.ranges[static_cast<std::size_t>(k)].cost;
        all.links.push_back({std::string(name), lengths(l, k), time_text(p.latency_s), time_text(p.overhead_s),
                             time_text(p.gap_s), bandwidth_of(p.gap_s_per_byte),
                             time_per_byte_text(p.overhead_s_per_byte), time_per_byte_text(p.gamma_s_per_byte),
                             time_per_byte_text(p.copy_s_per_byte)});
    }
}

const std::vector<std::string> loggp_columns{
    "link",           "messages",  "L: on the wire",           "o: a processor's, at either end",
    "g: between two", "G: a byte", "O: a processor's, a byte", "gamma: to reduce a byte",
    "to copy a byte"};

void add_links(const model::loggp& p, model_parameters& all) {
    all.columns = loggp_columns;
    add_link("between all ranks", p, all);
}

void add_shared(const model::machine& m, model_parameters& all) {
    const auto fact = [&](bool told, std::string name, std::string value) {
        if (told) all.facts.emplace_back(std::move(name), std::move(value));
    };
    fact(m.nics > 0, "Adapters of a node", std::to_string(m.nics));
    fact(m.oversubscription != 1, "Network between nodes", fmt::format("oversubscribed {} times", m.oversubscription));
    fact(m.call_s > 0, "A call, besides its steps", time_text(m.call_s));
    fact(m.switch_s > 0, "Until a core works for another rank", time_text(m.switch_s));
    fact(m.crowded_latency_s > 0, "Latency on top where ranks share cores", time_text(m.crowded_latency_s));
    fact(m.cache_bytes > 0, "Caches of a node", bytes_text(m.cache_bytes));
    fact(m.miss_s_per_byte > 0, "A byte beyond the caches", time_per_byte_text(m.miss_s_per_byte));
    fact(m.fan_in.epsilon_s_per_byte > 0, "A byte, for each sender beyond " + std::to_string(m.fan_in.threshold),
         time_per_byte_text(m.fan_in.epsilon_s_per_byte));
}

void add_links(const model::calibrated_machine& m, model_parameters& all) {
    all.columns = loggp_columns;
    if (m.near == m.far) {
        add_link("between all ranks", m.near, all);
    } else {
        add_link("within a node", m.near, all);
        add_link("between nodes", m.far, all);
    }
    add_shared(m, all);
}

} // namespace

model_parameters parameters_of(const pricing& prices, int most_ranks) {
    const priced_machine& by = prices.by();
    model_parameters all{by.name.empty() ? by.description : by.name, prices.nodes_hint(most_ranks), {}, {}, {}};
    if (!by.made.empty()) all.facts.emplace_back("Made", by.made);
    if (!prices.nodes().empty()) all.facts.emplace_back("Nodes", prices.nodes());
    std::visit([&](const auto& p) { add_links(p, all); }, by.parameters);
    all.facts.emplace_back("Simulation", prices.rule());
    return all;
}

} // namespace tutti::tools
