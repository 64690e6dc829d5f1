// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "model_report.hpp"
#include "priced_machine.hpp"

#include <collectives/model/closed_form.hpp>
#include <collectives/model/collective.hpp>
#include <collectives/model/counts.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tutti::tools {

/// How a report finds its times.
struct pricing_settings {
    int ranks_per_node = 0; ///< 0: the command line does not say it
    bool simulate = false;
    std::string receiver; ///< the rule by which the simulator charges receivers, by its name; empty: the default
};

/// Prices calls of collectives, out of place and from root 0, as the library would run them: with the segments that it
/// takes for that many bytes.
class pricing {
public:
    /// Throws std::invalid_argument where there is no receiver of that name.
    pricing(priced_machine by, const pricing_settings& how);

    [[nodiscard]] const priced_machine& by() const noexcept { return by_; }
    /// Which time is looked at to say who wins.
    [[nodiscard]] bool simulates() const noexcept { return how_.simulate; }
    /// How the simulator charges, a sentence.
    [[nodiscard]] std::string rule() const;
    /// Ranks per node of a hierarchical algorithm: as said, or about the square root of the ranks.
    [[nodiscard]] int width_of_node(int ranks) const noexcept;

    [[nodiscard]] model::collective call(schedule::operation what, std::string_view algorithm, int ranks,
                                         std::size_t bytes, std::size_t element_bytes = 1) const;
    /// The call in as many segments as the closed form finds best, where it knows one.
    [[nodiscard]] model::collective best_cut(model::collective c) const;
    /// All that is known of it but what was measured.
    [[nodiscard]] model_row price(const model::collective& c);
    /// In microseconds, by what simulates() says; none where there is no such time.
    [[nodiscard]] std::optional<double> predicted_us(const model::collective& c);
    [[nodiscard]] model_timeline timeline(const model::collective& c) const;

    /// What could not be priced, or not step by step, and why.
    [[nodiscard]] const std::set<std::string>& notes() const noexcept { return notes_; }

private:
    [[nodiscard]] std::optional<model::counts> counted(const model::collective& c);
    [[nodiscard]] std::optional<model::form> closed_form(const model::collective& c) const;
    [[nodiscard]] std::optional<double> simulated_us(const model::collective& c);
    [[nodiscard]] int ranks_per_node(int ranks) const noexcept;
    [[nodiscard]] bool serial() const noexcept { return how_.receiver == "serial"; }

    priced_machine by_;
    pricing_settings how_;
    std::set<std::string> notes_;
};

} // namespace tutti::tools
