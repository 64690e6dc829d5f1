// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "network/network.hpp"
#include "training_job.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace tutti::tools {

/// Forward and backward of a network whose weights a job has, layer by layer: a layer's weights are needed during its
/// own part alone, and its gradients travel while the layers before it compute.
class layer_pass {
public:
    layer_pass(const neural::network& network, training_job& weights)
        : network_(network), job_(weights), kept_(network.size()), outputs_(network.size() - 1), first_{0} {
        const auto tensors = network.tensors();
        for (std::size_t l = 0, i = 0; l < network.size(); ++l) {
            while (i < tensors.size() && tensors[i].layer == l) ++i;
            first_.push_back(i);
        }
    }

    /// What a job lists.
    [[nodiscard]] static std::vector<training::parameter> parameters_of(const neural::network& network) {
        std::vector<training::parameter> all;
        for (const auto& t : network.tensors()) all.push_back({t.name, t.rows * t.columns, t.rows > 1});
        return all;
    }

    void forward(neural::const_matrix input, neural::matrix output) {
        for (std::size_t l = 0; l < network_.size(); ++l) {
            if (l + 1 < network_.size()) outputs_[l].resize(input.rows * network_.columns(l + 1));
            const neural::matrix result = l + 1 < network_.size() ? kept_output(l, input.rows) : output;
            network_.forward({l, l + 1}, weights(l), input, result, kept_[l]);
            release(l);
            input = result;
        }
    }

    /// Of the last forward, whose input is still there. Adds to the gradients, and says of each layer that it is ready.
    void backward(neural::const_matrix input, neural::const_matrix slope) {
        std::vector<float> slopes, next;
        for (std::size_t l = network_.size(); l-- > 0;) {
            next.resize(l == 0 ? 0 : input.rows * network_.columns(l));
            const neural::matrix result =
                l == 0 ? neural::matrix{} : neural::matrix{next.data(), input.rows, network_.columns(l)};
            const neural::const_matrix from = l == 0 ? input : kept_output(l - 1, input.rows);
            const std::span<float> gradients = gradient(l);
            network_.backward({l, l + 1}, weights(l), from, kept_[l], slope, result, gradients);
            release(l);
            ready(l, gradients);
            slopes.swap(next);
            slope = result;
        }
    }

    /// visit(weights of a layer), in forward order.
    void each_layer(const auto& visit) {
        for (std::size_t l = 0; l < network_.size(); ++l) {
            visit(weights(l));
            release(l);
        }
    }

private:
    [[nodiscard]] neural::matrix kept_output(std::size_t l, std::size_t rows) {
        return {outputs_[l].data(), rows, network_.columns(l + 1)};
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
        return joined<const float>(l, weights_, [this](std::size_t i) { return job_.weights(i); });
    }
    [[nodiscard]] std::span<float> gradient(std::size_t l) {
        return joined<float>(l, gradients_, [this](std::size_t i) { return job_.gradient(i); });
    }
    void release(std::size_t l) {
        for (std::size_t i = first_[l]; i < first_[l + 1]; ++i) job_.release(i);
    }
    void ready(std::size_t l, std::span<const float> gradients) {
        for (std::size_t i = first_[l + 1]; i-- > first_[l];) {
            const std::span<float> to = job_.gradient(i);
            const auto from = gradients.last(to.size());
            if (from.data() != to.data()) std::ranges::copy(from, to.begin());
            gradients = gradients.first(gradients.size() - to.size());
            job_.ready(i);
        }
    }

    const neural::network& network_;
    training_job& job_;
    std::vector<neural::saved> kept_;
    std::vector<std::vector<float>> outputs_; // of each layer but the last
    std::vector<std::size_t> first_;          // by layer: its first tensor
    std::vector<float> weights_, gradients_;  // of a layer in two buckets
};

} // namespace tutti::tools
