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
/// Exact for powers of two and shards of one length; under Hockney's model for any n, and the reduce-scatter for any P.
template <class Model>
class halves {
public:
    halves(const wire<Model>& w, const data& d, int size) : wire_(w), data_(d), size_(size), fold_(size) {}

    [[nodiscard]] form scatter() const {
        return {folds() ? folded_s(wire_, fold_, fold_in(), halve(), shard()) : halve(), exact(true)};
    }
    [[nodiscard]] form gather() const {
        return {folds() ? folded_s(wire_, fold_, shard(), twofold(), all()) : twofold(), exact(false)};
    }
    /// The second half of the rounds brings lateness back to where it came from.
    [[nodiscard]] form allreduce() const {
        return {halve() + twofold() + (folds() ? fold_in() + all() : 0), exact(false)};
    }

private:
    [[nodiscard]] bool folds() const noexcept { return fold_.extra > 0; }
    [[nodiscard]] bool exact(bool only_scatters) const noexcept {
        const bool together = wire_.both_ends_at_once() && (only_scatters || !folds());
        return wire_.plain() && wire_.answers_at_once() && (together || (!folds() && data_.divides(size_)));
    }
    /// What the first `members` of the core stand for: their own shards and those of the extra ranks before them.
    [[nodiscard]] double bytes_of(int members) const noexcept {
        return data_.first(members + std::min(members, fold_.extra), size_);
    }
    [[nodiscard]] double all() const { return wire_.message(data_.whole()); }
    [[nodiscard]] double shard() const { return wire_.message(data_.first(1, size_)); }
    [[nodiscard]] double fold_in() const { return all() + wire_.reduce(data_.whole()); }
    [[nodiscard]] double twofold() const {
        double sum = 0;
        for (int half = fold_.core / 2; half >= 1; half /= 2) sum += wire_.message(bytes_of(half));
        return sum;
    }
    [[nodiscard]] double halve() const {
        double sum = twofold();
        for (int half = fold_.core / 2; half >= 1; half /= 2) sum += wire_.reduce(bytes_of(half));
        return sum;
    }

    wire<Model> wire_;
    data data_;
    int size_;
    folding fold_;
};

} // namespace tutti::model::detail
