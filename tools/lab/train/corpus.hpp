// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../tutti/common/random.hpp"

#include <base/error.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::tools {

/// A text as numbers of characters, cut once: the last tenth is kept from training.
class corpus {
public:
    /// `name` says in reports where the text is from.
    corpus(std::string_view text, std::string name) : name_(std::move(name)) {
        std::array<bool, 256> there{};
        for (const char c : text) there[static_cast<unsigned char>(c)] = true;
        std::array<std::uint8_t, 256> numbers{};
        for (std::size_t c = 0; c < 256; ++c)
            if (there[c]) {
                numbers[c] = static_cast<std::uint8_t>(alphabet_.size());
                alphabet_ += static_cast<char>(c);
            }
        for (const char c : text) numbers_.push_back(numbers[static_cast<unsigned char>(c)]);
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// The characters that there are, in the order of their numbers.
    [[nodiscard]] const std::string& alphabet() const noexcept { return alphabet_; }
    [[nodiscard]] std::span<const std::uint8_t> training() const noexcept {
        return std::span(numbers_).first(numbers_.size() - numbers_.size() / 10);
    }
    [[nodiscard]] std::span<const std::uint8_t> validation() const noexcept {
        return std::span(numbers_).last(numbers_.size() / 10);
    }

private:
    std::string name_;
    std::string alphabet_;
    std::vector<std::uint8_t> numbers_;
};

/// Sequences for a transformer: in `inputs` the characters as floats, in `labels` the one that follows each.
struct text_batch {
    std::vector<float> inputs;
    std::vector<std::uint8_t> labels;
};

/// Sequences first, first + 1 ... of `context` places from anywhere in a part of a corpus. Sequence i depends on the
/// seed and i alone: however a batch is spread over ranks, it is the same. Throws tutti::error if the text is too
/// short.
[[nodiscard]] inline text_batch draw_sequences(std::span<const std::uint8_t> text, std::size_t context,
                                               std::uint64_t first, std::size_t count, std::uint64_t seed) {
    if (text.size() <= context)
        reject("draw_sequences", "a text of " + std::to_string(text.size()) + " characters has no sequence of " +
                                     std::to_string(context));
    text_batch batch;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = random_source{mix(seed, first + i)}.below(text.size() - context);
        const auto seen = text.subspan(at, context), next = text.subspan(at + 1, context);
        batch.inputs.insert(batch.inputs.end(), seen.begin(), seen.end());
        batch.labels.insert(batch.labels.end(), next.begin(), next.end());
    }
    return batch;
}

/// Whether Debian's package bible-kjv-text is installed.
[[nodiscard]] bool has_king_james();
/// Its text, a verse a line. Throws std::runtime_error if it is not there, or cannot be read.
[[nodiscard]] std::string king_james();

} // namespace tutti::tools
