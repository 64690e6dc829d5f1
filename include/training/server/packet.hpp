// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "arrivals.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// What clients and servers send each other.
namespace tutti::training::server::detail {

enum class action : std::uint32_t {
    get,   ///< of a client: values
    put,   ///< of a client: takes the place of values
    add,   ///< of a client: is added to values
    push,  ///< of a client: gradients for the server's rule
    tick,  ///< of a client: it is in its next clock
    save,  ///< of a client: write a checkpoint beside the one before
    keep,  ///< of a client: all servers have written that checkpoint, and those before it may go
    bye,   ///< nothing more comes
    alive, ///< between servers, and of a client: no more than that
    idle,  ///< between servers: no worker is left, all updates are on all copies; `keys` are the servers that are lost
    close, ///< between servers: a bulk synchronous clock ends
    ack,   ///< between servers: updates up to `number` are on all servers behind
    state, ///< between servers: all of a segment, after the update `number`
};
enum class answer : std::uint32_t {
    done,
    again,   ///< the server lacks the keys of that hash, or an update before this one
    refused, ///< the request is wrong
    later,   ///< a checkpoint is being written: ask again
    failed,  ///< a checkpoint could not be written
    lost,    ///< all servers that had the segment are lost
    alive,   ///< no more than that: the answer is still to come
};

struct packet_head {
    action what = action::get;
    answer status = answer::done;
    std::uint32_t segment = 0;
    std::int32_t worker = 0;
    std::uint64_t number = 0;           ///< of a request; between servers, of an update of the segment
    std::uint64_t sequence = 0;         ///< of an update by this worker to this segment, from 1; of a save, its id
    std::uint64_t clock = 0;            ///< the worker's; of an answer to a get, that of the slowest worker
    std::uint64_t first = 0, count = 0; ///< keys, from the first of the segment; of a list, `count` alone
    std::uint64_t hash = 0;             ///< of a list of keys; 0: the range is meant
    double rate = 0;                    ///< of a push
    std::uint64_t keys = 0, values = 0; ///< how many follow
};

struct packet {
    packet_head head;
    std::vector<std::uint64_t> keys{}; ///< from the first of the segment
    std::vector<float> values{};
};

/// It is of the keys of one segment. Others are for all servers.
[[nodiscard]] constexpr bool is_of_segment(action a) noexcept {
    return a == action::get || a == action::put || a == action::add || a == action::push;
}
/// Its keys are in a segment of that size, and its values are as many. With its keys, also if they came as a hash.
[[nodiscard]] inline bool is_valid(const packet& p, std::uint64_t size) {
    if (p.values.size() != (p.head.what == action::get ? 0 : p.head.count)) return false;
    if (p.head.hash == 0) return p.keys.empty() && p.head.first <= size && p.head.count <= size - p.head.first;
    return p.keys.size() == p.head.count && (p.keys.empty() || p.keys.back() < size) &&
           std::adjacent_find(p.keys.begin(), p.keys.end(), std::greater_equal<>()) == p.keys.end();
}

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
    /// Where the values go, which must be as many; nothing: into the packet.
    using place = std::function<std::optional<std::span<float>>(const packet_head&)>;

    packet_receiver(arrivals<Communicator>& on, const Communicator& by, int peer, int tag, std::uint64_t most,
                    next then, failed instead, place where)
        : on_(on), by_(by), peer_(peer), tag_(tag), most_(most), then_(std::move(then)), instead_(std::move(instead)),
          where_(std::move(where)) {}
    void start() {
        receive(p_.head, [this] { examine(); });
    }

private:
    template <class Data>
    void receive(Data& data, std::function<void()> then) {
        auto self = this->shared_from_this();
        on_.add([&] { return by_.async().receive(data, peer_, tag_); }, [self, then = std::move(then)] { then(); },
                [self](const error& e) { self->instead_(e); });
    }
    void examine() {
        if (p_.head.keys > most_ || p_.head.values > most_) return fail("it announces more than a segment");
        const auto to = where_ ? where_(p_.head) : std::nullopt;
        if (to && to->size() != p_.head.values) return fail("it answers with another number of values");
        p_.keys.resize(p_.head.keys);
        if (!to) p_.values.resize(p_.head.values);
        values_ = to ? *to : std::span<float>(p_.values);
        p_.keys.empty() ? receive_values() : receive(p_.keys, [this] { receive_values(); });
    }
    void receive_values() {
        values_.empty() ? then_(std::move(p_)) : receive(values_, [this] { then_(std::move(p_)); });
    }
    void fail(const char* what) {
        instead_(error(tutti::detail::make_fault(cause::mismatch, "parameter server", by_.world_rank(peer_), what)));
    }

    arrivals<Communicator>& on_;
    Communicator by_;
    int peer_, tag_;
    std::uint64_t most_;
    next then_;
    failed instead_;
    place where_;
    packet p_;
    std::span<float> values_;
};

template <class Communicator, class Next, class Failed>
void receive_packet(arrivals<Communicator>& on, const Communicator& by, int peer, int tag, std::uint64_t most,
                    Next then, Failed instead, typename packet_receiver<Communicator>::place where = {}) {
    std::make_shared<packet_receiver<Communicator>>(on, by, peer, tag, most, std::move(then), std::move(instead),
                                                    std::move(where))
        ->start();
}

} // namespace tutti::training::server::detail
