// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "pricing.hpp"

#include "../common/choices.hpp"
#include "../common/quantities.hpp"

#include <base/error.hpp>
#include <collectives/algorithm/all.hpp>
#include <collectives/choice/default_choice.hpp>
#include <collectives/model/simulate.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// All cuts of a tree over so many ranks are simulated in some 50 ms.
constexpr int most_ranks_cut_by_simulation = 512;

std::string title_of(const model::collective& c) {
    return fmt::format("{}({}), {} ranks", schedule::name_of(c.what), c.how.name(), c.size);
}

/// So many take some hundredths of a second.
constexpr std::size_t quick_messages = 200'000;

/// All messages cost by the same L, o, g, G and gamma, and nothing else counts.
bool is_uniform(const model::machine& m) {
    const model::loggp& all = m.near.ranges[0].cost;
    model::machine unnamed = m;
    unnamed.near.ranges[0].name = unnamed.far.ranges[0].name = {};
    return unnamed == model::uniform(all) && all.overhead_s_per_byte == 0 && all.copy_s_per_byte == 0;
}

model::receiver_rule rule_of(const priced_machine& by, const std::string& said) {
    using model::receiver_rule;
    if (std::holds_alternative<model::hockney>(by.parameters)) {
        if (said == "serial")
            throw std::invalid_argument(
                "--receiver serial is for LogGP: by Hockney's model a rank sends while it receives");
        return receiver_rule::hockney;
    }
    const bool serial = said.empty() ? std::holds_alternative<model::loggp>(by.parameters) : said == "serial";
    return serial ? receiver_rule::serial : receiver_rule::full_duplex;
}

/// The counts of a call, by those of the same call on other data: what waits for what is the same.
model::counts recounted(const model::collective& c, const model::counts& known) {
    model::counts n;
    model::detail::count_traffic(n, c, model::rank_nodes(1));
    n.depth = known.depth;
    n.fan_in = known.fan_in;
    n.rounds = known.rounds;
    n.depth_from = known.depth_from;
    n.rounds_from = known.rounds_from;
    return n;
}

/// The power of two of segments that takes the least time.
template <class Taken>
int best_of_cuts(model::collective c, const Taken& taken) {
    const std::size_t most = std::clamp<std::size_t>(c.bytes / 2, 1, most_cuts);
    int best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (c.segments = 1; static_cast<std::size_t>(c.segments) <= most; c.segments *= 2)
        if (const double time = taken(c); time < least) {
            least = time;
            best = c.segments;
        }
    return best;
}

} // namespace

pricing::pricing(priced_machine by, const pricing_settings& how) : by_(std::move(by)), how_(how) {
    const auto* const m = std::get_if<model::calibrated_machine>(&by_.parameters);
    if (m && is_uniform(*m))
        by_.parameters = model::loggp(m->near.ranges[0].cost);
    else if (m)
        how_.simulate = true;
    rule_ = rule_of(by_, how_.receiver);
    if (how_.straggling > 0 && rule_ == model::receiver_rule::hockney)
        throw std::invalid_argument("--straggling is for LogGP: by Hockney's model nothing is left to chance");
}

std::string pricing::rule() const {
    if (rule_ == model::receiver_rule::hockney)
        return "a message is alpha + m beta in a port of its sender and one of its receiver, who sends meanwhile";
    std::string text =
        rule_ == model::receiver_rule::serial
            ? "receiver serial, as in LogGOPSim: busy for o + (m - 1)G a message, sending nothing meanwhile"
            : "receiver full_duplex: its port is busy for (m - 1)G a message, its processor for o";
    if (how_.straggling > 0)
        text += fmt::format("; each step takes longer by chance, {} % in the mean, seed {}", 100 * how_.straggling,
                            how_.seed);
    return text;
}

std::string pricing::nodes() const {
    const auto* const m = std::get_if<model::calibrated_machine>(&by_.parameters);
    if (!m) return "";
    const std::string cores = m->cores == 0 ? "a core for each rank" : fmt::format("{} cores each", m->cores);
    return how_.ranks_per_node > 0
               ? fmt::format("{}, {} ranks on a node, as given", cores, how_.ranks_per_node)
               : fmt::format("{}, all ranks on one node, assumed, since --ranks-per-node is not given", cores);
}

std::string pricing::nodes_hint(int ranks) const {
    const auto* const m = std::get_if<model::calibrated_machine>(&by_.parameters);
    if (!m || m->cores == 0 || how_.ranks_per_node > 0 || ranks <= m->cores) return "";
    return fmt::format("{} ranks share the {} cores of one node: for several nodes give --ranks-per-node", ranks,
                       m->cores);
}

int pricing::width_of_node(int ranks) const noexcept {
    return how_.ranks_per_node > 0 ? how_.ranks_per_node : near_root(ranks);
}

int pricing::ranks_per_node(int ranks) const noexcept { return how_.ranks_per_node > 0 ? how_.ranks_per_node : ranks; }

model::collective pricing::call(schedule::operation what, std::string_view algorithm, int ranks,
                                std::size_t bytes) const {
    const algorithm::any how = algorithm::by_name(algorithm, width_of_node(ranks));
    model::collective c{what, how, ranks, bytes, 0, 1, how_.in_place.contains(schedule::name_of(what))};
    if (how.most_segments() > 1) c.segments = segments_of(c);
    return c;
}

std::optional<model::selection> pricing::chosen(schedule::operation what, int ranks, std::size_t bytes) {
    if (ranks < 2 || ranks > schedule::most_ranks(schedule::operation::alltoall)) return std::nullopt;
    const model::topology on{ranks, std::min(ranks_per_node(ranks), ranks), transport::medium::memory,
                             transport::medium::network};
    auto& table = decisions_[ranks];
    if (!table) table = std::make_unique<model::decision_table>(on, simulated_machine(by_));
    return table->choose(what, bytes);
}

std::string pricing::cutting() const {
    if (how_.segments > 0) return fmt::format("in {} segment{}", how_.segments, how_.segments == 1 ? "" : "s");
    if (how_.segments_by == cut::by_rule)
        return "in as many segments as the library takes by rule, as tutti bench does where it is given an algorithm";
    return fmt::format("in the power of two of segments, up to {}, that takes the least time{}", most_cuts,
                       has_forms() ? ""
                                   : fmt::format("; with more than {} ranks as the library takes by rule",
                                                 most_ranks_cut_by_simulation));
}

int pricing::segments_of(const model::collective& whole) const {
    if (how_.segments > 0) return how_.segments;
    const bool can_tell = has_forms() || whole.size <= most_ranks_cut_by_simulation;
    return how_.segments_by == cut::best && can_tell ? best_cut(whole) : model::segments_for(whole.how, whole.bytes);
}

int pricing::best_cut(const model::collective& whole) const {
    const bool by_simulation = simulates() && whole.size <= most_ranks_cut_by_simulation;
    return best_of_cuts(whole, [&](const model::collective& c) {
        return by_simulation ? run(c, false).finish_s : closed_form(c)->seconds;
    });
}

model_row pricing::price(const model::collective& c) {
    const std::optional<model::counts> n = counted(c);
    const auto form = closed_form(c);
    std::optional<double> simulated;
    if (simulates())
        simulated = simulated_us(c);
    else if (!form)
        simulated = instead_of_form_us(c);
    return {std::string(schedule::name_of(c.what)),
            std::string(c.how.name()),
            c.size,
            c.bytes,
            n ? n->depth : std::nullopt,
            n ? n->rounds : std::nullopt,
            n ? std::optional(n->messages) : std::nullopt,
            n ? std::optional(n->sent.most) : std::nullopt,
            n ? std::optional(n->received.most) : std::nullopt,
            n ? n->fan_in : std::nullopt,
            n ? std::optional(n->total_bytes) : std::nullopt,
            form ? std::optional(form->seconds * 1e6) : std::nullopt,
            simulated,
            std::nullopt,
            form && form->exact,
            c.segments};
}

std::optional<model::counts> pricing::counted(const model::collective& c) {
    try {
        const shape of{c.what, std::string(c.how.name()), c.size, c.segments, c.in_place};
        const auto known = counted_.find(of);
        if (known == counted_.end()) return counted_.emplace(of, model::count(c)).first->second;
        return recounted(c, known->second);
    } catch (const error& e) { // the bytes of all ranks are too many
        notes_.insert(fmt::format("{}, {}: not counted: {}", title_of(c), bytes_text(static_cast<double>(c.bytes)),
                                  e.facts().detail));
        return std::nullopt;
    }
}

std::optional<double> pricing::predicted_us(const model::collective& c) {
    if (simulates()) return simulated_us(c);
    const auto form = closed_form(c);
    return form ? std::optional(form->seconds * 1e6) : instead_of_form_us(c);
}

std::optional<double> pricing::instead_of_form_us(const model::collective& c) {
    notes_.insert(fmt::format("{}({}): no closed form; simulated up to {} messages, beyond that with --simulate",
                              schedule::name_of(c.what), c.how.name(), quick_messages));
    return quickly_simulated_us(c);
}

std::vector<std::optional<double>> pricing::simulated_estimates_us(std::vector<model::collective>& calls) {
    constexpr double trusted = 3; // estimates are within that factor
    std::vector<std::optional<double>> found(calls.size());
    if (simulates()) return found;
    double least_exact_s = std::numeric_limits<double>::infinity();
    for (const model::collective& c : calls)
        if (const auto form = closed_form(c); form && form->exact)
            least_exact_s = std::min(least_exact_s, form->seconds);
    for (std::size_t k = 0; k < calls.size(); ++k)
        if (const auto form = closed_form(calls[k]); form && !form->exact && form->seconds <= trusted * least_exact_s)
            found[k] = best_simulated_us(calls[k]);
    return found;
}

std::optional<model::form> pricing::closed_form(const model::collective& c) const {
    if (const auto* const p = std::get_if<model::hockney>(&by_.parameters)) return model::closed_form(c, *p);
    if (const auto* const p = std::get_if<model::loggp>(&by_.parameters)) return model::closed_form(c, *p, rule_);
    return std::nullopt;
}

std::optional<double> pricing::simulated_us(const model::collective& c) {
    try {
        const auto found = run(c, false);
        if (found.by_symmetry) notes_.insert(title_of(c) + ": simulated by symmetry, one rank for all");
        return found.finish_s * 1e6;
    } catch (const error& e) { // it would take too long, or too much memory
        notes_.insert(title_of(c) + ": not simulated: " + e.facts().detail);
        return std::nullopt;
    }
}

model::simulation_settings pricing::settings(bool activities) const {
    model::simulation_settings s;
    s.receiver = rule_;
    s.activities = activities;
    s.straggling = how_.straggling;
    s.seed = how_.seed;
    return s;
}

model::simulated pricing::run(const model::collective& c, bool activities) const {
    return model::simulate(c, simulated_machine(by_), ranks_per_node(c.size), settings(activities));
}

std::optional<double> pricing::best_simulated_us(model::collective& c) {
    const bool is_cut = how_.segments == 0 && how_.segments_by == cut::best && c.how.most_segments() > 1 &&
                        c.size <= most_ranks_cut_by_simulation;
    if (is_cut)
        c.segments = best_of_cuts(c, [this](const model::collective& tried) {
            return quickly_simulated_us(tried).value_or(std::numeric_limits<double>::max());
        });
    return quickly_simulated_us(c);
}

std::optional<double> pricing::quickly_simulated_us(const model::collective& c) {
    model::simulation_settings s = settings();
    s.most_messages = quick_messages;
    s.symmetric_beyond = quick_messages / 2; // beyond that one rank stands for all, where it may
    try {
        const auto found = model::simulate(c, simulated_machine(by_), ranks_per_node(c.size), s);
        if (found.by_symmetry) notes_.insert(title_of(c) + ": simulated by symmetry, one rank for all");
        return found.finish_s * 1e6;
    } catch (const error&) { // the estimate stands, and is marked
        return std::nullopt;
    }
}

model_timeline pricing::timeline(const model::collective& c) const {
    auto found = run(c, true);
    return {std::string(schedule::name_of(c.what)), std::string(c.how.name()), c.size, c.bytes,
            std::move(found.activities)};
}

} // namespace tutti::tools
