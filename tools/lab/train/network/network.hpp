// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "chain.hpp"

#include <base/error.hpp>

#include <string>

namespace tutti::tools::neural {

/// Layers [first, last) of a network: a stage of a pipeline, or all.
struct layer_range {
    std::size_t first = 0;
    std::size_t last = 0;
};

/// A tensor of a network's parameters.
struct parameter {
    std::string name; ///< "2.linear.weight": the number of its layer, the layer, the tensor
    std::size_t layer = 0;
    std::size_t offset = 0; ///< of its first element in the array of all weights
    std::size_t rows = 1;
    std::size_t columns = 0;
};

/// A list of layers, and where the parameters of each lie in one array of all. It holds no weights: the caller has as
/// many versions of them as it likes, and one `saved` for each microbatch in flight.
class network {
public:
    /// Throws tutti::error where a layer does not take what the one before it gives.
    network(std::size_t inputs, std::vector<layer> layers) : layers_(std::move(layers)), columns_{inputs}, begin_{0} {
        if (layers_.empty()) reject("network", "there are no layers");
        for (const layer& l : layers_) {
            columns_.push_back(l.outputs(columns_.back()));
            begin_.push_back(begin_.back() + l.parameters());
        }
    }

    /// How many layers.
    [[nodiscard]] std::size_t size() const noexcept { return layers_.size(); }
    [[nodiscard]] layer_range all() const noexcept { return {0, size()}; }
    /// Weights of all layers.
    [[nodiscard]] std::size_t parameters() const noexcept { return begin_.back(); }
    /// Weights of a range.
    [[nodiscard]] std::size_t parameters(layer_range r) const { return begin_.at(r.last) - begin_.at(r.first); }
    /// Where those of layer l begin in the array of all; `offset(size())` is the end.
    [[nodiscard]] std::size_t offset(std::size_t l) const { return begin_.at(l); }
    /// The columns that layer l takes; `columns(size())` are those of the output.
    [[nodiscard]] std::size_t columns(std::size_t l) const { return columns_.at(l); }
    /// The kind of layer l: "linear".
    [[nodiscard]] std::string_view name(std::size_t l) const { return layers_.at(l).name(); }

    [[nodiscard]] std::vector<parameter> tensors() const {
        std::vector<parameter> all;
        for (std::size_t l = 0; l < size(); ++l) {
            std::size_t at = begin_[l];
            for (const tensor& t : layers_[l].tensors()) {
                const std::string prefix = std::to_string(l) + "." + std::string(layers_[l].name()) + ".";
                all.push_back({prefix + t.name, l, at, t.rows, t.columns});
                at += t.size();
            }
        }
        return all;
    }

    /// First weights of the layers of a range. Each layer draws from a source of its own, so that a stage gets what the
    /// whole network would have there.
    void initialise(layer_range r, std::span<float> w, std::uint64_t seed) const {
        for (std::size_t l = r.first; l < r.last; ++l) {
            random_source random{mix(seed, l)};
            layers_[l].initialise(w.subspan(begin_[l] - begin_[r.first], layers_[l].parameters()), random);
        }
    }

    /// `w` are the weights of the range. The input has columns(first) columns, the output columns(last) and as many
    /// rows. The caller keeps input and weights until the backward of these.
    void forward(layer_range r, std::span<const float> w, const_matrix input, matrix output, saved& kept) const {
        check(r, w.size());
        neural::forward(part(r), w, input, output, kept);
    }

    /// `slope` is the gradient of the loss by the output of forward. Writes that by the input, unless `input_slope` has
    /// no data, and adds that by the weights to `w_slope`. `told` hears of each layer, last to first, once it is
    /// complete.
    void backward(layer_range r, std::span<const float> w, const_matrix input, const saved& kept, const_matrix slope,
                  matrix input_slope, std::span<float> w_slope, const on_gradient& told = {}) const {
        check(r, w.size());
        check(r, w_slope.size());
        neural::backward(part(r), w, input, kept, slope, input_slope, w_slope, told, r.first);
    }

private:
    [[nodiscard]] std::span<const layer> part(layer_range r) const {
        return std::span(layers_).subspan(r.first, r.last - r.first);
    }
    void check(layer_range r, std::size_t weights) const {
        if (r.first >= r.last || r.last > size())
            reject("network", "there are no layers " + std::to_string(r.first) + " to " + std::to_string(r.last));
        if (weights != parameters(r))
            reject("network", "layers " + std::to_string(r.first) + " to " + std::to_string(r.last) + " have " +
                                  std::to_string(parameters(r)) + " weights, not " + std::to_string(weights));
    }

    std::vector<layer> layers_;
    std::vector<std::size_t> columns_; // into each layer, and out of the last
    std::vector<std::size_t> begin_;   // of each layer's weights, and their end
};

} // namespace tutti::tools::neural
