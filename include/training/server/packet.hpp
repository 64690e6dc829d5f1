// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "arrivals.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// What clients and servers send each other.
namespace tutti::training::server::detail {

enum class action : std::uint32_t {
    get,   ///< of a client: values
    put,   ///< of a client: takes the place of values
    add,   ///< of a client: is added to values
    push,  ///< of a client: gradients for the server's rule
    tick,  ///< of a client: it is in its next clock; unanswered
    save,  ///< of a client: write a checkpoint
    bye,   ///< nothing more comes
    idle,  ///< between servers: all updates of this one's workers are on all copies, and no worker is left
    close, ///< between servers: a bulk synchronous clock ends
    ack,   ///< between servers: updates up to `number` are on all servers behind
    state, ///< between servers: all of a segment, after the update `number`
};
enum class answer : std::uint32_t {
    done,
    again,   ///< the server lacks the keys of that hash, or an update before this one
    refused, ///< the request is wrong
    failed,  ///< a checkpoint could not be written
    lost,    ///< all servers that had the segment are lost
};

struct packet_head {
    action what = action::get;
    answer status = answer::done;
    std::uint32_t segment = 0;
    std::int32_t worker = 0;
    std::uint64_t number = 0;           ///< of a request; between servers, of an update of the segment
    std::uint64_t sequence = 0;         ///< of an update by this worker to this segment, from 1
    std::uint64_t clock = 0;            ///< the worker's; of an answer to a get, that of the slowest worker
    std::uint64_t first = 0, count = 0; ///< keys, from the first of the segment
    std::uint64_t hash = 0;             ///< of the keys, where only some of the range are meant
    double rate = 0;                    ///< of a push
    std::uint64_t keys = 0, values = 0; ///< how many follow
};

struct packet {
    packet_head head;
    std::vector<std::uint64_t> keys{}; ///< from the first of the segment
    std::vector<float> values{};
};

[[nodiscard]] inline std::shared_ptr<const packet> make_packet(packet_head h, std::vector<std::uint64_t> keys = {},
                                                               std::vector<float> values = {}) {
    h.keys = keys.size();
    h.values = values.size();
    return std::make_shared<const packet>(packet{h, std::move(keys), std::move(values)});
}

/// Tags of a pair's messages.
inline constexpr int requests = 0, replies = 1, between_servers = 2;

/// Starts to send it. Who finds that the peer is gone is who waits for its answer.
template <class Communicator>
void send_packet(arrivals<Communicator>& on, const Communicator& by, int peer, int tag,
                 const std::shared_ptr<const packet>& p) {
    const auto start = [&](const auto& data) {
        on.add([&] { return by.async().send(data, peer, tag); }, [p] {}, [p](const error&) {});
    };
    start(p->head);
    if (!p->keys.empty()) start(p->keys);
    if (!p->values.empty()) start(p->values);
}

/// Receives one, of up to `most` keys and values. Then calls `then`, or `instead`.
template <class Communicator>
class packet_receiver : public std::enable_shared_from_this<packet_receiver<Communicator>> {
public:
    using next = std::function<void(packet&&)>;
    using failed = std::function<void(const error&)>;

    packet_receiver(arrivals<Communicator>& on, const Communicator& by, int peer, int tag, std::uint64_t most,
                    next then, failed instead)
        : on_(on), by_(by), peer_(peer), tag_(tag), most_(most), then_(std::move(then)), instead_(std::move(instead)) {}
    void start() {
        receive(p_.head, [this] { check(); });
    }

private:
    template <class Data>
    void receive(Data& data, std::function<void()> then) {
        auto self = this->shared_from_this();
        on_.add([&] { return by_.async().receive(data, peer_, tag_); }, [self, then = std::move(then)] { then(); },
                [self](const error& e) { self->instead_(e); });
    }
    void check() {
        if (p_.head.keys > most_ || p_.head.values > most_) {
            fault f;
            f.why = cause::mismatch;
            f.operation = "parameter server";
            f.peer = by_.world_rank(peer_);
            f.detail = "it announces more than a segment";
            return instead_(error(std::move(f)));
        }
        p_.keys.resize(p_.head.keys);
        p_.values.resize(p_.head.values);
        p_.keys.empty() ? receive_values() : receive(p_.keys, [this] { receive_values(); });
    }
    void receive_values() {
        p_.values.empty() ? then_(std::move(p_)) : receive(p_.values, [this] { then_(std::move(p_)); });
    }

    arrivals<Communicator>& on_;
    Communicator by_;
    int peer_, tag_;
    std::uint64_t most_;
    next then_;
    failed instead_;
    packet p_;
};

template <class Communicator, class Next, class Failed>
void receive_packet(arrivals<Communicator>& on, const Communicator& by, int peer, int tag, std::uint64_t most,
                    Next then, Failed instead) {
    std::make_shared<packet_receiver<Communicator>>(on, by, peer, tag, most, std::move(then), std::move(instead))
        ->start();
}

} // namespace tutti::training::server::detail
