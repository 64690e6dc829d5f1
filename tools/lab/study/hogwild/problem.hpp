// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../study.hpp"

#include <training/hogwild.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti::tools::study::hogwild {

/// Samples of two classes for logistic regression. Of a sample there are the features that are not zero.
class problem {
public:
    std::string name;
    std::string words; ///< what it is
    std::size_t features = 0;

    problem(std::string called, std::string in_words, std::size_t of_features)
        : name(std::move(called)), words(std::move(in_words)), features(of_features) {}

    /// Adds a sample: it is of the first class, or of the second.
    void add(const std::vector<std::uint32_t>& indices, const std::vector<float>& values, bool is_first);
    /// Each tenth sample is kept from training, the others follow.
    void split();

    [[nodiscard]] std::size_t samples() const noexcept { return begin_.size() - 1; }
    [[nodiscard]] std::size_t training() const noexcept { return samples() - tests_; }
    /// Features of a sample, in the mean.
    [[nodiscard]] double features_a_sample() const {
        return static_cast<double>(indices_.size()) / static_cast<double>(samples());
    }
    /// The share of samples that have the feature which most of them have: Delta of Niu et al.
    [[nodiscard]] double most_common() const;

    /// The gradient of the loss of training sample s.
    void gradient(std::size_t s, const training::shared_weights& w, training::sparse_step& to) const;
    /// Mean loss of the training samples, and the share of the others that are taken for the wrong class.
    /// @{
    [[nodiscard]] double loss(const training::shared_weights& w) const;
    [[nodiscard]] double error(const training::shared_weights& w) const;
    /// @}

private:
    /// How far sample s is on its side.
    [[nodiscard]] float margin(std::size_t s, const training::shared_weights& w) const;

    std::vector<std::size_t> begin_{0}; ///< by sample, and the end
    std::vector<std::uint32_t> indices_;
    std::vector<float> values_; ///< times 1 or -1, by class
    std::size_t tests_ = 0;     ///< the last samples
};

/// Verses of the King James text by the words that are in them: of the New Testament or not. It needs Debian's package
/// bible-kjv-text.
[[nodiscard]] problem sparse_problem(const settings& s);
/// Pictures of the kinds 0 and 6, of Fashion-MNIST T-shirts and shirts, by all of their points.
[[nodiscard]] problem dense_problem(const settings& s);

} // namespace tutti::tools::study::hogwild
