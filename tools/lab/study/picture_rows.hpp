// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../train/network/matrix_view.hpp"
#include "pictures_of.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::tools::study {

/// Pictures in rows, as a network takes them.
struct picture_rows {
    std::vector<float> inputs;
    std::vector<std::uint8_t> labels;

    /// Picture index(i) of a set, for each i below `count`.
    void take(const dataset& from, std::size_t count, const auto& index) {
        take_pictures(from, count, index, inputs, labels);
    }
    [[nodiscard]] neural::const_matrix matrix() const {
        return {inputs.data(), labels.size(), inputs.size() / labels.size()};
    }
};

} // namespace tutti::tools::study
