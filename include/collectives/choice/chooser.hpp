// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "default_choice.hpp"
#include "topology.hpp"

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::model {

/// A candidate and its predicted time.
struct candidate_price {
    selection what;         ///< the candidate
    double seconds = 0;     ///< its predicted time
    bool estimated = false; ///< by a closed form instead of simulation
};

/// Chooses by a model, for one topology: see decisions. Virtual, so that programs that choose by rule compile no model.
class tuner {
public:
    virtual ~tuner() = default;
    /// May be called by several threads.
    [[nodiscard]] virtual selection choose(schedule::operation what, std::size_t bytes) const = 0;
    /// All candidates with their prices.
    [[nodiscard]] virtual std::vector<candidate_price> prices(schedule::operation what, std::size_t bytes) const = 0;
    /// The same model for other ranks.
    [[nodiscard]] virtual std::shared_ptr<const tuner> on(const topology& where) const = 0;
};

/// The parameters of a model: plain data, from which tuner_of makes the tuner of a topology.
template <class P>
concept parameters = std::is_trivially_copyable_v<P> && requires(const topology& on, const P& p) {
    { tuner_of(on, p) } -> std::convertible_to<std::shared_ptr<const tuner>>;
};

/// Chooses for one communicator: by a model where the parameters of a machine are known, else by the rule of choose().
/// The rule also chooses where operands may not change places, and for symmetric memory: the model's prices are those
/// of plain buffers and of any order.
class chooser {
public:
    /// For ranks that lie so. `by` is the model that chooses; null: the rule does.
    explicit chooser(const model::topology& on, std::shared_ptr<const tuner> by = nullptr) noexcept
        : on_(on), by_(std::move(by)) {}

    /// How the ranks lie.
    [[nodiscard]] const model::topology& topology() const noexcept { return on_; }
    /// The same for other ranks.
    [[nodiscard]] chooser on(const model::topology& where) const {
        return chooser(where, by_ ? by_->on(where) : nullptr);
    }

    /// The model, if it chooses; else null.
    [[nodiscard]] const tuner* model(bool commutative = true, bool symmetric = false) const noexcept {
        return commutative && !symmetric && on_.size > 1 ? by_.get() : nullptr;
    }

    /// Depends only on facts that all ranks know. May be called by several threads.
    [[nodiscard]] selection choose(schedule::operation what, std::size_t bytes, bool commutative = true,
                                   bool symmetric = false) const {
        if (const tuner* by = model(commutative, symmetric)) return by->choose(what, bytes);
        return model::choose(what, bytes, on_, commutative, symmetric);
    }

private:
    model::topology on_;
    std::shared_ptr<const tuner> by_;
};

} // namespace tutti::model
