// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "corpus.hpp"
#include "rank_grid.hpp"
#include "task.hpp"
#include "whole_file.hpp"

#include <optional>

namespace tutti::tools {

/// Sequences of a text, whose next characters are to be told. Which sequences a batch has does not depend on the number
/// of replicas. So any grid of ranks goes through the same ones as a single rank.
class text final : public task {
public:
    /// `tested` is the part of the sequences to test with, if it is not that of the replica. Throws
    /// std::runtime_error if the text or an epoch is too short.
    template <class Communicator>
    text(const rank_grid<Communicator>& grid, const train_settings& settings, std::optional<share> tested = {})
        : own_{static_cast<std::size_t>(grid.data.rank()), static_cast<std::size_t>(grid.data.size())},
          tested_(tested.value_or(own_)), seed_(settings.seed), context_(settings.context),
          corpus_(read(settings.data)) {
        epoch_ = {settings.sequences, settings.batch, grid.of.stages > 1};
        if (corpus_.validation().size() <= context_)
            throw std::runtime_error(corpus_.name() + " is too short: a tenth of it must have more than --context " +
                                     std::to_string(context_) + " characters");
        if (steps() == 0) throw std::runtime_error("an epoch has fewer sequences than a batch");
    }

    [[nodiscard]] std::string words() const override {
        return std::to_string(epoch_.all) + " sequences of " + std::to_string(context_) + " characters (" +
               corpus_.name() + ")";
    }
    [[nodiscard]] std::size_t most_tests() const override { return size_of({0, tested_.parts}, tests); }
    [[nodiscard]] std::size_t rows() const override { return context_; }
    [[nodiscard]] std::size_t columns() const override { return 1; }
    [[nodiscard]] std::size_t kinds() const override { return corpus_.alphabet().size(); }

    void begin(std::size_t epoch) override { first_ = (epoch - 1) * (epoch_.all - epoch_.left_out()); }
    void take_microbatch(std::size_t step, std::size_t m, std::size_t parts) override {
        const auto [own, end_of_own] = part_of(own_, epoch_.examples(step));
        const auto [begin, end] = microbatch(end_of_own - own, m, parts);
        take(draw_sequences(corpus_.training(), context_, first_ + step * epoch_.batch + own + begin, end - begin,
                            seed_));
    }
    /// The same sequences of the part that is kept from training, each time.
    void take_tests(std::size_t first, std::size_t most) override {
        const auto [own, end] = part_of(tested_, tests);
        const std::size_t begin = std::min(own + first, end);
        take(draw_sequences(corpus_.validation(), context_, begin, std::min(most, end - begin), mix(seed_, 2)));
    }

private:
    static constexpr std::size_t tests = 256;

    [[nodiscard]] static corpus read(const std::string& file) {
        if (file.empty() || file == "kjv") return {king_james(), "the King James text"};
        return {whole_file(file), file};
    }
    void take(text_batch batch) {
        inputs_ = std::move(batch.inputs);
        labels_ = std::move(batch.labels);
    }

    const share own_, tested_;
    const std::uint64_t seed_;
    const std::size_t context_;
    const corpus corpus_;
    std::size_t first_ = 0; // sequence of the epoch
};

} // namespace tutti::tools
