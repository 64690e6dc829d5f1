// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../parameter.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training {

/// Consecutive parameters whose gradients travel together.
struct bucket {
    std::size_t first = 0; ///< its first parameter
    std::size_t last = 0;  ///< the parameter behind its last
    std::size_t begin = 0; ///< its first element in the array of all parameters
    std::size_t count = 0; ///< elements
};

/// How many bytes of gradients travel together, as float. A small first bucket starts early; PyTorch has these sizes.
struct bucket_bytes {
    std::size_t first = std::size_t{1} << 20; ///< of the bucket of the last parameters
    std::size_t most = std::size_t{25} << 20; ///< of each other one
};

/// All parameters one after the other in one array, in forward order, and cut into buckets. Bucket 0 has the last
/// parameters, whose gradients come first. A bucket ends before the parameter with which it would be too large; a
/// larger parameter has a bucket of its own.
class bucket_plan {
public:
    /// The same on all ranks that give the same.
    bucket_plan(std::vector<parameter> parameters, bucket_bytes bytes) : parameters_(std::move(parameters)) {
        for (const auto& p : parameters_) {
            begin_.push_back(elements_);
            elements_ += p.elements;
        }
        bucket_of_.resize(parameters_.size());
        for (std::size_t i = parameters_.size(); i-- > 0;) add(i, bytes);
    }

    /// In forward order.
    [[nodiscard]] const std::vector<parameter>& parameters() const noexcept { return parameters_; }
    /// Of all parameters together.
    [[nodiscard]] std::size_t elements() const noexcept { return elements_; }
    /// Where a parameter begins in the array of all, and its own elements. These and bucket_of() throw invalid_argument
    /// for a number that no parameter has.
    /// @{
    [[nodiscard]] std::size_t begin(std::size_t parameter) const { return begin_[known(parameter)]; }
    [[nodiscard]] std::size_t elements(std::size_t parameter) const { return parameters_[known(parameter)].elements; }
    /// @}
    /// In the order in which they travel.
    [[nodiscard]] const std::vector<bucket>& buckets() const noexcept { return buckets_; }
    /// The bucket that a parameter is in.
    [[nodiscard]] std::size_t bucket_of(std::size_t parameter) const { return bucket_of_[known(parameter)]; }

private:
    [[nodiscard]] std::size_t known(std::size_t parameter) const {
        if (parameter >= parameters_.size())
            reject("training", "there is no parameter " + std::to_string(parameter) + ", but " +
                                   std::to_string(parameters_.size()) + " of them");
        return parameter;
    }
    void add(std::size_t i, bucket_bytes bytes) {
        const std::size_t most = buckets_.size() <= 1 ? bytes.first : bytes.most;
        const std::size_t more = parameters_[i].elements;
        if (buckets_.empty() || (buckets_.back().count + more) * sizeof(float) > most)
            buckets_.push_back({i, i + 1, begin_[i], more});
        else
            buckets_.back() = {i, buckets_.back().last, begin_[i], buckets_.back().count + more};
        bucket_of_[i] = buckets_.size() - 1;
    }

    std::vector<parameter> parameters_;
    std::vector<std::size_t> begin_, bucket_of_; // by parameter
    std::vector<bucket> buckets_;
    std::size_t elements_ = 0;
};

} // namespace tutti::training
