// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "portions.hpp"
#include "shard_server.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::sandblaster {

/// Portions of a batch, whose number the replicas know what to make of.
struct batch {
    std::uint64_t number = 0;   ///< that replicas are told
    std::uint32_t portions = 1; ///< several for each replica, so that all are busy to the end
};

/// Gives commands to shards, and portions of work to replicas. It sees numbers alone, never a parameter.
///
/// Deaths: a replica that is lost changes nothing in the result, as long as one is left. Where a shard or the last
/// replica is lost, a call throws lost_peer, aborted or timeout, and then all others end too.
/// Results have the same bits for any number of replicas and shards, whatever they are late with, and whoever is lost.
/// For that, replicas must compute the same bits of a portion.
template <class Communicator>
class coordinator {
public:
    /// `first` are the first weights of this rank's shard, if it holds one; `by` must outlive it.
    explicit coordinator(const crew_links<Communicator>& by, std::vector<float> first = {}, crew_options options = {})
        : links_(by), options_(options), replicas_(by.of().replicas.size()) {
        if (!by.coordinates()) reject("coordinator", "this rank is not the one that coordinates");
        if (options.copies < 1) reject("crew_options", "a portion needs a copy");
        if (by.shard() >= 0) own_.emplace(by, arrivals_, std::move(first));
        for (std::size_t r = 0; r < replicas_.size(); ++r) listen(r);
    }
    coordinator(const coordinator&) = delete;
    coordinator& operator=(const coordinator&) = delete;
    ~coordinator() {
        if (has_finished_) return;
        for (const auto* ranks : {&links_.of().shards, &links_.of().replicas})
            for (const int r : *ranks) links_.end(r, "the coordinator of Sandblaster is gone");
    }

    /// x . y, in double: the same bits for any number of shards. Cost: a message to each shard and back.
    [[nodiscard]] double dot(vector_id x, vector_id y) {
        total_ = {};
        answers_ = 0;
        tell({.what = operation::dot, .x = x, .y = y});
        await([this] { return answers_ == links_.of().shards.size(); });
        return total_.value();
    }
    /// y = factor y
    void scale(float factor, vector_id y) { tell({.what = operation::scale, .y = y, .factor = factor}); }
    /// y = y + factor x
    void axpy(float factor, vector_id x, vector_id y) {
        tell({.what = operation::axpy, .x = x, .y = y, .factor = factor});
    }
    /// Replaces `to`.
    void copy(vector_id from, vector_id to) { tell({.what = operation::copy, .x = from, .y = to}); }
    /// y = 0
    void set_zero(vector_id y) { tell({.what = operation::set_zero, .y = y}); }

    /// Has the replicas compute all portions of a batch at the weights x. Returns what each came to, valid until the
    /// next call. The sum of the gradients goes to `gradient`, where one is wanted. Precondition: a portion at least.
    std::span<const portion_result> evaluate(vector_id x, batch of, std::optional<vector_id> gradient = {}) {
        if (of.portions == 0) reject("coordinator::evaluate", "a batch needs a portion");
        ++evaluation_;
        batch_ = of;
        wants_gradient_ = gradient.has_value();
        results_.assign(of.portions, {});
        portions_ = portions(of.portions, options_.copies);
        tell({.what = operation::begin,
              .x = x,
              .evaluation = evaluation_,
              .portions = wants_gradient_ ? of.portions : 0});
        for (auto& r : replicas_) r.is_busy = false; // what they still compute is outdated
        hand_out();
        await([this] { return portions_.complete(); });
        if (gradient) tell({.what = operation::collect, .y = *gradient});
        return results_;
    }

    /// Ends all shards and replicas. Nothing may be called afterwards but vector().
    void finish() {
        tell({.what = operation::stop});
        for (std::size_t r = 0; r < replicas_.size(); ++r)
            if (!replicas_[r].is_lost) send_work(r, {});
        detail::alarm<Communicator> alarm(arrivals_, links_.with(links_.of().coordinator), options_.goodbye, [this] {
            for (std::size_t r = 0; r < replicas_.size(); ++r)
                if (!replicas_[r].is_lost && !replicas_[r].has_left)
                    links_.end(links_.of().replicas[r], "the coordinator takes this replica for lost");
        });
        alarm.wait_for_others();
        has_finished_ = true;
    }
    /// This rank's part of a vector. Precondition: it holds a shard.
    [[nodiscard]] std::span<const float> vector(vector_id v) { return own_->vector(v); }
    /// Replicas that have been lost.
    [[nodiscard]] std::size_t lost() const noexcept { return lost_.size(); }
    /// Their ranks, in the order in which they were lost.
    [[nodiscard]] const std::vector<int>& lost_ranks() const noexcept { return lost_; }
    /// Results that came second, or for an evaluation that was over.
    [[nodiscard]] std::uint64_t unused() const noexcept { return unused_; }

private:
    struct at_replica {
        bool has_begun = false, is_lost = false, is_busy = false, has_left = false;
    };

    static constexpr std::chrono::nanoseconds before_first = std::chrono::minutes(10); ///< it may read its data

    template <class Done>
    void await(const Done& done) {
        while (!failure_ && !done()) arrivals_.wait();
        if (failure_) throw error(*failure_);
    }

    void tell(const command& c) {
        if (failure_) throw error(*failure_);
        for (const int rank : links_.of().shards) {
            if (rank == links_.of().coordinator) continue;
            detail::send(arrivals_, with(rank, options_.deadline), links_.peer(rank), detail::commands, c);
            if (c.what == operation::dot) listen_to_shard(rank);
        }
        if (own_)
            if (const auto sum = own_->obey(c)) add(*sum);
        arrivals_.poll();
    }
    void listen_to_shard(int rank) {
        detail::receive(
            arrivals_, with(rank, options_.deadline), links_.peer(rank), detail::answers, detail::answer{},
            [this](const detail::answer& a) { add(a.sum); }, [this](const error& e) { fail(e); });
    }
    void add(const product_sum& part) {
        total_.add(part);
        ++answers_;
    }
    void fail(const error& e) {
        if (!failure_) failure_ = e;
    }

    void hand_out() {
        for (std::size_t r = 0; r < replicas_.size(); ++r) hand_to(r);
    }
    void hand_to(std::size_t r) {
        if (replicas_[r].is_lost || replicas_[r].is_busy) return;
        const auto portion = portions_.next(static_cast<int>(r));
        if (!portion) return;
        replicas_[r].is_busy = true;
        send_work(r, {evaluation_, batch_.number, *portion, batch_.portions, wants_gradient_ ? 1U : 0U});
    }
    void send_work(std::size_t r, const detail::work& w) {
        const int rank = links_.of().replicas[r];
        detail::send(arrivals_, with(rank, silence()), links_.peer(rank), detail::works, w);
    }
    void listen(std::size_t r) {
        const int rank = links_.of().replicas[r];
        detail::receive(
            arrivals_, with(rank, replicas_[r].has_begun ? silence() : std::max(silence(), before_first)),
            links_.peer(rank), detail::reports, detail::report{},
            [this, r](const detail::report& got) { take(r, got); }, [this, r](const error& e) { lose(r, e); });
    }
    void take(std::size_t r, const detail::report& got) {
        if (got.evaluation == 0) return void(replicas_[r].has_left = true);
        if (got.evaluation == detail::accuses)
            return lose(
                r, error(tutti::detail::make_fault(cause::lost_peer, "coordinator", static_cast<int>(got.portion),
                                                   "the replica on rank " + std::to_string(links_.of().replicas[r]) +
                                                       " waits for that rank in vain")));
        replicas_[r].has_begun = true;
        listen(r);
        if (got.evaluation == detail::alive) return;
        if (got.evaluation != evaluation_) return void(++unused_);
        if (portions_.done(got.portion))
            results_[got.portion] = got.result;
        else
            ++unused_;
        replicas_[r].is_busy = false;
        hand_to(r);
    }
    void lose(std::size_t r, const error& e) {
        replicas_[r].is_lost = true;
        lost_.push_back(links_.of().replicas[r]);
        if (lost_.size() == replicas_.size()) return fail(e);
        portions_.lose(static_cast<int>(r));
        hand_out();
    }
    [[nodiscard]] std::chrono::nanoseconds silence() const {
        return 2 * std::min<std::chrono::nanoseconds>(options_.silence / 2 + options_.deadline / 2, detail::patience);
    }
    [[nodiscard]] Communicator with(int rank, std::chrono::nanoseconds deadline) const {
        return links_.with(rank).with_deadline(deadline);
    }

    const crew_links<Communicator>& links_;
    const crew_options options_;
    std::vector<at_replica> replicas_;
    std::optional<error> failure_;
    std::vector<int> lost_; ///< ranks
    std::size_t answers_ = 0;
    std::uint64_t unused_ = 0;
    product_sum total_; ///< of the dot under way
    std::uint64_t evaluation_ = 0;
    batch batch_;
    bool wants_gradient_ = false;
    portions portions_;
    std::vector<portion_result> results_;
    bool has_finished_ = false;
    detail::arrivals<Communicator> arrivals_;
    std::optional<detail::shard_host<Communicator>> own_;
};

} // namespace tutti::training::sandblaster
