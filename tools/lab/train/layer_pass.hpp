// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "network/network.hpp"
#include "step_compute.hpp"
#include "step_trace.hpp"
#include "training_job.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

namespace tutti::tools {

/// What a forward pass keeps for its backward, of one microbatch.
struct kept_pass {
    std::vector<neural::saved> layers;
    std::vector<std::vector<float>> outputs; ///< of each layer but the last
};

/// Forward and backward of some layers of a network, whose weights a job has, one layer at a time. A layer's weights
/// are needed during its own part alone. Its gradients travel while the layers before it compute.
class layer_pass {
public:
    /// `first` is the job's number of the range's first tensor. A trace is told of each layer.
    layer_pass(const neural::network& network, neural::layer_range range, training_job& weights,
               const simulated_computing& time, std::size_t first = 0, step_trace* trace = nullptr)
        : network_(network), range_(range), job_(weights), time_(time), trace_(trace), first_{first} {
        const auto tensors = network.tensors();
        for (std::size_t l = range.first; l < range.last; ++l)
            first_.push_back(first_.back() + static_cast<std::size_t>(std::ranges::count(
                                                 tensors, l, [](const neural::parameter& t) { return t.layer; })));
    }

    /// What a job lists of a range of layers, and of several.
    /// @{
    [[nodiscard]] static std::vector<training::parameter> parameters_of(const neural::network& network,
                                                                        neural::layer_range range) {
        std::vector<training::parameter> all;
        for (const auto& t : network.tensors())
            if (t.layer >= range.first && t.layer < range.last) all.push_back({t.name, t.rows * t.columns, t.rows > 1});
        return all;
    }

    [[nodiscard]] static std::vector<training::parameter> parameters_of(const neural::network& network,
                                                                        std::span<const neural::layer_range> ranges) {
        std::vector<training::parameter> all;
        for (const neural::layer_range& range : ranges)
            std::ranges::move(parameters_of(network, range), std::back_inserter(all));
        return all;
    }
    /// @}

    [[nodiscard]] neural::layer_range range() const noexcept { return range_; }

    void forward(neural::const_matrix input, neural::matrix output, kept_pass& kept) {
        kept.layers.resize(layers());
        kept.outputs.resize(layers() - 1);
        for (std::size_t l = 0; l < layers(); ++l) {
            if (l + 1 < layers()) kept.outputs[l].resize(input.rows * columns(l + 1));
            const neural::matrix result = l + 1 < layers() ? kept_output(kept, l, input.rows) : output;
            const step_trace::slice timed = traced("forward", l);
            const std::span<const float> own = weights(l);
            time_.forward(network_.parameters(layer(l)),
                          [&] { network_.forward(layer(l), own, input, result, kept.layers[l]); });
            release(l);
            input = result;
        }
    }

    /// Of a forward whose input is still there. Adds to the gradients, and writes those by the input unless
    /// `input_slope` has no data. With `ends_round` it says of each layer that its gradients are ready.
    void backward(neural::const_matrix input, kept_pass& kept, neural::const_matrix slope, neural::matrix input_slope,
                  bool ends_round) {
        std::vector<float> slopes, next;
        for (std::size_t l = layers(); l-- > 0;) {
            next.resize(l == 0 ? 0 : input.rows * columns(l));
            const neural::matrix result = l == 0 ? input_slope : neural::matrix{next.data(), input.rows, columns(l)};
            const neural::const_matrix from = l == 0 ? input : kept_output(kept, l - 1, input.rows);
            const step_trace::slice timed = traced("backward", l);
            const std::span<float> gradients = gradient(l);
            const std::span<const float> own = weights(l);
            time_.backward(network_.parameters(layer(l)),
                           [&] { network_.backward(layer(l), own, from, kept.layers[l], slope, result, gradients); });
            release(l);
            give_back(l, gradients, ends_round);
            slopes.swap(next);
            slope = result;
        }
    }

    /// visit(weights of a layer), in forward order.
    void each_layer(const auto& visit) {
        for (std::size_t l = 0; l < layers(); ++l) {
            visit(weights(l));
            release(l);
        }
    }

private:
    // Layers count from the range's first.
    [[nodiscard]] std::size_t layers() const noexcept { return range_.last - range_.first; }
    [[nodiscard]] neural::layer_range layer(std::size_t l) const noexcept {
        return {range_.first + l, range_.first + l + 1};
    }
    [[nodiscard]] std::size_t columns(std::size_t l) const { return network_.columns(range_.first + l); }
    [[nodiscard]] neural::matrix kept_output(kept_pass& kept, std::size_t l, std::size_t rows) const {
        return {kept.outputs[l].data(), rows, columns(l + 1)};
    }

    [[nodiscard]] step_trace::slice traced(std::string_view what, std::size_t l) const {
        return {trace_, what, network_.name(range_.first + l), range_.first + l};
    }

    /// The tensors of a layer as one array. Those that lie in two buckets are copied into `room`.
    template <class Element>
    [[nodiscard]] std::span<Element> joined(std::size_t l, std::vector<float>& room, const auto& tensor) {
        if (first_[l] == first_[l + 1]) return {};
        std::span<Element> all = tensor(first_[l]);
        bool is_copied = false;
        for (std::size_t i = first_[l] + 1; i < first_[l + 1]; ++i) {
            const std::span<Element> more = tensor(i);
            if (!is_copied && all.data() + all.size() != more.data()) {
                room.assign(all.begin(), all.end());
                is_copied = true;
            }
            if (is_copied)
                room.insert(room.end(), more.begin(), more.end());
            else
                all = {all.data(), all.size() + more.size()};
        }
        return is_copied ? std::span<Element>(room) : all;
    }
    [[nodiscard]] std::span<const float> weights(std::size_t l) {
        return joined<const float>(l, weights_, [this](std::size_t i) {
            const step_trace::slice timed(trace_, "gather weights");
            return job_.weights(i);
        });
    }
    [[nodiscard]] std::span<float> gradient(std::size_t l) {
        return joined<float>(l, gradients_, [this](std::size_t i) { return job_.gradient(i); });
    }
    void release(std::size_t l) {
        for (std::size_t i = first_[l]; i < first_[l + 1]; ++i) job_.release(i);
    }
    void give_back(std::size_t l, std::span<const float> gradients, bool ends_round) {
        for (std::size_t i = first_[l + 1]; i-- > first_[l];) {
            const std::span<float> to = job_.gradient(i);
            const auto from = gradients.last(to.size());
            if (from.data() != to.data()) std::ranges::copy(from, to.begin());
            gradients = gradients.first(gradients.size() - to.size());
            const step_trace::slice timed(ends_round ? trace_ : nullptr, "move buckets");
            if (ends_round) job_.ready(i);
        }
    }

    const neural::network& network_;
    const neural::layer_range range_;
    training_job& job_;
    const simulated_computing& time_;
    step_trace* trace_;
    std::vector<std::size_t> first_;         // by layer: its first tensor
    std::vector<float> weights_, gradients_; // of a layer in two buckets
};

} // namespace tutti::tools
