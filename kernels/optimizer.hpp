// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "epilogue.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

/// Updates of weights as epilogues: the total is a gradient, and weights and state are float. `next` gets the new
/// weights, and may store a copy of them in another type. Every product that is added is a fused one, so host and
/// device get the same bits. The formulas are those of PyTorch's optimizers of these names.
namespace tutti::kernels {

namespace detail {

template <unsigned lanes, class Total, class Update>
TUTTI_HOST_DEVICE inline void each_lane(Total (&total)[lanes], const Update& update) {
    TUTTI_UNROLL
    for (unsigned k = 0; k < lanes; ++k) total[k] = update(static_cast<float>(total[k]), k);
}

inline void list_floats(std::vector<touched>& arrays, const float* at, const char* name) {
    arrays.push_back({reinterpret_cast<std::uintptr_t>(at), sizeof(float), alignof(float), name});
}

template <class Next>
inline constexpr std::size_t smallest_beside_floats = std::min(sizeof(float), Next::smallest_element);
template <class Next>
inline constexpr std::size_t largest_beside_floats = std::max(sizeof(float), Next::largest_element);

} // namespace detail

/// w = w - rate (g + decay w).
template <class Next = nothing>
struct sgd {
    static constexpr std::size_t smallest_element = detail::smallest_beside_floats<Next>;
    static constexpr std::size_t largest_element = detail::largest_beside_floats<Next>;
    float* weights = nullptr; ///< one for each element of the gradient
    /// The step's length, and the share of a weight that is added to its gradient.
    /// @{
    float rate = 0, decay = 0;
    /// @}
    Next next{}; ///< takes the new weight

    template <unsigned lanes>
    TUTTI_HOST_DEVICE void write(float (&total)[lanes], std::size_t at) const noexcept {
        pack<float, lanes> w;
        w.load(weights + at);
        detail::each_lane<lanes>(total, [&](float gradient, unsigned k) {
            const float g = tutti::detail::fused(decay, w.element[k], gradient);
            return w.element[k] =
                       tutti::detail::canonical(tutti::detail::fused(tutti::detail::negative(rate), g, w.element[k]));
        });
        w.store(weights + at);
        next.template write<lanes>(total, at);
    }

    void list(std::vector<touched>& arrays) const {
        detail::list_floats(arrays, weights, "weight");
        next.list(arrays);
    }
};

/// v = momentum v + (g + decay w); w = w - rate v. `velocity` is zero before the first step.
template <class Next = nothing>
struct momentum_sgd {
    static constexpr std::size_t smallest_element = detail::smallest_beside_floats<Next>;
    static constexpr std::size_t largest_element = detail::largest_beside_floats<Next>;
    /// One of each for each element of the gradient.
    /// @{
    float *weights = nullptr, *velocity = nullptr;
    /// @}
    /// The step's length, the share of the velocity that stays, and the share of a weight that is added to its
    /// gradient.
    /// @{
    float rate = 0, momentum = 0, decay = 0;
    /// @}
    Next next{}; ///< takes the new weight

    template <unsigned lanes>
    TUTTI_HOST_DEVICE void write(float (&total)[lanes], std::size_t at) const noexcept {
        pack<float, lanes> w, v;
        w.load(weights + at);
        v.load(velocity + at);
        detail::each_lane<lanes>(total, [&](float gradient, unsigned k) {
            const float g = tutti::detail::fused(decay, w.element[k], gradient);
            v.element[k] = tutti::detail::canonical(tutti::detail::fused(momentum, v.element[k], g));
            return w.element[k] = tutti::detail::canonical(
                       tutti::detail::fused(tutti::detail::negative(rate), v.element[k], w.element[k]));
        });
        w.store(weights + at);
        v.store(velocity + at);
        next.template write<lanes>(total, at);
    }

    void list(std::vector<touched>& arrays) const {
        detail::list_floats(arrays, weights, "weight");
        detail::list_floats(arrays, velocity, "velocity");
        next.list(arrays);
    }
};

/// The factors of Adam and AdamW that are the same for all elements of a step. Computed once, on the host.
struct adam_step {
    float first_decay = 0.9F;    ///< beta1
    float second_decay = 0.999F; ///< beta2
    float first_share = 0.1F;    ///< 1 - beta1
    float second_share = 0.001F; ///< 1 - beta2
    float size = 0;              ///< rate / (1 - beta1^step)
    float root_correction = 1;   ///< 1 / sqrt(1 - beta2^step)
    float epsilon = 1e-8F;       ///< added to the root of the second moment
    float gradient_decay = 0;    ///< of Adam: this times the weight is added to the gradient
    float weight_factor = 1;     ///< of AdamW: 1 - rate decay, by which the weight is multiplied first
};

/// The settings that users know, with their usual values.
struct adam_settings {
    /// `rate` is the learning rate, `beta1` and `beta2` what stays of the moments at each step. `epsilon` is added to
    /// the root of the second. `decay` acts on the gradient (Adam) or on the weight (AdamW).
    /// @{
    double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0;
    /// @}
    bool decoupled = true; ///< AdamW
};

/// Precondition: `step` counts from 1.
[[nodiscard]] inline adam_step step_of(const adam_settings& s, long long step) {
    const auto n = static_cast<double>(step);
    adam_step of;
    of.first_decay = static_cast<float>(s.beta1);
    of.second_decay = static_cast<float>(s.beta2);
    of.first_share = static_cast<float>(1 - s.beta1);
    of.second_share = static_cast<float>(1 - s.beta2);
    of.size = static_cast<float>(s.rate / (1 - std::pow(s.beta1, n)));
    of.root_correction = static_cast<float>(1 / std::sqrt(1 - std::pow(s.beta2, n)));
    of.epsilon = static_cast<float>(s.epsilon);
    of.gradient_decay = s.decoupled ? 0 : static_cast<float>(s.decay);
    of.weight_factor = s.decoupled ? static_cast<float>(1 - s.rate * s.decay) : 1;
    return of;
}

/// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; w = w - size m / (sqrt(v) correction + epsilon).
/// `first` (m) and `second` (v) are zero before the first step. Sources: Kingma and Ba 2015; Loshchilov and Hutter
/// 2019.
template <class Next = nothing>
struct adam {
    static constexpr std::size_t smallest_element = detail::smallest_beside_floats<Next>;
    static constexpr std::size_t largest_element = detail::largest_beside_floats<Next>;
    /// One of each for each element of the gradient: the weight, and the first and second moment.
    /// @{
    float *weights = nullptr, *first = nullptr, *second = nullptr;
    /// @}
    adam_step step{}; ///< the factors of this step
    Next next{};      ///< takes the new weight

    template <unsigned lanes>
    TUTTI_HOST_DEVICE void write(float (&total)[lanes], std::size_t at) const noexcept {
        pack<float, lanes> w, m, v;
        w.load(weights + at);
        m.load(first + at);
        v.load(second + at);
        detail::each_lane<lanes>(total, [&](float gradient, unsigned k) {
            return w.element[k] = moved(gradient, w.element[k], m.element[k], v.element[k]);
        });
        w.store(weights + at);
        m.store(first + at);
        v.store(second + at);
        next.template write<lanes>(total, at);
    }

    void list(std::vector<touched>& arrays) const {
        detail::list_floats(arrays, weights, "weight");
        detail::list_floats(arrays, first, "first moment");
        detail::list_floats(arrays, second, "second moment");
        next.list(arrays);
    }

private:
    TUTTI_HOST_DEVICE float moved(float gradient, float w, float& m, float& v) const noexcept {
        namespace exact = tutti::detail;
        const float g = exact::fused(step.gradient_decay, w, gradient);
        m = exact::canonical(exact::fused(step.first_decay, m, exact::times(step.first_share, g)));
        v = exact::canonical(exact::fused(step.second_decay, v, exact::times(exact::times(step.second_share, g), g)));
        const float root = exact::fused(exact::square_root(v), step.root_correction, step.epsilon);
        return exact::canonical(
            exact::fused(exact::negative(step.size), exact::divided(m, root), exact::times(step.weight_factor, w)));
    }
};

} // namespace tutti::kernels
