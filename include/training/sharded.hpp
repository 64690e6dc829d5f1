// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "clip.hpp"
#include "gradient_buckets.hpp"
#include "zero/gathered_weights.hpp"
#include "zero/scattered_gradients.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training {

/// What is spread over the ranks, the r-th part of each bucket on rank r. Each stage spreads what those before it do.
enum class stage : std::uint8_t {
    states = 1,     ///< the optimizer's state: ZeRO 1
    gradients = 2,  ///< ZeRO 2
    parameters = 3, ///< ZeRO 3, FSDP
};

/// Bytes that a rank holds, at most so far. The library's scratch is not counted.
struct bytes_held {
    std::size_t parameters = 0; ///< weights: whole, or the shard and what is gathered
    std::size_t gradients = 0;  ///< whole, or the shard and what is not reduced yet
    std::size_t states = 0;     ///< of the optimizer
};

/// A data-parallel trainer of which each rank keeps a part. In a step the forward pass reads weights(i) of each i. The
/// backward pass computes gradient(i) and calls ready(i), last layers first. Then come finish() and step(rate).
///
/// In stage 3 weights(i) gathers, in the backward pass too, and release(i) lets them go; the next bucket is gathered
/// meanwhile. All ranks call weights() and release() in the same order.
///
/// The weights have the bits of gradient_buckets with a whole optimizer, by the same algorithm. In stage 1 that is so
/// by any algorithm. In stages 2 and 3 its allreduce must be its reduce_scatter and then its allgather: that of ring,
/// halving_doubling, direct, parameter_server or circulant. Without an algorithm the library may choose others.
///
/// Preconditions on all ranks: the same parameters, stage, rule, options and initial weights; the same steps.
/// Errors: as of gradient_buckets, from every call that communicates. Cost a step: stage 1 sends as much as an
/// allreduce of all gradients and an allgather of all weights, stage 2 as an allreduce alone. Stage 3 gathers the
/// weights twice. Sources: Rajbhandari et al., ZeRO, SC 2020; Zhao et al., PyTorch FSDP, VLDB 2023.
template <class Communicator, update_rule Rule>
class sharded {
public:
    /// `weights` are those of the whole model, in forward order. Collective. Throws as gradient_buckets does, also
    /// cause::mismatch for another stage or rule, or other numbers of it. Throws invalid_argument in stages 2 and 3 for
    /// bfloat16, and for an algorithm without a reduce_scatter.
    sharded(const Communicator& world, std::vector<parameter> parameters, stage s, Rule rule,
            std::span<const float> weights, bucket_options options = {})
        : stage_(s), plan_(std::move(parameters), options.bytes),
          world_(detail::agreed(world, "sharded", plan_, options, weights,
                                ", stage " + std::to_string(static_cast<int>(s)) + ", rule " + std::string(Rule::name) +
                                    detail::numbers_in_words(rule))),
          map_(plan_, world.size()), rank_(static_cast<std::size_t>(world.rank())),
          optimizer_(plan_.parameters(), rule, map_.pieces(rank_)) {
        examine(weights, options);
        if (stage_ == stage::states)
            all_gradients_.emplace(world_, plan_.parameters(), options);
        else
            own_gradients_.emplace(world_, plan_, map_, options.how, options.finds_bad);
        if (stage_ == stage::parameters)
            gathered_.emplace(world_, plan_, map_, weights, gather_by(options.how));
        else
            weights_.assign(weights.begin(), weights.end());
        how_ = gather_by(options.how);
    }
    sharded(const sharded&) = delete;
    sharded& operator=(const sharded&) = delete;

    /// Where the parameters lie in the array of all, and how they are cut.
    [[nodiscard]] const bucket_plan& plan() const noexcept { return plan_; }
    /// The weights of a parameter: of stage 3 until release(i) or step(), else until step().
    [[nodiscard]] std::span<const float> weights(std::size_t i) {
        if (gathered_) return gathered_->use(i);
        return std::span(weights_).subspan(plan_.begin(i), plan_.elements(i));
    }
    /// The pass has done with the weights of a parameter. They go when all of a bucket are released and another bucket
    /// is used.
    void release(std::size_t i) {
        if (gathered_) gathered_->release(i);
    }

    /// As of gradient_buckets. In stages 2 and 3 a gradient is zero at first in each round. Its memory is there from
    /// this call until its bucket is reduced. Then finish() leaves averages of this rank's shard only.
    /// @{
    [[nodiscard]] std::span<float> gradient(std::size_t i) {
        return all_gradients_ ? all_gradients_->gradient(i) : own_gradients_->gradient(i);
    }
    void ready(std::size_t i) { all_gradients_ ? all_gradients_->ready(i) : own_gradients_->ready(i); }
    void progress() { all_gradients_ ? all_gradients_->progress() : own_gradients_->progress(); }
    void finish() { all_gradients_ ? all_gradients_->finish() : own_gradients_->finish(); }
    void reduces(bool does) { all_gradients_ ? all_gradients_->reduces(does) : own_gradients_->reduces(does); }
    [[nodiscard]] const std::optional<bad_gradient>& bad() const noexcept {
        return all_gradients_ ? all_gradients_->bad() : own_gradients_->bad();
    }
    /// @}

    /// Clips the averages by the norm of all gradients, which it returns. Collective; after finish(). Its bits are
    /// those of clip() on all gradients. Cost: an allreduce of 48 bytes.
    double clip(double most) {
        detail::require_positive(most);
        square_sum own;
        for (std::size_t k = 0; k < pieces(); ++k) add_squares(own, own_gradient(k));
        const square_sum total = world_.allreduce(own, sum);
        for (std::size_t k = 0; k < pieces(); ++k) detail::clip_to(own_gradient(k), total, most);
        return norm_of(total);
    }

    /// Updates this rank's shard, and in stages 1 and 2 gathers the new weights. Collective; after finish().
    void step(double rate) {
        optimizer_.step(
            rate, [this](std::size_t k) { return own_weights(k); }, [this](std::size_t k) { return own_gradient(k); },
            [this](std::span<square_sum> squares) { world_.allreduce(squares, sum); });
        publish();
    }

    /// As of gradient_buckets: of the gradients alone, not of weights that are gathered.
    /// @{
    [[nodiscard]] std::span<const activity> activities() const noexcept {
        return all_gradients_ ? all_gradients_->activities() : own_gradients_->activities();
    }
    [[nodiscard]] std::chrono::nanoseconds exposed() const noexcept {
        return all_gradients_ ? all_gradients_->exposed() : own_gradients_->exposed();
    }
    /// @}

    /// The most so far.
    [[nodiscard]] bytes_held bytes() const noexcept {
        const std::size_t all = plan_.elements() * sizeof(float);
        return {gathered_ ? gathered_->bytes() : all, own_gradients_ ? own_gradients_->bytes() : all,
                Rule::states * map_.elements(rank_) * sizeof(float)};
    }

    /// For checkpoints: whose weights are whole in stages 1 and 2, and this rank's shard in stage 3.
    /// @{
    [[nodiscard]] bool has_whole_weights() const noexcept { return !gathered_; }
    [[nodiscard]] std::span<float> kept_weights() noexcept {
        return gathered_ ? gathered_->shard() : std::span<float>(weights_);
    }
    [[nodiscard]] optimizer<Rule>& own_optimizer() noexcept { return optimizer_; }
    /// The caller has written kept_weights(): what was gathered before is not used any more.
    void renewed() {
        if (gathered_) gathered_->drop_all();
    }
    /// @}

private:
    using plans = std::optional<algorithm::any>;

    void examine(std::span<const float> weights, const bucket_options& o) const {
        detail::require_all_weights("sharded", weights, plan_);
        if (stage_ != stage::states && o.as != wire::float32)
            reject("sharded", "gradients that are scattered travel as float32", "take stage::states for bfloat16");
        if (stage_ != stage::states && o.how && !o.how->offers(schedule::operation::reduce_scatter))
            reject("sharded", std::string(o.how->name()) + " has no reduce_scatter", "take ring, or stage::states");
    }
    /// Where the algorithm gathers, it does that as well.
    [[nodiscard]] static plans gather_by(const plans& how) {
        return how && how->offers(schedule::operation::allgather) ? how : plans{};
    }

    [[nodiscard]] std::size_t pieces() const noexcept { return optimizer_.pieces().size(); }
    [[nodiscard]] std::span<float> range(std::span<float> all, std::size_t k, bool is_whole) const {
        const piece& p = optimizer_.pieces()[k];
        return all.subspan(is_whole ? plan_.begin(p.parameter) + p.begin : optimizer_.begin(k), p.count);
    }
    [[nodiscard]] std::span<float> own_weights(std::size_t k) { return range(kept_weights(), k, !gathered_); }
    [[nodiscard]] std::span<float> own_gradient(std::size_t k) {
        return all_gradients_ ? range(all_gradients_->gradients(), k, true) : range(own_gradients_->shard(), k, false);
    }

    void publish() {
        if (gathered_) return renewed();
        std::vector<typename detail::gathered_weights<Communicator>::request> gathers;
        for (std::size_t b = plan_.buckets().size(); b-- > 0;) { // the first layers are used first
            auto all = std::span(weights_).subspan(plan_.buckets()[b].begin, plan_.buckets()[b].count);
            auto own = std::span(weights_).subspan(map_.begin(b, rank_), map_.counts(b)[rank_]);
            gathers.push_back(world_.async().allgatherv(own, all, map_.counts(b), how_));
        }
        wait_all(gathers);
    }

    stage stage_;
    bucket_plan plan_;
    Communicator world_;
    shard_map map_;
    std::size_t rank_;
    optimizer<Rule> optimizer_;
    plans how_;
    std::vector<float> weights_; ///< of stages 1 and 2: all of them
    std::optional<gradient_buckets<Communicator>> all_gradients_;
    std::optional<detail::scattered_gradients<Communicator>> own_gradients_;
    std::optional<detail::gathered_weights<Communicator>> gathered_;
};

} // namespace tutti::training
