// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::server {

/// Collects changes of keys, and gives those that come to more than a threshold. The others stay until they do, so
/// nothing is lost. The significantly modified filter of Li et al., OSDI 2014, section 5.1.
/// Memory: a float for each key.
class significant_changes {
public:
    /// Of a store with so many keys. A threshold of 0 gives all that differ from 0. Throws invalid_argument for one
    /// that is negative or no number.
    significant_changes(std::uint64_t keys, float threshold) : waiting_(keys), threshold_(threshold) {
        if (!(threshold >= 0)) reject("significant_changes", "the threshold is " + std::to_string(threshold));
    }

    /// Adds to the changes from key `first` on. Throws invalid_argument for keys that there are not.
    void add(std::uint64_t first, std::span<const float> changes) {
        if (first > waiting_.size() || changes.size() > waiting_.size() - first)
            reject("significant_changes::add", "keys beyond the last one");
        for (std::size_t i = 0; i < changes.size(); ++i) waiting_[first + i] += changes[i];
    }

    /// Keys that increase, and the change of each.
    struct taken {
        std::vector<std::uint64_t> keys; ///< for client::add or client::push
        std::vector<float> changes;      ///< of each key
    };
    /// Takes those whose magnitude is above the threshold. NaN is above it.
    [[nodiscard]] taken take() { return take_above(threshold_); }
    /// Takes all that differ from 0, as before an end.
    [[nodiscard]] taken take_all() { return take_above(0); }

private:
    [[nodiscard]] taken take_above(float least) {
        taken all;
        for (std::size_t k = 0; k < waiting_.size(); ++k) {
            if (std::abs(waiting_[k]) <= least) continue;
            all.keys.push_back(k);
            all.changes.push_back(std::exchange(waiting_[k], 0.0F));
        }
        return all;
    }
    std::vector<float> waiting_; ///< by key
    float threshold_;
};

} // namespace tutti::training::server
