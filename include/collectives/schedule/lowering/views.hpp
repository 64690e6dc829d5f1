// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "places.hpp"

#include "../../../base/language.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tutti::schedule {

/// The receives that may be *viewed* instead of stored: their data are one operand of one reduce_many, and no other
/// step reads them. A transport may leave such a message where it lies until the reduce_many runs. A message of several
/// parts is stored.
class views {
public:
    /// A viewed receive, and as which operand its reader reads it.
    struct operand {
        int receive = -1;
        int number = -1;
        friend constexpr bool operator==(const operand&, const operand&) = default;
    };

    TUTTI_CONSTEXPR views() = default;
    /// Linear in steps and in the chunks that they touch.
    TUTTI_COLD TUTTI_CONSTEXPR views(const std::vector<step>& steps, int chunks, bool in_place) {
        const auto is_many = [](const step& s) { return s.what == action::reduce_many; };
        if (std::none_of(steps.begin(), steps.end(), is_many)) return;
        uses_.assign(steps.size(), {});
        const place_numbers numbers(steps, chunks, in_place);
        std::vector<int> writer(numbers.size(), -1);
        for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
            const step& s = steps[static_cast<std::size_t>(i)];
            for (int k = 0; k < sources(s); ++k) read(steps, i, k, source(s, k), writer, numbers);
            if (reads_to(s)) read(steps, i, -1, s.to, writer, numbers);
            if (!writes_to(s)) continue;
            const auto first = writer.begin() + static_cast<std::ptrdiff_t>(numbers.of(s.to.where, s.to.first));
            std::fill_n(first, s.to.count, i);
        }
        sort();
    }

    /// The reduce_many that reads the message of step i; -1: the message is to be stored, or step i receives none.
    [[nodiscard]] constexpr int reader_of(int i) const {
        return uses_.empty() ? -1 : uses_[static_cast<std::size_t>(i)].reader;
    }
    /// The operands of step i that may be viewed.
    [[nodiscard]] constexpr std::span<const operand> of(int i) const {
        if (uses_.empty()) return {};
        const auto first = first_[static_cast<std::size_t>(i)], last = first_[static_cast<std::size_t>(i) + 1];
        return std::span(operands_).subspan(first, last - first);
    }

private:
    /// The readers of a step's result: none yet (-1), one step as that operand, or others as well.
    struct use {
        int reader = -1;
        int number = -1;
        bool others = false;
    };

    TUTTI_CONSTEXPR void read(const std::vector<step>& steps, int i, int k, place x, const std::vector<int>& writer,
                              const place_numbers& numbers) {
        const auto written_by =
            std::span(writer).subspan(numbers.of(x.where, x.first), static_cast<std::size_t>(x.count));
        const int by = written_by.front();
        const auto is_that = [by](int w) { return w == by; };
        if (by >= 0 && may_be_viewed(steps, static_cast<std::size_t>(by), x) && k >= 0 &&
            steps[static_cast<std::size_t>(i)].what == action::reduce_many &&
            uses_[static_cast<std::size_t>(by)].reader < 0 &&
            std::all_of(written_by.begin(), written_by.end(), is_that)) {
            uses_[static_cast<std::size_t>(by)].reader = i;
            uses_[static_cast<std::size_t>(by)].number = k;
            return;
        }
        for (const int w : written_by)
            if (w >= 0) uses_[static_cast<std::size_t>(w)].others = true;
    }
    [[nodiscard]] static TUTTI_CONSTEXPR bool may_be_viewed(const std::vector<step>& steps, std::size_t i, place x) {
        const step& s = steps[i];
        return s.what == action::receive && s.to == x && x.where >= buffer::first_scratch && !s.joined &&
               leads(steps, i);
    }

    /// Lists the operands by their readers.
    TUTTI_COLD TUTTI_CONSTEXPR void sort() {
        first_.assign(uses_.size() + 1, 0);
        for (use& u : uses_) {
            if (u.others) u.reader = -1;
            if (u.reader >= 0) ++first_[static_cast<std::size_t>(u.reader) + 1];
        }
        for (std::size_t i = 0; i < uses_.size(); ++i) first_[i + 1] += first_[i];
        operands_.assign(first_.back(), {});
        std::vector<std::size_t> fill(first_.begin(), first_.end() - 1);
        for (int i = 0; i < static_cast<int>(uses_.size()); ++i)
            if (const use& u = uses_[static_cast<std::size_t>(i)]; u.reader >= 0)
                operands_[fill[static_cast<std::size_t>(u.reader)]++] = {i, u.number};
    }

    std::vector<use> uses_;         ///< by step; empty where there is no reduce_many
    std::vector<operand> operands_; ///< by reader
    std::vector<std::size_t> first_;
};

} // namespace tutti::schedule
