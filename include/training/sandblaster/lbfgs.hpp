// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "command.hpp"
#include "line_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace tutti::training::sandblaster {

/// How L-BFGS goes.
struct lbfgs_options {
    std::size_t history = 10; ///< pairs of changes of weights and gradients that are kept
    line_search line{};       ///< how far a step goes along its direction
};

/// What a step of L-BFGS did.
struct lbfgs_step {
    double value = 0;    ///< of the objective, at the weights after it
    double gradient = 0; ///< the gradient's norm there
    double length = 0;   ///< in units of the direction; 0: no step decreases the value, and the weights are the same.
                         ///< Further steps then evaluate nothing until change_objective()
    int evaluations = 0; ///< of the objective
};

/// L-BFGS by commands: it knows vectors by name, and sees their dot products. `Vectors` has dot, scale, axpy and copy,
/// as coordinator has them. Vectors 0 to 6 + 2 history are its own. weights() names the weights, which are vector 0 at
/// first.
///
/// Source: Nocedal, Updating quasi-Newton matrices with limited storage, Mathematics of Computation 1980; Nocedal and
/// Wright, Numerical Optimization, 2006, algorithms 7.4 and 7.5. Scaled by the latest pair (7.20).
/// Cost of a step beside evaluations: 4 history + 8 dot products at most, each of which waits for all shards.
template <class Vectors>
class lbfgs {
public:
    /// `on` must outlive it.
    explicit lbfgs(Vectors& on, lbfgs_options options = {}) : on_(on), options_(options) {
        for (vector_id v = 5; v < 5 + 2 * options.history + 1; v += 2) free_.push_back({v, v + 1});
    }

    /// The name of the weights, which changes with each step.
    [[nodiscard]] vector_id weights() const noexcept { return weights_; }
    /// How many vectors it has of the shards.
    [[nodiscard]] std::size_t vectors() const noexcept { return 5 + 2 * (options_.history + 1); }
    /// The objective is another one from now on, as with another batch. What is known of its curvature stays.
    void change_objective() noexcept { knows_gradient_ = is_stuck_ = false; }

    /// A step, which decreases the objective. `evaluate(x, g)` returns its value at the weights x, and has put its
    /// gradient into g.
    template <class Evaluate>
    lbfgs_step step(const Evaluate& evaluate) {
        lbfgs_step done;
        if (!std::exchange(knows_gradient_, true)) {
            value_ = evaluate(weights_, gradient_);
            ++done.evaluations;
        }
        bool moves = !is_stuck_ && descend(evaluate, done);
        if (!moves && !is_stuck_ && !pairs_.empty()) { // perhaps what is known of the curvature misleads
            forget();
            moves = descend(evaluate, done);
        }
        is_stuck_ = !moves;
        done.value = value_;
        done.gradient = std::sqrt(on_.dot(gradient_, gradient_));
        return done;
    }

private:
    struct pair {
        vector_id s = 0, y = 0; ///< changes of weights and of gradients
        double product = 0;     ///< s . y
    };

    void forget() {
        free_.insert(free_.end(), pairs_.begin(), pairs_.end());
        pairs_.clear();
        scale_ = 1;
    }
    /// Whether there was a step.
    template <class Evaluate>
    bool descend(const Evaluate& evaluate, lbfgs_step& done) {
        choose_direction();
        const line_point begin{0, value_, on_.dot(gradient_, direction_)};
        if (!(begin.slope < 0)) return false;
        const double first = pairs_.empty() ? std::min(1., 1 / std::sqrt(-begin.slope)) : 1;
        const auto found = search_line(
            begin, first,
            [&](double step) {
                on_.copy(weights_, trial_weights_);
                on_.axpy(static_cast<float>(step), direction_, trial_weights_);
                ++done.evaluations;
                const double value = evaluate(trial_weights_, trial_gradient_);
                return line_point{step, value, on_.dot(trial_gradient_, direction_)};
            },
            options_.line);
        if (!found) return false;
        done.length = found->step;
        value_ = found->value;
        keep_pair();
        std::swap(weights_, trial_weights_);
        std::swap(gradient_, trial_gradient_);
        return true;
    }
    /// The two loops: direction = - H gradient.
    void choose_direction() {
        on_.copy(gradient_, direction_);
        std::vector<double> alphas;
        for (auto p = pairs_.rbegin(); p != pairs_.rend(); ++p) {
            alphas.push_back(on_.dot(p->s, direction_) / p->product);
            on_.axpy(static_cast<float>(-alphas.back()), p->y, direction_);
        }
        on_.scale(static_cast<float>(-scale_), direction_);
        for (const pair& p : pairs_) {
            const double beta = -on_.dot(p.y, direction_) / p.product;
            on_.axpy(static_cast<float>(beta - alphas.back()), p.s, direction_);
            alphas.pop_back();
        }
    }
    /// Of the step from weights to trial weights.
    void keep_pair() {
        pair p = free_.back();
        free_.pop_back();
        difference(trial_weights_, weights_, p.s);
        difference(trial_gradient_, gradient_, p.y);
        p.product = on_.dot(p.s, p.y);
        const double square = on_.dot(p.y, p.y);
        // By Wolfe's condition the product is positive, but for rounding.
        if (!(p.product > 1e-10 * square)) return free_.push_back(p);
        scale_ = p.product / square;
        pairs_.push_back(p);
        if (pairs_.size() <= options_.history) return;
        free_.push_back(pairs_.front());
        pairs_.pop_front();
    }
    void difference(vector_id a, vector_id b, vector_id to) {
        on_.copy(a, to);
        on_.axpy(-1, b, to);
    }

    Vectors& on_;
    const lbfgs_options options_;
    vector_id weights_ = 0, gradient_ = 1, trial_weights_ = 2, trial_gradient_ = 3, direction_ = 4;
    std::vector<pair> free_;
    std::deque<pair> pairs_; ///< the oldest first
    double scale_ = 1;
    double value_ = 0; ///< at the weights
    bool knows_gradient_ = false;
    bool is_stuck_ = false; ///< the last search found nothing, and another one would find the same
};

} // namespace tutti::training::sandblaster
