// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <random>
#include <span>
#include <vector>

/// A network of four layers, each tanh(x w), that learns what another one computes. Matrices lie by rows.
namespace small {

inline constexpr std::size_t layers = 4, width = 8, layer_size = width * width, rows = 64;
inline constexpr int steps = 200;
inline constexpr double rate = 0.1;
using view = std::span<const float>;
using room = std::span<float>;

/// y = x w, of which x has `in` columns.
inline void linear(view x, view w, room y, std::size_t in) {
    const std::size_t out = w.size() / in;
    for (std::size_t r = 0; r < x.size() / in; ++r)
        for (std::size_t c = 0; c < out; ++c) {
            y[r * out + c] = 0;
            for (std::size_t i = 0; i < in; ++i) y[r * out + c] += x[r * in + i] * w[i * out + c];
        }
}
/// From the gradient by y, that by x, if there is room for it, and that by w, which is added.
inline void linear_back(view x, view w, view dy, room dx, room dw, std::size_t in) {
    const std::size_t out = w.size() / in;
    std::ranges::fill(dx, 0.F);
    for (std::size_t r = 0; r < x.size() / in; ++r)
        for (std::size_t i = 0; i < in; ++i)
            for (std::size_t c = 0; c < out; ++c) {
                dw[i * out + c] += x[r * in + i] * dy[r * out + c];
                if (!dx.empty()) dx[r * in + i] += dy[r * out + c] * w[i * out + c];
            }
}
inline void squash(room y) {
    for (float& v : y) v = std::tanh(v);
}
inline void squash_back(view y, room dy) {
    for (std::size_t i = 0; i < dy.size(); ++i) dy[i] *= 1 - y[i] * y[i];
}
/// dy = (y - target) / count; returns half of the squared error.
inline double error_of(view y, view target, room dy, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        dy[i] = (y[i] - target[i]) / static_cast<float>(count);
        sum += 0.5 * (y[i] - target[i]) * (y[i] - target[i]);
    }
    return sum;
}

/// The same on every rank.
inline std::vector<float> drawn(std::size_t count, unsigned seed) {
    std::mt19937 bits(seed);
    std::vector<float> values(count);
    for (float& v : values) v = static_cast<float>(bits() % 2001) / 1000 - 1;
    return values;
}
inline std::vector<float> first_weights() { return drawn(layers * layer_size, 1); }
inline room layer(std::vector<float>& all, std::size_t l) { return room(all).subspan(l * layer_size, layer_size); }

struct examples {
    std::vector<float> x, target;
};

/// Forward and backward, one layer after the other. weights(l) and gradient(l) are spans; ready(l) is told that the
/// gradient of layer l is complete. Gradients are divided by `count`. Returns the error.
double pass(const examples& of, std::size_t count, const auto& weights, const auto& gradient, const auto& ready) {
    std::vector<std::vector<float>> y{of.x};
    for (std::size_t l = 0; l < layers; ++l) {
        y.emplace_back(of.x.size());
        linear(y[l], weights(l), y[l + 1], width);
        squash(y[l + 1]);
    }
    std::vector<float> dy(of.x.size()), dx(of.x.size());
    const double error = error_of(y[layers], of.target, dy, count);
    for (std::size_t l = layers; l-- > 0; dy.swap(dx)) {
        squash_back(y[l + 1], dy);
        linear_back(y[l], weights(l), dy, dx, gradient(l), width);
        ready(l);
    }
    return error;
}

/// `count` rows from `first` on, and what they shall become.
inline examples rows_from(std::size_t first, std::size_t count) {
    const std::vector<float> all = drawn(rows * width, 2);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first * width);
    examples of{{begin, begin + static_cast<std::ptrdiff_t>(count * width)}, {}};
    of.target = of.x;
    std::vector<float> teacher = drawn(layers * layer_size, 3), y(of.x.size());
    for (std::size_t l = 0; l < layers; ++l) {
        linear(of.target, layer(teacher, l), y, width);
        squash(y);
        of.target = y;
    }
    return of;
}

/// The weights after training on one rank.
inline std::vector<float> serial() {
    std::vector<float> w = first_weights(), g(w.size());
    const examples all = rows_from(0, rows);
    for (int step = 0; step < steps; ++step) {
        std::ranges::fill(g, 0.F);
        pass(
            all, rows, [&](std::size_t l) { return layer(w, l); }, [&](std::size_t l) { return layer(g, l); },
            [](std::size_t) {});
        for (std::size_t i = 0; i < w.size(); ++i) w[i] -= static_cast<float>(rate) * g[i];
    }
    return w;
}

/// Says how far weights from `first` on are from those of the serial run; returns the exit status.
inline int compare(const char* how, view weights, std::size_t first, bool prints) {
    const std::vector<float> right = serial();
    float most = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) most = std::max(most, std::abs(weights[i] - right[first + i]));
    const bool well = most < 1e-3F;
    if (prints || !well)
        std::printf("%s: %s the serial run\n", how, well ? "weights as those of" : "NOT the weights of");
    return well ? 0 : 1;
}

} // namespace small
