// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../collectives/allgather.hpp"
#include "../../collectives/request.hpp"
#include "buffer_pool.hpp"
#include "shard_map.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::training::detail {

/// Weights of which each rank has a shard. A bucket is gathered when one of its parameters is used. Meanwhile the next
/// one along the way is gathered too: down to bucket 0 in the forward pass, up again in the backward pass.
/// All ranks use and release parameters in the same order. All calls are on a communicator of its own.
template <class Communicator>
class gathered_weights {
public:
    using request = decltype(std::declval<const Communicator&>().async().allgatherv(
        std::declval<std::span<float>&>(), std::declval<std::span<float>&>(),
        std::declval<const std::vector<std::size_t>&>(), std::declval<const std::optional<algorithm::any>&>()));

    /// The plan and the map must outlive it. `all` are the weights of the whole model. Collective.
    gathered_weights(const Communicator& world, const bucket_plan& plan, const shard_map& map,
                     std::span<const float> all, std::optional<algorithm::any> how)
        : plan_(plan), map_(map), how_(std::move(how)), world_(world.duplicate()),
          rank_(static_cast<std::size_t>(world.rank())), is_used_(plan.parameters().size()),
          last_(plan.buckets().size()), whole_(plan.buckets().size()), requests_(plan.buckets().size()) {
        shard_.reserve(map.elements(rank_));
        for (std::size_t b = 0; b < plan.buckets().size(); ++b) {
            const auto own = all.subspan(map.begin(b, rank_), map.counts(b)[rank_]);
            shard_.insert(shard_.end(), own.begin(), own.end());
        }
    }

    [[nodiscard]] std::span<float> shard() noexcept { return shard_; }

    /// A parameter's weights, until it is released.
    [[nodiscard]] std::span<const float> use(std::size_t i) {
        const std::size_t b = plan_.bucket_of(i);
        is_used_[i] = true;
        gather(b);
        await(b);
        if (b != last_) free_others(b);
        is_upwards_ = b == 0 || (b == last_ ? is_upwards_ : b > last_);
        last_ = b;
        const std::size_t next = is_upwards_ ? b + 1 : b - 1;
        if (next < whole_.size()) gather(next);
        return std::span(whole_[b]).subspan(plan_.begin(i) - plan_.buckets()[b].begin, plan_.elements(i));
    }
    void release(std::size_t i) {
        static_cast<void>(plan_.bucket_of(i)); // throws where there is no such parameter
        is_used_[i] = false;
    }
    /// The shards have new weights: what was gathered is none any more.
    void drop_all() {
        for (std::size_t b = 0; b < whole_.size(); ++b) drop(b);
        is_used_.assign(is_used_.size(), false);
        last_ = whole_.size();
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return shard_.size() * sizeof(float) + pool_.bytes(); }

private:
    void gather(std::size_t b) {
        if (!whole_[b].empty() || plan_.buckets()[b].count == 0) return;
        auto buffer = pool_.take(plan_.buckets()[b].count);
        auto in = shard().subspan(map_.local(b, rank_), map_.counts(b)[rank_]);
        auto out = std::span(buffer);
        requests_[b].emplace(world_.async().allgatherv(in, out, map_.counts(b), how_));
        whole_[b] = std::move(buffer);
    }
    /// Where this throws, the bucket is not here: what is in its buffer are no weights.
    void await(std::size_t b) {
        if (!requests_[b]) return;
        auto buffer = std::exchange(whole_[b], {});
        auto call = std::exchange(requests_[b], std::nullopt);
        call->wait();
        whole_[b] = std::move(buffer);
    }
    void free_others(std::size_t b) {
        for (std::size_t other = 0; other < whole_.size(); ++other)
            if (other != b && !requests_[other] && !is_in_use(other)) drop(other);
    }
    [[nodiscard]] bool is_in_use(std::size_t b) const {
        for (std::size_t i = plan_.buckets()[b].first; i < plan_.buckets()[b].last; ++i)
            if (is_used_[i]) return true;
        return false;
    }
    void drop(std::size_t b) {
        await(b);
        if (!whole_[b].empty()) pool_.give_back(std::exchange(whole_[b], {}));
    }

    const bucket_plan& plan_;
    const shard_map& map_;
    std::optional<algorithm::any> how_;
    Communicator world_;
    std::size_t rank_;
    std::vector<float> shard_;
    buffer_pool pool_;
    std::vector<bool> is_used_; ///< by parameter
    bool is_upwards_ = false;
    std::size_t last_;                             ///< the bucket of the last use
    std::vector<std::vector<float>> whole_;        ///< by bucket; empty where it is not here
    std::vector<std::optional<request>> requests_; ///< of those that are being gathered; last, since they use the rest
};

} // namespace tutti::training::detail
