// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dataset.hpp"
#include "network/matrix_view.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tutti::tools {

/// How an epoch is cut into batches. The last one has what is left, unless all must be whole.
struct epoch_cut {
    std::size_t all = 0;   ///< examples of an epoch
    std::size_t batch = 1; ///< of them
    bool is_whole = false; ///< batches are of equal size

    [[nodiscard]] std::size_t steps() const noexcept { return is_whole ? all / batch : (all + batch - 1) / batch; }
    /// Of the batch of a step, which counts from 0 in each epoch.
    [[nodiscard]] std::size_t examples(std::size_t step) const noexcept { return std::min(batch, all - step * batch); }
    /// Of each epoch.
    [[nodiscard]] std::size_t left_out() const noexcept { return is_whole ? all % batch : 0; }
};

/// What a network learns, as one replica of it sees that: its part of each batch, and its part of the examples to test
/// with. An example is a picture, or a sequence of text.
class task {
public:
    virtual ~task() = default;

    /// In words: "60000 training pictures (drawn)".
    [[nodiscard]] virtual std::string words() const = 0;
    /// The same for all replicas.
    [[nodiscard]] const epoch_cut& epoch() const noexcept { return epoch_; }
    /// The steps of an epoch.
    [[nodiscard]] std::size_t steps() const noexcept { return epoch_.steps(); }
    /// Examples to test with, of the replica that has most.
    [[nodiscard]] virtual std::size_t most_tests() const = 0;
    /// Rows of inputs that an example has, each with a label.
    [[nodiscard]] virtual std::size_t rows() const = 0;
    /// Columns of an input.
    [[nodiscard]] virtual std::size_t columns() const = 0;
    /// Labels are below it.
    [[nodiscard]] virtual std::size_t kinds() const = 0;

    /// Epochs count from 1.
    virtual void begin(std::size_t epoch) = 0;
    /// Takes part number m of so many equal parts of this replica's part of a batch. A batch is spread over the
    /// replicas as evenly as can be: some take one example more, and none where there are fewer examples than replicas.
    virtual void take_microbatch(std::size_t step, std::size_t m, std::size_t parts) = 0;
    /// Takes up to `most` examples to test with, from number `first` on.
    virtual void take_tests(std::size_t first, std::size_t most) = 0;

    /// Of what was taken last.
    /// @{
    [[nodiscard]] neural::const_matrix inputs() const { return {inputs_.data(), labels_.size(), columns()}; }
    [[nodiscard]] std::span<const std::uint8_t> labels() const noexcept { return labels_; }
    /// @}

protected:
    epoch_cut epoch_;
    std::vector<float> inputs_;
    std::vector<std::uint8_t> labels_;
};

/// Examples [begin, end) of one part of a batch.
struct example_range {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The examples of a batch of `count` that a replica takes, where each takes consecutive ones.
[[nodiscard]] constexpr example_range part_of(share own, std::size_t count) noexcept {
    const std::size_t begin = own.part * (count / own.parts) + std::min(own.part, count % own.parts);
    return {begin, begin + size_of(own, count)};
}

/// The m-th of so many parts of `count` examples.
[[nodiscard]] constexpr example_range microbatch(std::size_t count, std::size_t m, std::size_t parts) noexcept {
    return {count * m / parts, count * (m + 1) / parts};
}

} // namespace tutti::tools
