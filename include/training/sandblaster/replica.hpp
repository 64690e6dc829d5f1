// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "crew.hpp"
#include "messages.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::training::sandblaster {

/// A portion that a replica has been given.
struct portion {
    std::uint64_t batch = 0;  ///< the coordinator's number of the batch
    std::uint32_t number = 0; ///< from 0
    std::uint32_t of = 1;     ///< portions that the batch has
};

/// Computes portions. It fetches weights once an evaluation, from all shards, and sends each gradient to them.
template <class Communicator>
class replica {
public:
    /// Whether the result is not wanted any more. Asked often, it also tells that this replica lives.
    using outdated = std::function<bool()>;
    /// Returns what a portion comes to at these weights, and adds its gradient to `gradient`, which is zero, or empty
    /// where none is wanted. The same bits on each replica. It may return nothing once it is outdated.
    using computes = std::function<std::optional<portion_result>(
        const portion&, std::span<const float> weights, std::span<float> gradient, const outdated& is_outdated)>;

    /// `by` must outlive it. Throws invalid_argument on a rank that is no replica.
    explicit replica(const crew_links<Communicator>& by, crew_options options = {})
        : links_(by), options_(options), weights_(by.of().parameters) {
        if (by.replica() < 0) reject("replica", "this rank is no replica");
    }
    replica(const replica&) = delete;
    replica& operator=(const replica&) = delete;
    /// Unless it has finished, the others take this replica for lost.
    ~replica() {
        if (has_finished_) return;
        for (const int r : links_.of().shards) links_.end(r, "a replica of Sandblaster is gone");
        links_.end(links_.of().coordinator, "a replica of Sandblaster is gone");
    }

    /// Computes until the coordinator says that it is enough. Throws lost_peer, aborted or timeout where a shard or the
    /// coordinator is lost. It is called once.
    void run(const computes& compute) {
        try {
            work_on(compute);
        } catch (const error& e) {
            accuse(e);
            throw;
        }
        has_finished_ = true;
    }

private:
    using request = std::remove_cvref_t<decltype(std::declval<const Communicator&>().async().send(
        std::declval<const float&>(), 0, 0))>;

    void work_on(const computes& compute) {
        listen();
        tell({detail::alive});
        for (;;) {
            for (; !arrival_->test(); sign()) static_cast<void>(arrival_->wait_until(signed_ + sign_every_));
            const detail::work now = next_;
            if (now.evaluation == 0) break;
            listen();
            if (!fetch(now.evaluation)) continue; // it is over, so that there will be other work
            if (const auto result = computed(now, compute, [this] { return sign(), arrival_->test(); })) {
                if (now.wants_gradient != 0) push(now);
                tell({now.evaluation, now.portion, *result});
            }
        }
        for (const int s : links_.of().shards) shard(s).send(detail::request{}, peer(s), detail::requests);
        tell({});
    }
    void listen() {
        auto arrival = boss_.async().receive(next_, peer(links_.of().coordinator), detail::works);
        arrival_.emplace(std::move(arrival));
    }
    void tell(const detail::report& r) { boss_.send(r, peer(links_.of().coordinator), detail::reports); }
    /// Tells the coordinator that it lives, unless it has done so lately.
    void sign() {
        if (boss_.now() < signed_ + sign_every_) return;
        signed_ = boss_.now();
        tell({detail::alive});
    }
    /// Tells the coordinator by which rank it has failed. The coordinator goes on with other replicas, if there are.
    void accuse(const error& e) {
        if (e.facts().peer < 0 || (e.why() != cause::timeout && e.why() != cause::lost_peer)) return;
        try {
            tell({detail::accuses, static_cast<std::uint32_t>(e.facts().peer)});
            static_cast<void>(arrival_->wait_until(boss_.now() + options_.deadline));
        } catch (const error&) { // it has heard that; if it has not, it hears that this replica is gone
        }
    }
    /// For what waits for it until the deadline.
    [[nodiscard]] Communicator shard(int rank) {
        sign();
        return links_.with(rank).with_deadline(options_.deadline);
    }
    [[nodiscard]] int peer(int rank) const noexcept { return links_.peer(rank); }
    /// The part of a shard, of all weights or gradients.
    [[nodiscard]] std::span<float> part(std::vector<float>& of, std::size_t shard) const {
        const auto keys = links_.part(shard);
        return std::span(of).subspan(static_cast<std::size_t>(keys.first), static_cast<std::size_t>(keys.count));
    }

    /// Has the weights of that evaluation. False: it is over.
    [[nodiscard]] bool fetch(std::uint64_t evaluation) {
        if (evaluation == fetched_) return true;
        fetched_ = 0;
        const auto& shards = links_.of().shards;
        for (const int s : shards)
            shard(s).send(detail::request{detail::asked::weights, 0, evaluation}, peer(s), detail::requests);
        bool is_whole = true;
        for (std::size_t i = 0; i < shards.size(); ++i) {
            const Communicator from = shard(shards[i]);
            detail::reply got;
            from.receive(got, peer(shards[i]), detail::replies);
            sign();
            if (got.evaluation == evaluation)
                from.receive(part(weights_, i), peer(shards[i]), detail::replies);
            else
                is_whole = false;
        }
        if (is_whole) fetched_ = evaluation;
        return is_whole;
    }
    [[nodiscard]] std::optional<portion_result> computed(const detail::work& w, const computes& compute,
                                                         const outdated& is_outdated) {
        gradient_.assign(w.wants_gradient != 0 ? weights_.size() : 0, 0.F);
        return compute({w.batch, w.portion, w.portions}, weights_, gradient_, is_outdated);
    }
    /// Returns when all shards have the gradient, so that nothing of it is lost with this replica.
    void push(const detail::work& w) {
        const auto& shards = links_.of().shards;
        const detail::request head{detail::asked::gradient, w.portion, w.evaluation};
        std::vector<std::span<float>> parts;
        for (std::size_t i = 0; i < shards.size(); ++i) parts.push_back(part(gradient_, i));
        std::vector<request> under_way;
        for (std::size_t i = 0; i < shards.size(); ++i) {
            const Communicator to = shard(shards[i]);
            under_way.push_back(to.async().send(head, peer(shards[i]), detail::requests));
            under_way.push_back(to.async().send(parts[i], peer(shards[i]), detail::requests));
        }
        for (request& r : under_way) r.wait();
        for (const int s : shards) {
            detail::reply acknowledged;
            shard(s).receive(acknowledged, peer(s), detail::replies);
        }
    }

    const crew_links<Communicator>& links_;
    const crew_options options_;
    const Communicator boss_ = links_.with(links_.of().coordinator).with_deadline(detail::patience);
    const std::chrono::nanoseconds sign_every_ =
        std::min<std::chrono::nanoseconds>(options_.silence / 3, detail::patience);
    std::chrono::steady_clock::time_point signed_ = boss_.now();
    std::vector<float> weights_, gradient_;
    std::uint64_t fetched_ = 0; ///< the evaluation whose weights are here
    bool has_finished_ = false;
    detail::work next_;
    std::optional<request> arrival_; ///< of next_; its end waits for it, so the destructor ends the pairs first
};

} // namespace tutti::training::sandblaster
