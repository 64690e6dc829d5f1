// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../collectives/reduce_scatter.hpp"
#include "../../collectives/request.hpp"
#include "../buckets/bucket_round.hpp"
#include "../buckets/finite_gradients.hpp"
#include "buffer_pool.hpp"
#include "shard_map.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::training::detail {

/// As gradient_buckets, but each rank gets the averages of its own shard only, by a reduce_scatter a bucket. The
/// gradients of a bucket have memory from the first gradient(i) until they are reduced. All calls are on a communicator
/// of its own.
template <class Communicator>
class scattered_gradients {
public:
    /// The plan and the map must outlive it. Collective.
    scattered_gradients(const Communicator& world, const bucket_plan& plan, const shard_map& map,
                        std::optional<algorithm::any> how, bool finds_bad)
        : plan_(plan), map_(map), how_(std::move(how)), world_(world.duplicate()),
          rank_(static_cast<std::size_t>(world.rank())), shard_(map.elements(rank_)), whole_(plan.buckets().size()),
          check_(finds_bad), round_(plan, sizeof(float), clock_of(world_)) {}

    /// Zeros at first in each round: the caller adds to them.
    [[nodiscard]] std::span<float> gradient(std::size_t i) {
        const std::size_t b = plan_.bucket_of(i);
        return whole(b).subspan(plan_.begin(i) - plan_.buckets()[b].begin, plan_.elements(i));
    }
    void ready(std::size_t i) { round_.ready(i, starter(), ender()); }
    void progress() { round_.progress(starter(), ender()); }
    void finish() {
        round_.finish([this] { clear_unused(); }, starter(), ender(), [this] { check_.tell(world_); });
    }
    void reduces(bool does) { round_.reduces(does); }

    /// The averages of this rank's shard, after finish().
    [[nodiscard]] std::span<float> shard() noexcept { return shard_; }
    [[nodiscard]] const std::optional<bad_gradient>& bad() const noexcept { return check_.found(); }
    [[nodiscard]] std::span<const activity> activities() const noexcept { return round_.activities(); }
    [[nodiscard]] std::chrono::nanoseconds exposed() const noexcept { return round_.exposed(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return shard_.size() * sizeof(float) + pool_.bytes(); }

private:
    using request = decltype(std::declval<const Communicator&>().async().reduce_scatterv(
        std::declval<std::span<float>&>(), std::declval<std::span<float>&>(),
        std::declval<const std::vector<std::size_t>&>(), average,
        std::declval<const std::optional<algorithm::any>&>()));

    [[nodiscard]] std::span<float> whole(std::size_t b) {
        if (whole_[b].empty()) whole_[b] = pool_.take(plan_.buckets()[b].count);
        return whole_[b];
    }
    void clear_unused() {
        for (std::size_t i = 0; i < plan_.parameters().size(); ++i)
            if (!round_.is_written(i) && !whole_[plan_.bucket_of(i)].empty()) std::ranges::fill(gradient(i), 0.0F);
    }
    [[nodiscard]] auto starter() {
        return [this](std::size_t b) {
            auto in = whole(b), out = shard().subspan(map_.local(b, rank_), map_.counts(b)[rank_]);
            check_.look(plan_, b, in);
            return world_.async().reduce_scatterv(in, out, map_.counts(b), average, how_);
        };
    }
    [[nodiscard]] auto ender() {
        return [this](std::size_t b) {
            if (!whole_[b].empty()) pool_.give_back(std::exchange(whole_[b], {}));
        };
    }

    const bucket_plan& plan_;
    const shard_map& map_;
    std::optional<algorithm::any> how_;
    Communicator world_;
    std::size_t rank_;
    std::vector<float> shard_;
    buffer_pool pool_;
    std::vector<std::vector<float>> whole_; ///< by bucket; empty where it has no memory
    finite_check check_;
    bucket_round<request> round_; ///< last: its requests use all above
};

} // namespace tutti::training::detail
