// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "priced_machine.hpp"

#include "../common/lists.hpp"
#include "../common/quantities.hpp"
#include "../common/within.hpp"

#include <collectives/model/machine_file.hpp>

#include <stdexcept>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// "0.32 ns/B (25 Gbit/s)", which is how networks are sold.
std::string wire_text(double s_per_byte) {
    const std::string text = time_per_byte_text(s_per_byte);
    return s_per_byte == 0 ? text : fmt::format("{} ({})", text, bandwidth_text(8 / s_per_byte));
}

std::string machine_text(const model::hockney& p) {
    return fmt::format("Hockney: alpha {}, beta {}, gamma {}", time_text(p.alpha_s), wire_text(p.beta_s_per_byte),
                       time_per_byte_text(p.gamma_s_per_byte));
}

std::string machine_text(const model::loggp& p) {
    const std::string by_processor =
        p.overhead_s_per_byte == 0 ? "" : fmt::format(", O {}", time_per_byte_text(p.overhead_s_per_byte));
    return fmt::format("LogGP: L {}, o {}, g {}, G {}, gamma {}{}", time_text(p.latency_s), time_text(p.overhead_s),
                       time_text(p.gap_s), wire_text(p.gap_s_per_byte), time_per_byte_text(p.gamma_s_per_byte),
                       by_processor);
}

std::string machine_text(const model::link& l) {
    std::string all;
    std::string range;
    for (int k = 0; k < l.count; ++k) {
        const model::price_range& s = l.ranges[static_cast<std::size_t>(k)];
        if (l.count > 1)
            range =
                k + 1 < l.count ? fmt::format(" up to {}", bytes_text(static_cast<double>(s.most_bytes))) : " beyond";
        all += fmt::format("{}{}{}", k == 0 ? "" : "; ", machine_text(s.cost), range);
    }
    return all;
}

priced_machine from_file(const machine_words& words) {
    const model::machine_file file = model::read_machine_file(words.file);
    const auto& known = file.transports;
    if (known.empty())
        throw std::invalid_argument(
            fmt::format("{} has the GPUs of a host and no transport: only tutti model prices those", words.file));
    std::vector<std::string> names;
    for (const auto& [name, m] : known) names.push_back(name);
    if (words.transport.empty() && known.size() > 1)
        throw std::invalid_argument(
            fmt::format("{} has several transports; choose one by --transport: {}", words.file, join(names)));
    const auto found = words.transport.empty() ? known.begin() : known.find(words.transport);
    if (found == known.end())
        throw std::invalid_argument(
            fmt::format("{} knows no transport '{}'; choose one of {}", words.file, words.transport, join(names)));
    const model::calibrated_machine& m = found->second;
    const std::string links =
        m.near == m.far ? machine_text(m.near)
                        : fmt::format("within a node {}; between nodes {}", machine_text(m.near), machine_text(m.far));
    return {m,
            fmt::format("{} of {} ({}): {}", found->first, words.file,
                        file.made.empty() ? "it does not say how it was made" : file.made, links),
            fmt::format("{} of {}", found->first, words.file), file.made};
}

double per_byte(const std::string& word, double otherwise) {
    return word.empty() ? otherwise : parse_time_per_byte(word);
}

priced_machine from_loggp(const machine_words& words) {
    const std::vector<std::string> four = split_list(words.loggp);
    if (four.size() != 4)
        throw std::invalid_argument(
            fmt::format("'{}' is no LogGP: write L,o,g,G, as in 5us,1us,2us,0.3ns/B", words.loggp));
    const model::loggp p{parse_time(four[0]),          parse_time(four[1]),      parse_time(four[2]),
                         parse_time_per_byte(four[3]), per_byte(words.gamma, 0), 0};
    return {p, machine_text(p) + (words.gamma.empty() ? ", as given, without --gamma" : ", as given")};
}

priced_machine from_hockney(const machine_words& words) {
    const model::hockney p{words.alpha.empty() ? cluster_25g.alpha_s : parse_time(words.alpha),
                           per_byte(words.beta, cluster_25g.beta_s_per_byte),
                           per_byte(words.gamma, cluster_25g.gamma_s_per_byte)};
    std::vector<std::string> assumed;
    if (words.alpha.empty()) assumed.emplace_back("alpha");
    if (words.beta.empty()) assumed.emplace_back("beta");
    if (words.gamma.empty()) assumed.emplace_back("gamma");
    if (assumed.empty()) return {p, machine_text(p) + ", as given"};
    if (assumed.size() == 3)
        return {p, machine_text(p) + ", assumed, since nothing is said: a cluster of 25 Gbit/s a rank"};
    return {p, fmt::format("{}; {} assumed, as of a cluster of 25 Gbit/s a rank", machine_text(p), join(assumed))};
}

/// What ranks of a node, and all nodes, share besides what the parameters say.
priced_machine shared_by(const machine_words& words, priced_machine by) {
    if (words.nics == 0 && words.oversubscription == 0) return by;
    if (std::holds_alternative<model::hockney>(by.parameters))
        throw std::invalid_argument("--nics and --oversubscription are for LogGP: by Hockney's model ranks share "
                                    "nothing; give --loggp or --machine");
    model::calibrated_machine m = simulated_machine(by);
    if (words.nics > 0) {
        m.nics = words.nics;
        by.description += fmt::format("; {} adapter{} a node", m.nics, m.nics == 1 ? "" : "s");
    }
    if (words.oversubscription > 0) {
        m.oversubscription = words.oversubscription;
        if (m.oversubscription != 1)
            by.description += fmt::format("; network oversubscribed {} times", m.oversubscription);
    }
    by.parameters = m;
    return by;
}

} // namespace

void add_machine(CLI::App& c, machine_words& m) {
    auto* const file = c.add_option("--machine", m.file, "A measured machine")->type_name("FILE");
    c.add_option("--transport", m.transport, "Which transport of the file, where it has several")->type_name("NAME");
    auto* const log_gp = c.add_option("--loggp", m.loggp, "LogGP: latency, overhead and gap of a message, gap per byte")
                             ->type_name("L,o,g,G")
                             ->excludes(file);
    c.add_option("--alpha", m.alpha, "Latency of a message [default: 10us]")
        ->type_name("TIME")
        ->excludes(file)
        ->excludes(log_gp);
    c.add_option("--beta", m.beta, "Time per byte, or bandwidth [default: 25Gbit/s]")
        ->type_name("RATE")
        ->excludes(file)
        ->excludes(log_gp);
    c.add_option("--gamma", m.gamma, "Time to reduce a byte [default: 0.1ns/B; with --loggp 0]")
        ->type_name("RATE")
        ->excludes(file);
    c.add_option("--nics", m.nics, "Network adapters of a node, which its ranks share [default: one for each rank]")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    c.add_option("--oversubscription", m.oversubscription,
                 "How many times as much all nodes can send as the network carries; 1: full bisection [default: 1]")
        ->check(within(1.0, 1e6))
        ->type_name("X");
}

priced_machine machine_of(const machine_words& words) {
    if (!words.file.empty()) return shared_by(words, from_file(words));
    if (!words.transport.empty()) throw std::invalid_argument("--transport chooses from a file: give it by --machine");
    return shared_by(words, words.loggp.empty() ? from_hockney(words) : from_loggp(words));
}

std::optional<priced_gpus> gpus_of(const machine_words& words) {
    if (words.file.empty()) return std::nullopt;
    model::machine_file file = model::read_machine_file(words.file);
    if (!file.gpus || (words.transport.empty() ? !file.transports.empty() : words.transport != "gpus"))
        return std::nullopt;
    return priced_gpus{*file.gpus, words.file, file.made.empty() ? "it does not say how it was made" : file.made};
}

model::calibrated_machine simulated_machine(const priced_machine& by) {
    if (const auto* const m = std::get_if<model::calibrated_machine>(&by.parameters)) return *m;
    if (const auto* const p = std::get_if<model::loggp>(&by.parameters)) return model::uniform(*p);
    const auto& p = std::get<model::hockney>(by.parameters);
    model::machine m = model::uniform({p.alpha_s, 0, 0, p.beta_s_per_byte, p.gamma_s_per_byte});
    m.receiver = model::receiver_rule::hockney;
    return m;
}

} // namespace tutti::tools
