// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::model::detail {

/// How a sum of squares is minimised.
struct least_squares_settings {
    double scale = 0.03; ///< from residuals of this size on, what they count grows with them and not with their squares
    double prior = 0.002;      ///< what an unknown counts that is 1 away from where it began, as a residual does
    double bound = 7;          ///< no unknown gets further from where it began
    double step = 0.02;        ///< for numeric derivatives; wide, since an order of events may change within
    double least_error = 0.01; ///< nobody knows unknowns from residuals better than if these scattered so much
    int most_rounds = 60;      ///< each costs two calls for every unknown, and a few
};

/// Where the sum of soft-L1 losses of the residuals is least: robust, since a residual far off counts with its size
/// and no longer with its square. Unknowns begin at 0. `residuals` makes a vector of the unknowns.
/// Levenberg-Marquardt on iteratively reweighted squares; deterministic, and bounded in time.
/// Source: Marquardt, SIAM J. Appl. Math. 1963; Triggs et al., Bundle adjustment, 1999, for robust weights.
template <class Residuals>
class least_squares {
public:
    using numbers = std::vector<double>;

    least_squares(std::size_t unknowns, Residuals residuals, const least_squares_settings& s)
        : settings_(s), residuals_(std::move(residuals)), at_(unknowns, 0), here_(residuals_(at_)),
          loss_(loss_of(at_, here_)), normal_(unknowns), gradient_(unknowns) {
        double damping = 1e-3;
        for (int k = 0; k < s.most_rounds && damping < 1e9; ++k) {
            linearise();
            const double before = loss_;
            while (!improve(damping) && damping < 1e9) damping *= 4;
            damping = std::max(damping / 9, 1e-9);
            if (before - loss_ < 1e-7 * before) break;
        }
        linearise();
    }

    [[nodiscard]] const numbers& at() const noexcept { return at_; }
    [[nodiscard]] double bound() const noexcept { return settings_.bound; }
    [[nodiscard]] double loss() const noexcept { return loss_; }
    /// How many residuals there are more than unknowns; at least one.
    [[nodiscard]] double freedom() const noexcept {
        return std::max(static_cast<double>(here_.size()) - static_cast<double>(at_.size()), 1.0);
    }
    /// The variance of the residuals, from their median size, so that outliers do not count.
    [[nodiscard]] double variance() const {
        numbers sizes = here_;
        for (double& r : sizes) r = std::abs(r);
        const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
        std::nth_element(sizes.begin(), middle, sizes.end());
        constexpr double deviations = 1.4826; // of a normal distribution, in medians
        const double deviation = std::max(deviations * *middle, settings_.least_error);
        return deviation * deviation * static_cast<double>(here_.size()) / freedom();
    }
    /// The standard error of an unknown, as far as the residuals are independent of each other.
    [[nodiscard]] double standard_error(std::size_t k) const {
        return std::sqrt(variance() * cholesky(normal_).inverse_at(k));
    }

private:
    [[nodiscard]] double weight(double r) const noexcept {
        return 1 / std::sqrt(1 + r * r / (settings_.scale * settings_.scale));
    }
    [[nodiscard]] double loss_of(const numbers& x, const numbers& residuals) const noexcept {
        const double c = settings_.scale * settings_.scale, p = settings_.prior * settings_.prior;
        double loss = 0;
        for (const double r : residuals) loss += 2 * c * (std::sqrt(1 + r * r / c) - 1);
        for (const double d : x) loss += p * d * d;
        return loss;
    }

    /// The weighted normal equations where we are.
    void linearise() {
        const std::size_t n = at_.size();
        std::vector<numbers> slopes;
        for (std::size_t k = 0; k < n; ++k) slopes.push_back(slope(k));
        const double p = settings_.prior * settings_.prior;
        for (std::size_t k = 0; k < n; ++k) {
            gradient_[k] = p * at_[k];
            for (std::size_t i = 0; i < here_.size(); ++i) gradient_[k] += weight(here_[i]) * slopes[k][i] * here_[i];
            for (std::size_t j = 0; j <= k; ++j) {
                double sum = j == k ? p : 0;
                for (std::size_t i = 0; i < here_.size(); ++i) sum += weight(here_[i]) * slopes[k][i] * slopes[j][i];
                normal_(k, j) = normal_(j, k) = sum;
            }
        }
    }

    /// By how much each residual grows with the k-th unknown, on both sides of where we are.
    [[nodiscard]] numbers slope(std::size_t k) const {
        numbers aside = at_;
        aside[k] += settings_.step;
        numbers above = residuals_(aside);
        aside[k] -= 2 * settings_.step;
        const numbers below = residuals_(aside);
        for (std::size_t i = 0; i < above.size(); ++i) above[i] = (above[i] - below[i]) / (2 * settings_.step);
        return above;
    }

    /// Takes a step, unless it would lead upwards.
    [[nodiscard]] bool improve(double damping) {
        matrix damped = normal_;
        for (std::size_t k = 0; k < at_.size(); ++k) damped(k, k) *= 1 + damping;
        const numbers step = cholesky(damped).solve(gradient_);
        numbers there = at_;
        for (std::size_t k = 0; k < at_.size(); ++k)
            there[k] = std::clamp(at_[k] - step[k], -settings_.bound, settings_.bound);
        numbers residuals = residuals_(there);
        const double loss = loss_of(there, residuals);
        if (!(loss < loss_)) return false;
        at_ = std::move(there);
        here_ = std::move(residuals);
        loss_ = loss;
        return true;
    }

    least_squares_settings settings_;
    Residuals residuals_;
    numbers at_, here_; ///< the unknowns, and the residuals there
    double loss_;
    matrix normal_;
    numbers gradient_;
};

} // namespace tutti::model::detail
