// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/any_duration.hpp"
#include "../server/arrivals.hpp"
#include "shard.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace tutti::training::sandblaster {

/// What ranks wait for, and for how long.
struct crew_options {
    int copies = 2;                                   ///< replicas that compute a portion at one time, at most
    any_duration deadline = std::chrono::seconds(30); ///< how long a shard may answer nothing
    /// A replica that says nothing for longer is lost; beside the deadline, since it may wait for a shard. It says that
    /// it lives while it waits, and where its computation asks whether it is outdated. It has ten minutes to begin.
    /// Equal on all ranks. A coordinator that is stopped is waited for.
    any_duration silence = std::chrono::seconds(30);
    /// How long the end waits for replicas to say goodbye. One that does not, as one that is stopped, is lost.
    any_duration goodbye = std::chrono::seconds(30);
};

/// What a portion came to: sums over its examples.
struct portion_result {
    double loss = 0;          ///< its part of the objective
    double right = 0;         ///< examples that are classified correctly, where there are classes
    double rows = 0;          ///< examples
    std::uint64_t remark = 0; ///< whatever the program wants
};

namespace detail {

/// Of a coordinator to a replica. A new one ends the work on the one before it.
struct work {
    std::uint64_t evaluation = 0; ///< 0: nothing more comes
    std::uint64_t batch = 0;
    std::uint32_t portion = 0, portions = 0;
    std::uint32_t wants_gradient = 0;
};
/// In place of a report's evaluation: the replica lives; or it has failed by a rank, which stands for the portion.
inline constexpr std::uint64_t alive = ~std::uint64_t{0}, accuses = alive - 1;
/// For whom it is not this rank that decides whether it is lost.
inline constexpr std::chrono::hours patience{24};
/// Of a replica to the coordinator: all shards have that portion's gradient.
struct report {
    std::uint64_t evaluation = 0; ///< 0: goodbye
    std::uint32_t portion = 0;
    portion_result result{};
};

enum class asked : std::uint32_t { weights, gradient, bye };
/// Of a replica to a shard. A gradient's values follow.
struct request {
    asked what = asked::bye;
    std::uint32_t portion = 0;
    std::uint64_t evaluation = 0;
};
/// Of a shard to a replica. Weights follow, if they are of that evaluation.
struct reply {
    std::uint64_t evaluation = 0;
};
/// Of a shard to the coordinator.
struct answer {
    product_sum sum;
};

/// Tags of a pair's messages.
inline constexpr int commands = 10, answers = 11, works = 12, reports = 13, requests = 14, replies = 15, alarms = 16;

template <class Communicator>
using arrivals = server::detail::arrivals<Communicator>;

/// Sends a value or a vector, which it keeps until then. Who finds that the peer is gone is who waits for its answer.
template <class Communicator, class Data>
void send(arrivals<Communicator>& on, const Communicator& by, int peer, int tag, Data data) {
    const auto kept = std::make_shared<const Data>(std::move(data));
    on.add([&] { return by.async().send(*kept, peer, tag); }, [kept] {}, [kept](const error&) {});
}

/// Receives a value, or into a vector as many as it has. Then calls then(data), or instead(error).
template <class Communicator, class Data, class Then, class Instead>
void receive(arrivals<Communicator>& on, const Communicator& by, int peer, int tag, Data data, Then then,
             Instead instead) {
    const auto kept = std::make_shared<Data>(std::move(data));
    on.add([&] { return by.async().receive(*kept, peer, tag); }, [kept, then] { then(std::move(*kept)); },
           [kept, instead](const error& e) { instead(e); });
}

/// Calls `fire` after some time, unless it is stopped before. It is among the arrivals meanwhile.
template <class Communicator>
class alarm {
public:
    /// `self` is of this rank alone. It is of no use afterwards.
    alarm(arrivals<Communicator>& on, Communicator self, std::chrono::nanoseconds after, std::function<void()> fire)
        : on_(on), self_(std::move(self)) {
        receive(
            on_, self_.with_deadline(after), 0, alarms, 0, [this](int) { is_set_ = false; },
            [this, fire](const error&) {
                is_set_ = false;
                fire();
            });
    }
    alarm(const alarm&) = delete;
    alarm& operator=(const alarm&) = delete;

    /// All that had to come, and what follows from it, has come.
    void wait_for_others() {
        while (on_.size() > (is_set_ ? 1U : 0U)) on_.wait();
        if (is_set_) send(on_, self_, 0, alarms, 0);
        while (!on_.empty()) on_.wait();
    }

private:
    arrivals<Communicator>& on_;
    Communicator self_;
    bool is_set_ = true;
};

} // namespace detail
} // namespace tutti::training::sandblaster
