// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "data.hpp"
#include "fold.hpp"
#include "form.hpp"

#include <algorithm>

namespace tutti::model::detail {

/// Powers of two: the sum over the halves m of t(m), and of m gamma where they are reduced. Others: the first rank of
/// the core waits for an extra one's data, has the longest messages in every round, and sends to the extra one at last.
/// Exact for powers of two and shards of one length; under Hockney's model the reduce-scatter for any P and n.
template <class Model>
class halves {
public:
    halves(const wire<Model>& w, const data& d, int size) : wire_(w), data_(d), size_(size), fold_(size) {}

    [[nodiscard]] form scatter() const {
        const double out = shard() + held(true, 1);
        return {folds() ? folded_s(wire_, fold_, fold_in(), halve(), out) : halve(), exact(true)};
    }
    [[nodiscard]] form gather() const {
        const double out = all() + held(false, fold_.core / 2);
        return {folds() ? folded_s(wire_, fold_, shard(), twofold(), out) : twofold(), exact(false)};
    }
    /// The second half of the rounds brings lateness back to where it came from.
    [[nodiscard]] form allreduce() const {
        return {halve() + twofold() + held(true, 1) + (folds() ? fold_in() + all() : 0), exact(false)};
    }

private:
    [[nodiscard]] bool folds() const noexcept { return fold_.extra > 0; }
    [[nodiscard]] bool exact(bool only_scatters) const noexcept {
        const bool even = !folds() && data_.divides(size_);
        return wire_.plain() && wire_.answers_at_once() && (even || (only_scatters && wire_.both_ends_at_once()));
    }
    /// What the first `members` of the core stand for: their own shards and those of the extra ranks before them.
    [[nodiscard]] double bytes_of(int members) const noexcept {
        return data_.first(members + std::min(members, fold_.extra), size_);
    }
    [[nodiscard]] double all() const { return wire_.message(data_.whole()); }
    [[nodiscard]] double shard() const { return wire_.message(data_.first(1, size_)); }
    [[nodiscard]] double fold_in() const { return all() + wire_.reduce(data_.whole()); }
    [[nodiscard]] double each(bool reduces, int half) const { return reduces ? wire_.reduce(bytes_of(half)) : 0; }
    [[nodiscard]] double held(bool reduces, int half) const { return wire_.hold(bytes_of(half), each(reduces, half)); }
    [[nodiscard]] double twofold() const { return rounds(false, fold_.core / 2); }
    [[nodiscard]] double halve() const { return rounds(true, 1); }
    /// Nothing follows the last one, which would be held up.
    [[nodiscard]] double rounds(bool reduces, int last) const {
        double sum = -held(reduces, last);
        for (int half = fold_.core / 2; half >= 1; half /= 2)
            sum += wire_.message(bytes_of(half)) + each(reduces, half) + held(reduces, half);
        return sum;
    }

    wire<Model> wire_;
    data data_;
    int size_;
    folding fold_;
};

} // namespace tutti::model::detail
