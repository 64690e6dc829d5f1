// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "crew.hpp"
#include "messages.hpp"
#include "portion_sum.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::training::sandblaster {

namespace detail {

/// A shard and those who talk to it. Nothing in here waits: whoever has the arrivals does.
template <class Communicator>
class shard_host {
public:
    /// `first` are the first weights of its part. All arguments must outlive it.
    shard_host(const crew_links<Communicator>& by, arrivals<Communicator>& on, std::vector<float> first)
        : links_(by), on_(on), shard_(std::move(first)), replicas_(by.of().replicas.size()), left_(replicas_.size()) {
        if (shard_.size() != by.part(static_cast<std::size_t>(by.shard())).count)
            reject("shard", "first weights of another length than its part of the parameters");
        for (std::size_t r = 0; r < replicas_.size(); ++r) listen(r);
    }

    /// Carries out a command. The sum of a dot.
    std::optional<product_sum> obey(const command& c) {
        switch (c.what) {
        case operation::dot: return shard_.dot(c.x, c.y);
        case operation::begin: begin(c); break;
        case operation::collect: collect(c.y); break;
        case operation::stop: stops_ = true; break;
        default: shard_.change(c);
        }
        return {};
    }
    /// Those that have not said goodbye are lost.
    void end_silent() {
        for (std::size_t r = 0; r < replicas_.size(); ++r)
            if (!replicas_[r].is_gone) links_.end(links_.of().replicas[r], "a shard takes this replica for lost");
    }
    /// The coordinator has said stop, and no replica may ask any more.
    [[nodiscard]] bool is_over() const noexcept { return stops_ && left_ == 0; }
    [[nodiscard]] std::span<const float> vector(vector_id v) { return shard_.vector(v); }

private:
    struct at_replica {
        bool is_gone = false, waits = false; ///< waits for weights of `evaluation`
        std::uint64_t evaluation = 0;
    };

    void begin(const command& c) {
        evaluation_ = c.evaluation;
        given_ = c.x;
        sum_ = portion_sum(c.portions);
        for (std::size_t r = 0; r < replicas_.size(); ++r)
            if (replicas_[r].waits) give_weights(r, replicas_[r].evaluation);
    }
    void collect(vector_id to) {
        if (!sum_.complete()) reject("shard", "a sum is collected before all portions are there");
        const std::vector<float> total = sum_.take();
        std::copy(total.begin(), total.end(), shard_.vector(to).begin());
    }

    [[nodiscard]] Communicator with(std::size_t r) const {
        return links_.with(links_.of().replicas[r]).with_deadline(patience);
    }
    [[nodiscard]] int peer(std::size_t r) const { return links_.peer(links_.of().replicas[r]); }

    void listen(std::size_t r) {
        receive(
            on_, with(r), peer(r), requests, request{}, [this, r](const request& q) { take(r, q); },
            [this, r](const error&) { lose(r); });
    }
    void take(std::size_t r, const request& q) {
        if (q.what == asked::bye) return lose(r);
        if (q.what == asked::weights)
            give_weights(r, q.evaluation);
        else
            return receive(
                on_, with(r), peer(r), requests, std::vector<float>(shard_.size()),
                [this, r, q](std::vector<float>&& g) { take_gradient(r, q, std::move(g)); },
                [this, r](const error&) { lose(r); });
        listen(r);
    }
    void take_gradient(std::size_t r, const request& q, std::vector<float> gradient) {
        if (q.evaluation == evaluation_) sum_.add(q.portion, std::move(gradient));
        send(on_, with(r), peer(r), replies, reply{q.evaluation});
        listen(r);
    }
    /// When the command to begin has come here too.
    void give_weights(std::size_t r, std::uint64_t evaluation) {
        replicas_[r].waits = evaluation > evaluation_;
        replicas_[r].evaluation = evaluation;
        if (replicas_[r].waits) return;
        send(on_, with(r), peer(r), replies, reply{evaluation_});
        if (evaluation != evaluation_) return;
        const auto weights = shard_.vector(given_);
        send(on_, with(r), peer(r), replies, std::vector<float>(weights.begin(), weights.end()));
    }
    void lose(std::size_t r) {
        if (!std::exchange(replicas_[r].is_gone, true)) --left_;
        replicas_[r].waits = false;
    }

    const crew_links<Communicator>& links_;
    arrivals<Communicator>& on_;
    shard shard_;
    portion_sum sum_;
    std::uint64_t evaluation_ = 0;
    vector_id given_ = 0; ///< what replicas may fetch
    std::vector<at_replica> replicas_;
    std::size_t left_;
    bool stops_ = false;
};

} // namespace detail

/// A rank that holds a shard and does not coordinate. It keeps its part of all vectors, and the sum of the gradients.
///
/// Memory: 4 bytes a parameter of the shard for each vector. While an evaluation runs the gradients of some portions
/// too: see portion_sum.
template <class Communicator>
class shard_server {
public:
    /// `first` are the first weights of its part. `by` must outlive it.
    shard_server(const crew_links<Communicator>& by, std::vector<float> first, crew_options options = {})
        : links_(by), options_(options), host_(by, arrivals_, std::move(first)) {
        listen();
    }
    shard_server(const shard_server&) = delete;
    shard_server& operator=(const shard_server&) = delete;
    ~shard_server() {
        if (has_finished_) return;
        for (const int r : links_.of().replicas) links_.end(r, "a shard of Sandblaster is gone");
        links_.end(links_.of().coordinator, "a shard of Sandblaster is gone");
    }

    /// Until the coordinator says stop and all replicas have said goodbye or are lost. Throws lost_peer, aborted or
    /// timeout where the coordinator is lost. It is called once.
    void serve() {
        while (!failure_ && !is_told_to_stop_) arrivals_.wait();
        if (failure_) throw error(*failure_);
        const int self = links_.of().shards[static_cast<std::size_t>(links_.shard())];
        detail::alarm<Communicator> alarm(arrivals_, links_.with(self), options_.goodbye,
                                          [this] { host_.end_silent(); });
        alarm.wait_for_others();
        has_finished_ = true;
    }
    /// This shard's part of a vector.
    [[nodiscard]] std::span<const float> vector(vector_id v) { return host_.vector(v); }

private:
    void listen() {
        detail::receive(
            arrivals_, coordinator(), peer(), detail::commands, command{},
            [this](const command& c) {
                if (const auto sum = host_.obey(c))
                    detail::send(arrivals_, coordinator(), peer(), detail::answers, detail::answer{*sum});
                is_told_to_stop_ = c.what == operation::stop;
                if (!is_told_to_stop_) listen();
            },
            [this](const error& e) { failure_ = e; });
    }
    [[nodiscard]] Communicator coordinator() const {
        return links_.with(links_.of().coordinator).with_deadline(detail::patience);
    }
    [[nodiscard]] int peer() const { return links_.peer(links_.of().coordinator); }

    const crew_links<Communicator>& links_;
    const crew_options options_;
    std::optional<error> failure_;
    bool has_finished_ = false, is_told_to_stop_ = false;
    detail::arrivals<Communicator> arrivals_;
    detail::shard_host<Communicator> host_;
};

} // namespace tutti::training::sandblaster
