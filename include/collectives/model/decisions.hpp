// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../choice/chooser.hpp"
#include "decision_table.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace tutti::model {

/// Advises by the prices of a machine. Communicators whose ranks lie alike share what was decided, if one was made from
/// the other or both from a third.
class decisions final : public tuner {
public:
    /// Decisions of ranks that lie so, on this machine.
    decisions(const topology& on, const calibrated_machine& m)
        : family_(std::make_shared<family>(m)), table_(family_->table_of(on)) {}

    [[nodiscard]] selection choose(schedule::operation what, std::size_t bytes) const override {
        return table_->choose(what, bytes);
    }
    [[nodiscard]] std::vector<candidate_price> prices(schedule::operation what, std::size_t bytes) const override {
        return table_->prices(what, bytes);
    }
    [[nodiscard]] std::shared_ptr<const tuner> on(const topology& where) const override {
        return std::shared_ptr<const tuner>(new decisions(family_, where));
    }

    /// The decisions; one table for all communicators whose ranks lie alike.
    [[nodiscard]] const decision_table& table() const noexcept { return *table_; }

private:
    /// The tables of one machine, those that were asked for last. Any thread.
    class family {
    public:
        static constexpr std::size_t most = 32; ///< some 4 KiB each

        explicit family(const calibrated_machine& m) : machine_(m) {}

        [[nodiscard]] std::shared_ptr<decision_table> table_of(const topology& where) {
            const std::lock_guard lock(mutex_);
            const auto known =
                std::find_if(tables_.begin(), tables_.end(), [&](const auto& t) { return t->topology() == where; });
            auto table = known == tables_.end() ? std::make_shared<decision_table>(where, machine_) : *known;
            if (known != tables_.end()) tables_.erase(known);
            if (tables_.size() == most) tables_.erase(tables_.begin());
            tables_.push_back(table);
            return table;
        }

    private:
        std::mutex mutex_; ///< guards the tables
        calibrated_machine machine_;
        std::vector<std::shared_ptr<decision_table>> tables_; ///< by their last use
    };

    decisions(std::shared_ptr<family> of, const topology& on) : family_(std::move(of)), table_(family_->table_of(on)) {}

    std::shared_ptr<family> family_;
    std::shared_ptr<decision_table> table_;
};

/// How a communicator is made to choose by a machine's parameters.
[[nodiscard]] inline std::shared_ptr<const tuner> tuner_of(const topology& on, const calibrated_machine& m) {
    return std::make_shared<const decisions>(on, m);
}

} // namespace tutti::model
