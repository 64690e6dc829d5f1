// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../train/stage_run.hpp"
#include "../pictures_of.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace tutti::tools::study::pipeline {

/// The middles of pictures, as many microbatches as a step has.
class middles {
public:
    static constexpr int microbatches = 8;  ///< of a step
    static constexpr std::size_t edge = 16; ///< of a middle, in pixels
    static constexpr std::size_t pixels = edge * edge;

    /// Of so many pictures a microbatch. Throws std::runtime_error where there are none of 28 x 28 pixels.
    middles(const settings& s, std::size_t rows) : rows_(rows) {
        const dataset set = pictures_of(s, false);
        if (set.size() == 0 || set.pixels != digit_edge * digit_edge)
            throw std::runtime_error("there are no test pictures of 28 x 28 pixels");
        constexpr std::size_t border = (digit_edge - edge) / 2;
        std::vector<float> picture(set.pixels);
        for (std::size_t i = 0; i < microbatches * rows; ++i) {
            copy_picture(set.image(i % set.size()), picture);
            for (std::size_t y = 0; y < edge; ++y) {
                const auto row = picture.begin() + static_cast<std::ptrdiff_t>((border + y) * digit_edge + border);
                inputs_.insert(inputs_.end(), row, row + edge);
            }
            labels_.push_back(set.labels[i % set.size()]);
        }
    }
    [[nodiscard]] labelled batch(int m) const {
        const std::size_t first = static_cast<std::size_t>(m % microbatches) * rows_;
        return {{inputs_.data() + first * pixels, rows_, pixels}, std::span(labels_).subspan(first, rows_)};
    }

private:
    const std::size_t rows_;
    std::vector<float> inputs_;
    std::vector<std::uint8_t> labels_;
};

} // namespace tutti::tools::study::pipeline
