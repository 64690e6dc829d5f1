// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "priced_machine.hpp"
#include "report.hpp"

#include <collectives/model/closed_form.hpp>
#include <collectives/model/collective.hpp>
#include <collectives/model/counts.hpp>
#include <collectives/model/decision_table.hpp>
#include <collectives/model/simulation/settings.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tutti::tools {

/// Into how many segments a report cuts what gains by it, the double binary tree.
enum class cut : std::uint8_t {
    best,    ///< the power of two that takes the least time
    by_rule, ///< as the library does without a machine, and `tutti bench` with an algorithm by its name
};
inline constexpr int most_cuts = 64; ///< what `best` looks at
/// Names of operations.
using operation_names = std::set<std::string, std::less<>>;

/// How a report finds its times.
struct pricing_settings {
    int ranks_per_node = 0; ///< 0: the command line does not say it
    cut segments_by = cut::best;
    int segments = 0; ///< as many, whatever segments_by says; 0: the command line does not say it
    bool simulate = false;
    double straggling = 0;    ///< how much longer each step takes by chance, in the mean
    std::uint64_t seed = 1;   ///< of that chance
    std::string receiver;     ///< the rule by which the simulator charges receivers, by its name; empty: the default
    operation_names in_place; ///< these are priced in place, the others out of place
};

inline constexpr int most_priced_ranks = 1'000'000;

/// Prices calls of collectives, from root 0.
class pricing {
public:
    /// Throws std::invalid_argument where the machine knows no receiver of that name, or no chance.
    pricing(priced_machine by, const pricing_settings& how);

    [[nodiscard]] const priced_machine& by() const noexcept { return by_; }
    /// Which time is looked at to say who wins.
    [[nodiscard]] bool simulates() const noexcept { return how_.simulate; }
    /// How the simulator charges, a sentence.
    [[nodiscard]] std::string rule() const;
    /// The cores and ranks of a node, as given or assumed; empty for a machine to which nodes are nothing.
    [[nodiscard]] std::string nodes() const;
    /// What to do where so many ranks outnumber the cores of the one node that was assumed; empty elsewhere.
    [[nodiscard]] std::string nodes_hint(int ranks) const;
    /// Ranks per node of a hierarchical algorithm: as said, or about the square root of the ranks.
    [[nodiscard]] int width_of_node(int ranks) const noexcept;

    /// What gains by segments is cut as the settings say; best by simulation where a report simulates and that is
    /// quick, else by the closed form, and by rule where there is none.
    [[nodiscard]] model::collective call(schedule::operation what, std::string_view algorithm, int ranks,
                                         std::size_t bytes) const;
    /// What a communicator would choose that is given this machine. Costs some milliseconds. Nothing for one rank, and
    /// for more than any communicator with all operations has.
    [[nodiscard]] std::optional<model::selection> chosen(schedule::operation what, int ranks, std::size_t bytes);
    /// How such calls are cut, a sentence.
    [[nodiscard]] std::string cutting() const;
    /// All that is known of it but what was measured.
    [[nodiscard]] model_row price(const model::collective& c);
    /// In microseconds, by what simulates() says; where there is no form, simulated, if that is quick. None where there
    /// is no such time.
    [[nodiscard]] std::optional<double> predicted_us(const model::collective& c);
    /// Of calls that are compared by closed forms: those whose form is an estimate, which could make one the fastest
    /// that is not, simulated, in microseconds; unless they have more than 200,000 messages, and one rank cannot stand
    /// for all. Those that are cut as is best get the segments that are so by simulation. None of the others.
    [[nodiscard]] std::vector<std::optional<double>> simulated_estimates_us(std::vector<model::collective>& calls);
    /// Whether predicted_us() is by a closed form that is not exact.
    [[nodiscard]] bool is_estimated(const model::collective& c) const {
        const auto form = simulates() ? std::nullopt : closed_form(c);
        return form && !form->exact;
    }
    [[nodiscard]] model_timeline timeline(const model::collective& c) const;

    /// What could not be priced, or not step by step, and why.
    [[nodiscard]] const std::set<std::string>& notes() const noexcept { return notes_; }

private:
    /// All of a call but its data: the operation, the algorithm, ranks, segments, in place.
    using shape = std::tuple<schedule::operation, std::string, int, int, bool>;

    /// Without inbound_max.
    [[nodiscard]] std::optional<model::counts> counted(const model::collective& c);
    /// Not a machine of several LogGPs, or whose ranks share something.
    [[nodiscard]] bool has_forms() const noexcept {
        return !std::holds_alternative<model::calibrated_machine>(by_.parameters);
    }
    [[nodiscard]] std::optional<model::form> closed_form(const model::collective& c) const;
    [[nodiscard]] std::optional<double> simulated_us(const model::collective& c);
    [[nodiscard]] model::simulation_settings settings(bool activities = false) const;
    [[nodiscard]] model::simulated run(const model::collective& c, bool activities) const;
    [[nodiscard]] int segments_of(const model::collective& whole) const;
    [[nodiscard]] int best_cut(const model::collective& whole) const;
    /// The simulated time of what has no form, in microseconds, unless it has more than 200,000 messages.
    [[nodiscard]] std::optional<double> instead_of_form_us(const model::collective& c);
    [[nodiscard]] std::optional<double> quickly_simulated_us(const model::collective& c);
    /// The same in the segments that take the least time, which it sets, where those are not given.
    [[nodiscard]] std::optional<double> best_simulated_us(model::collective& c);
    [[nodiscard]] int ranks_per_node(int ranks) const noexcept;

    priced_machine by_;
    pricing_settings how_;
    model::receiver_rule rule_ = model::receiver_rule::full_duplex;
    std::set<std::string> notes_;
    std::map<shape, model::counts> counted_;                          ///< the first call of each shape
    std::map<int, std::unique_ptr<model::decision_table>> decisions_; ///< by ranks
};

} // namespace tutti::tools
