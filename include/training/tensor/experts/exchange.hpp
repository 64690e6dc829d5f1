// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../collectives/alltoall.hpp"
#include "gate.hpp"

#include <numeric>
#include <string>

namespace tutti::training::tensor::experts {

/// Carries tokens to their experts and back. Rank r of a communicator of P ranks has the r-th P-th of the experts. The
/// rows of an expert lie by the rank that they come from, and there by slot: so their order is always the same.
///
/// All functions but rows() are collective, and all ranks call them in the same order. Errors: as of alltoallv, and
/// invalid_argument for shapes that do not fit.
/// Cost of each: an alltoallv of the rows that are chosen and not dropped, and a copy of them on both sides.
template <class Communicator, std::floating_point Real>
class exchange {
public:
    /// For tokens of `width` numbers. Keeps a copy of the routing. Throws invalid_argument unless each rank has as many
    /// experts. Cost: an alltoall of a number for each expert.
    exchange(const Communicator& ranks, routing<Real> r, std::size_t width)
        : ranks_(ranks), routing_(std::move(r)), width_(width), size_(static_cast<std::size_t>(ranks.size())) {
        if (routing_.by.experts % size_ != 0)
            reject("exchange", std::to_string(routing_.by.experts) + " experts have no equal parts on " +
                                   std::to_string(size_) + " ranks");
        here_ = routing_.by.experts / size_;
        from_.resize(routing_.by.experts);
        ranks_.alltoall(std::span(routing_.counts), std::span(from_));
        sent_ = elements_by_rank(routing_.counts);
        received_ = elements_by_rank(from_);
        first_.resize(routing_.by.experts);
        std::exclusive_scan(routing_.counts.begin(), routing_.counts.end(), first_.begin(), std::size_t{0});
    }

    /// Rows of each expert of this rank.
    [[nodiscard]] std::vector<std::size_t> rows() const {
        std::vector<std::size_t> all(here_);
        for (std::size_t i = 0; i < from_.size(); ++i) all[i % here_] += from_[i];
        return all;
    }

    /// The rows of this rank's experts, one expert behind the other, from all ranks' `tokens`.
    [[nodiscard]] std::vector<Real> dispatch(std::span<const Real> tokens) const {
        return to_experts(spread(tokens, [](std::size_t) { return Real{1}; }));
    }
    /// The gradient by this rank's tokens, from that by the rows of its experts. A token that is dropped gets none.
    [[nodiscard]] std::vector<Real> dispatch_backward(std::span<const Real> by_rows) const {
        return gathered(to_owners(by_rows), [](std::size_t) { return Real{1}; });
    }
    /// The sum of what the experts made of each token, by the weights of its choices; 0 of one that is dropped. Keeps
    /// what the experts made, for combine_backward().
    [[nodiscard]] std::vector<Real> combine(std::span<const Real> rows) {
        made_ = to_owners(rows);
        return gathered(made_, [this](std::size_t i) { return routing_.weight[i]; });
    }
    /// Gradients by what combine() took.
    struct combined_slopes {
        std::vector<Real> by_rows;   ///< of this rank's experts
        std::vector<Real> by_weight; ///< of this rank's choices, for route_backward(); 0 where dropped
    };
    /// Them, from the gradient by the output of the last combine().
    [[nodiscard]] combined_slopes combine_backward(std::span<const Real> by_output) const {
        expect_elements(total(sent_), made_.size());
        combined_slopes result;
        result.by_rows = to_experts(spread(by_output, [this](std::size_t i) { return routing_.weight[i]; }));
        result.by_weight.resize(routing_.weight.size());
        for_kept([&](std::size_t i, std::size_t row) {
            const Real* const slope = by_output.data() + i / routing_.by.choices * width_;
            result.by_weight[i] = std::inner_product(slope, slope + width_, made_.data() + row * width_, Real{0});
        });
        return result;
    }

private:
    /// Elements to or from each rank, of rows for each rank's experts.
    [[nodiscard]] std::vector<std::size_t> elements_by_rank(const std::vector<std::size_t>& rows) const {
        std::vector<std::size_t> all(size_);
        for (std::size_t i = 0; i < rows.size(); ++i) all[i / here_] += rows[i] * width_;
        return all;
    }
    [[nodiscard]] static std::size_t total(const std::vector<std::size_t>& counts) {
        return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    }
    static void expect_elements(std::size_t wanted, std::size_t given) {
        if (wanted != given)
            reject("exchange", "there are " + std::to_string(wanted) + " numbers, not " + std::to_string(given));
    }

    /// Each choice that is kept, and its row here: rows lie by expert and slot.
    template <class Act>
    void for_kept(Act&& act) const {
        for (std::size_t i = 0; i < routing_.slot.size(); ++i)
            if (routing_.slot[i] != routing_.dropped) act(i, first_[routing_.expert[i]] + routing_.slot[i]);
    }
    template <class Factor>
    [[nodiscard]] std::vector<Real> spread(std::span<const Real> tokens, Factor&& factor) const {
        expect_elements(routing_.tokens * width_, tokens.size());
        std::vector<Real> rows(total(sent_));
        for_kept([&](std::size_t i, std::size_t row) {
            const Real* const from = tokens.data() + i / routing_.by.choices * width_;
            for (std::size_t j = 0; j < width_; ++j) rows[row * width_ + j] = factor(i) * from[j];
        });
        return rows;
    }
    template <class Factor>
    [[nodiscard]] std::vector<Real> gathered(const std::vector<Real>& rows, Factor&& factor) const {
        std::vector<Real> tokens(routing_.tokens * width_);
        for_kept([&](std::size_t i, std::size_t row) {
            Real* const to = tokens.data() + i / routing_.by.choices * width_;
            for (std::size_t j = 0; j < width_; ++j) to[j] += factor(i) * rows[row * width_ + j];
        });
        return tokens;
    }

    /// Each block of rows that came from a rank for an expert here: where it lies by rank, and where by expert.
    template <class Act>
    void for_blocks(Act&& act) const {
        std::size_t by_rank = 0;
        std::vector<std::size_t> by_expert = rows();
        std::exclusive_scan(by_expert.begin(), by_expert.end(), by_expert.begin(), std::size_t{0});
        for (std::size_t i = 0; i < from_.size(); ++i) {
            act(by_rank * width_, by_expert[i % here_] * width_, from_[i] * width_);
            by_rank += from_[i], by_expert[i % here_] += from_[i];
        }
    }
    [[nodiscard]] std::vector<Real> to_experts(const std::vector<Real>& rows) const {
        std::vector<Real> arrived(total(received_)), result(arrived.size());
        ranks_.alltoallv(std::span(rows), sent_, std::span(arrived), received_);
        for_blocks([&](std::size_t by_rank, std::size_t by_expert, std::size_t count) {
            std::copy_n(arrived.data() + by_rank, count, result.data() + by_expert);
        });
        return result;
    }
    [[nodiscard]] std::vector<Real> to_owners(std::span<const Real> rows) const {
        expect_elements(total(received_), rows.size());
        std::vector<Real> leaving(rows.size()), result(total(sent_));
        for_blocks([&](std::size_t by_rank, std::size_t by_expert, std::size_t count) {
            std::copy_n(rows.data() + by_expert, count, leaving.data() + by_rank);
        });
        ranks_.alltoallv(std::span(leaving), received_, std::span(result), sent_);
        return result;
    }

    Communicator ranks_;
    routing<Real> routing_;
    std::size_t width_, size_, here_ = 0;
    std::vector<std::size_t> from_;            ///< rows from each rank for each expert here
    std::vector<std::size_t> sent_, received_; ///< elements, by rank
    std::vector<std::size_t> first_;           ///< row of each expert's first slot, of all experts
    std::vector<Real> made_;
};

} // namespace tutti::training::tensor::experts
