// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../buckets/bucket_plan.hpp"
#include "../optimizer.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti::training {

/// Which rank owns which elements: the r-th part of each bucket is rank r's. The parts are as even as possible, the
/// first ones an element longer, which is how collectives cut a vector into chunks. So an algorithm whose allreduce is
/// its reduce_scatter and its allgather adds up each element in the same order for both.
class shard_map {
public:
    /// The plan must outlive it.
    shard_map(const bucket_plan& plan, int ranks) : plan_(&plan), ranks_(static_cast<std::size_t>(ranks)) {
        for (const bucket& b : plan.buckets()) {
            counts_.emplace_back(ranks_, b.count / ranks_);
            for (std::size_t r = 0; r < b.count % ranks_; ++r) ++counts_.back()[r];
        }
    }

    /// The elements of bucket b that each rank owns.
    [[nodiscard]] const std::vector<std::size_t>& counts(std::size_t b) const { return counts_.at(b); }
    /// Where the part of a rank begins in the array of all parameters.
    [[nodiscard]] std::size_t begin(std::size_t b, std::size_t rank) const {
        const bucket& of = plan_->buckets().at(b);
        return of.begin + rank * (of.count / ranks_) + std::min(rank, of.count % ranks_);
    }
    /// Where it begins in the array of all that the rank owns, which has its parts in the order of the buckets.
    [[nodiscard]] std::size_t local(std::size_t b, std::size_t rank) const {
        std::size_t sum = 0;
        for (std::size_t k = 0; k < b; ++k) sum += counts_[k][rank];
        return sum;
    }
    /// All that a rank owns.
    [[nodiscard]] std::size_t elements(std::size_t rank) const { return local(counts_.size(), rank); }

    /// What a rank owns as pieces of parameters, in the order of its own array.
    [[nodiscard]] std::vector<piece> pieces(std::size_t rank) const {
        std::vector<piece> all;
        for (std::size_t b = 0; b < counts_.size(); ++b) {
            const std::size_t from = begin(b, rank), to = from + counts_[b][rank];
            for (std::size_t i = plan_->buckets()[b].first; i < plan_->buckets()[b].last; ++i) {
                const std::size_t start = plan_->begin(i), end = start + plan_->elements(i);
                const std::size_t first = std::max(from, start), last = std::min(to, end);
                if (first < last) all.push_back({i, first - start, last - first});
            }
        }
        return all;
    }

private:
    const bucket_plan* plan_;
    std::size_t ranks_;
    std::vector<std::vector<std::size_t>> counts_; ///< by bucket, by rank
};

} // namespace tutti::training
