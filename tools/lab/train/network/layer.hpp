// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../tutti/common/random.hpp"
#include "matrix_view.hpp"

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::tools::neural {

/// What a layer's forward keeps for its backward, beside its input, which the caller keeps. It belongs to one
/// microbatch: with one each, several are in flight. Used again, it allocates nothing.
struct saved {
    std::vector<float> values;
    std::vector<saved> inside;               ///< of a layer that has layers: theirs
    std::vector<std::vector<float>> outputs; ///< likewise: what each but the last one gave to the next
};

/// One tensor of a layer's parameters.
struct tensor {
    std::string name;
    std::size_t rows = 1;
    std::size_t columns = 0;

    [[nodiscard]] std::size_t size() const noexcept { return rows * columns; }
};

/// A layer is a description: it holds neither weights nor activations, and any number of calls may use it at once.
///
/// - `outputs(inputs)`: the columns of its output; tutti::error if it cannot take so many columns.
/// - `parameters()`: how many weights it has; `tensors()`: what they are, in their order.
/// - `initialise(w, random)`: writes first weights.
/// - `forward(w, input, output, kept)`: writes the output and what is to be kept.
/// - `backward(w, input, kept, slope, input_slope, w_slope)`: `slope` is the loss's gradient by the output. Writes that
///   by the input, and adds that by the weights. An `input_slope` without data is not wanted.
///
/// A row of a matrix is one picture, or one place of a sequence.
template <class Layer>
concept layer_description =
    requires(const Layer& it, std::span<float> w, std::span<const float> w_read, random_source& random,
             const_matrix read, matrix written, saved& kept, const saved& kept_read) {
        { it.name() } -> std::convertible_to<std::string_view>;
        { it.tensors() } -> std::same_as<std::vector<tensor>>;
        { it.parameters() } -> std::same_as<std::size_t>;
        { it.outputs(std::size_t{}) } -> std::same_as<std::size_t>;
        it.initialise(w, random);
        it.forward(w_read, read, written, kept);
        it.backward(w_read, read, kept_read, read, written, w);
    };

/// Any layer, as a value. Copies share the description, which never changes.
class layer {
public:
    template <class Layer>
        requires(!std::same_as<Layer, layer> && layer_description<Layer>)
    layer(Layer description) : it_(std::make_shared<const model<Layer>>(std::move(description))) {}

    [[nodiscard]] std::string_view name() const { return it_->name(); }
    [[nodiscard]] std::vector<tensor> tensors() const { return it_->tensors(); }
    [[nodiscard]] std::size_t parameters() const { return it_->parameters(); }
    [[nodiscard]] std::size_t outputs(std::size_t inputs) const { return it_->outputs(inputs); }
    void initialise(std::span<float> w, random_source& random) const { it_->initialise(w, random); }
    void forward(std::span<const float> w, const_matrix input, matrix output, saved& kept) const {
        it_->forward(w, input, output, kept);
    }
    void backward(std::span<const float> w, const_matrix input, const saved& kept, const_matrix slope,
                  matrix input_slope, std::span<float> w_slope) const {
        it_->backward(w, input, kept, slope, input_slope, w_slope);
    }

private:
    struct face {
        virtual ~face() = default;
        virtual std::string_view name() const = 0;
        virtual std::vector<tensor> tensors() const = 0;
        virtual std::size_t parameters() const = 0;
        virtual std::size_t outputs(std::size_t) const = 0;
        virtual void initialise(std::span<float>, random_source&) const = 0;
        virtual void forward(std::span<const float>, const_matrix, matrix, saved&) const = 0;
        virtual void backward(std::span<const float>, const_matrix, const saved&, const_matrix, matrix,
                              std::span<float>) const = 0;
    };
    template <class Layer>
    struct model final : face {
        explicit model(Layer description) : it(std::move(description)) {}
        std::string_view name() const override { return it.name(); }
        std::vector<tensor> tensors() const override { return it.tensors(); }
        std::size_t parameters() const override { return it.parameters(); }
        std::size_t outputs(std::size_t inputs) const override { return it.outputs(inputs); }
        void initialise(std::span<float> w, random_source& random) const override { it.initialise(w, random); }
        void forward(std::span<const float> w, const_matrix input, matrix output, saved& kept) const override {
            it.forward(w, input, output, kept);
        }
        void backward(std::span<const float> w, const_matrix input, const saved& kept, const_matrix slope,
                      matrix input_slope, std::span<float> w_slope) const override {
            it.backward(w, input, kept, slope, input_slope, w_slope);
        }
        Layer it;
    };

    std::shared_ptr<const face> it_;
};

} // namespace tutti::tools::neural
