// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

/// How weights follow from gradients, as small values. A rule works on any range of a parameter by itself, so a shard
/// that is updated alone gets the bits of the whole. Computed in float; factors that are the same for all elements in
/// double, and rounded once.
namespace tutti::training {

/// What a rule knows of the step.
struct step_facts {
    std::size_t number = 1; ///< counts from 1
    double rate = 0;        ///< the learning rate
    double last_rate = 0;   ///< that of the step before; 0 if there was none
};

/// A range of one parameter. All spans have equal lengths.
struct update_range {
    std::span<float> weights;                ///< which the rule changes
    std::span<const float> gradients;        ///< averaged
    std::array<std::span<float>, 2> state{}; ///< as many as the rule has; zero before the first step
    bool is_decayed = true;                  ///< see parameter
    float trust = 1;                         ///< of a rule with trust ratios: that of this parameter
};

/// A rule has a `name`, `states`, the floats of state for each weight, and update(). One that has trust_ratio(weight
/// norm, gradient norm) is given that of the whole parameter, for parameters that are decayed. Where it has numbers(),
/// an array of double, ranks that train together compare them, and NaN and infinity are refused.
template <class R>
concept update_rule = requires(const R& r, const step_facts& s, const update_range& x) {
    { R::states } -> std::convertible_to<std::size_t>;
    { R::name } -> std::convertible_to<std::string_view>;
    { r.update(s, x) } noexcept;
} && R::states <= 2;

/// The rule needs the norms of whole parameters.
template <class R>
concept has_trust_ratio = requires(const R& r, double norm) {
    { r.trust_ratio(norm, norm) } -> std::convertible_to<double>;
};

/// w = w - rate (g + decay w).
struct sgd {
    static constexpr std::string_view name = "sgd"; ///< in checkpoints
    static constexpr std::size_t states = 0;        ///< floats for each weight
    double decay = 0;                               ///< the share of a weight that is added to its gradient
    /// See update_rule.
    [[nodiscard]] std::array<double, 1> numbers() const noexcept { return {decay}; }

    /// One step of this range.
    void update(const step_facts& s, const update_range& x) const noexcept {
        const auto rate = static_cast<float>(s.rate), share = static_cast<float>(x.is_decayed ? decay : 0);
        for (std::size_t i = 0; i < x.weights.size(); ++i)
            x.weights[i] -= rate * (x.gradients[i] + share * x.weights[i]);
    }
};

/// Where the learning rate is in momentum. As long as it does not change, all three are the same.
enum class velocity : unsigned char {
    of_gradients,      ///< v = m v + g, w = w - rate v: as in PyTorch; a new rate counts for the whole velocity at once
    of_steps,          ///< v = m v rate / last rate + rate g, w = w - v: the same by the momentum correction
    of_steps_as_it_is, ///< v = m v + rate g, w = w - v: a velocity of the old rate goes on after it has changed
};

/// Momentum, with g + decay w for g. Source: Goyal et al. 2017, section 3, equations 9 and 10 and Remark 2.
struct momentum {
    static constexpr std::string_view name = "momentum"; ///< in checkpoints
    static constexpr std::size_t states = 1;             ///< floats for each weight
    double kept = 0.9;                                   ///< m: the share of the velocity that stays
    double decay = 0;                                    ///< the share of a weight that is added to its gradient
    velocity is = velocity::of_gradients;                ///< where the rate is
    /// See update_rule.
    [[nodiscard]] std::array<double, 3> numbers() const noexcept { return {kept, decay, double(is)}; }

    /// One step of this range.
    void update(const step_facts& s, const update_range& x) const noexcept {
        const bool outside = is == velocity::of_gradients, corrects = is == velocity::of_steps && s.last_rate > 0;
        const auto old = static_cast<float>(corrects ? kept * (s.rate / s.last_rate) : kept);
        const auto in = static_cast<float>(outside ? 1 : s.rate), out = static_cast<float>(outside ? s.rate : 1);
        const auto share = static_cast<float>(x.is_decayed ? decay : 0);
        const auto v = x.state[0];
        for (std::size_t i = 0; i < x.weights.size(); ++i) {
            v[i] = old * v[i] + in * (x.gradients[i] + share * x.weights[i]);
            x.weights[i] -= out * v[i];
        }
    }
};

/// Adam, or AdamW, whose decay acts on the weight itself. Sources: Kingma and Ba 2015; Loshchilov and Hutter 2019.
struct adam {
    static constexpr std::string_view name = "adam"; ///< in checkpoints
    static constexpr std::size_t states = 2;         ///< floats for each weight
    double beta1 = 0.9;                              ///< what stays of the first moment
    double beta2 = 0.999;                            ///< what stays of the second moment
    double epsilon = 1e-8;                           ///< added to the root of the second moment
    double decay = 0;         ///< the share of a weight that is added to its gradient; of AdamW: w = w - rate decay w
    bool is_decoupled = true; ///< AdamW
    /// See update_rule.
    [[nodiscard]] std::array<double, 5> numbers() const noexcept {
        return {beta1, beta2, epsilon, decay, double(is_decoupled)};
    }

    /// One step of this range.
    void update(const step_facts& s, const update_range& x) const noexcept {
        const auto steps = static_cast<double>(s.number);
        const double share = x.is_decayed ? decay : 0;
        const auto size = static_cast<float>(s.rate / (1 - std::pow(beta1, steps)));
        const auto correction = static_cast<float>(1 / std::sqrt(1 - std::pow(beta2, steps)));
        const auto added = static_cast<float>(is_decoupled ? 0 : share);
        const auto left = static_cast<float>(is_decoupled ? 1 - s.rate * share : 1);
        const auto b1 = static_cast<float>(beta1), b2 = static_cast<float>(beta2), e = static_cast<float>(epsilon);
        const auto c1 = static_cast<float>(1 - beta1), c2 = static_cast<float>(1 - beta2);
        const auto m = x.state[0], v = x.state[1];
        for (std::size_t i = 0; i < x.weights.size(); ++i) {
            const float g = x.gradients[i] + added * x.weights[i];
            m[i] = b1 * m[i] + c1 * g;
            v[i] = b2 * v[i] + c2 * g * g;
            x.weights[i] = left * x.weights[i] - size * (m[i] / (std::sqrt(v[i]) * correction + e));
        }
    }
};

/// Adagrad: G = G + g^2, w = w - rate g / (sqrt(G) + epsilon), with g + decay w for g. Keys that rarely have gradients
/// keep larger steps. Source: Duchi, Hazan and Singer, JMLR 12, 2011.
struct adagrad {
    static constexpr std::string_view name = "adagrad"; ///< in checkpoints
    static constexpr std::size_t states = 1;            ///< floats for each weight
    double epsilon = 1e-10;                             ///< added to the root of the sum of squares
    double decay = 0;                                   ///< the share of a weight that is added to its gradient
    /// See update_rule.
    [[nodiscard]] std::array<double, 2> numbers() const noexcept { return {epsilon, decay}; }

    /// One step of this range.
    void update(const step_facts& s, const update_range& x) const noexcept {
        const auto rate = static_cast<float>(s.rate), e = static_cast<float>(epsilon);
        const auto share = static_cast<float>(x.is_decayed ? decay : 0);
        const auto squares = x.state[0];
        for (std::size_t i = 0; i < x.weights.size(); ++i) {
            const float g = x.gradients[i] + share * x.weights[i];
            squares[i] += g * g;
            x.weights[i] -= rate * g / (std::sqrt(squares[i]) + e);
        }
    }
};

/// Layer-wise adaptive rate scaling, for large batches: v = m v + rate trust (g + decay w), w = w - v, where trust =
/// coefficient |w| / (|g| + decay |w|), over a whole parameter. Parameters that are not decayed have trust 1.
/// Source: You, Gitman and Ginsburg, Large Batch Training of Convolutional Networks, 2017.
struct lars {
    static constexpr std::string_view name = "lars"; ///< in checkpoints
    static constexpr std::size_t states = 1;         ///< floats for each weight
    double kept = 0.9;                               ///< m: the share of the velocity that stays
    double decay = 0;                                ///< the share of a weight that is added to its gradient
    double coefficient = 0.001;                      ///< the paper's eta
    /// See update_rule.
    [[nodiscard]] std::array<double, 3> numbers() const noexcept { return {kept, decay, coefficient}; }

    /// 1 where a norm is 0.
    [[nodiscard]] double trust_ratio(double weights, double gradients) const noexcept {
        const double below = gradients + decay * weights;
        return weights > 0 && gradients > 0 ? coefficient * weights / below : 1;
    }
    /// One step of this range.
    void update(const step_facts& s, const update_range& x) const noexcept {
        const auto old = static_cast<float>(kept), in = static_cast<float>(s.rate * x.trust);
        const auto share = static_cast<float>(x.is_decayed ? decay : 0);
        const auto v = x.state[0];
        for (std::size_t i = 0; i < x.weights.size(); ++i) {
            v[i] = old * v[i] + in * (x.gradients[i] + share * x.weights[i]);
            x.weights[i] -= v[i];
        }
    }
};

} // namespace tutti::training
