// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "client_options.hpp"
#include "key_lists.hpp"
#include "links.hpp"
#include "packet.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// A client's messages to and from each server. Servers are named by their index.
template <class Communicator>
class client_lanes {
public:
    using receiver = packet_receiver<Communicator>;
    /// What follows when an answer has come, or none can come any more.
    struct handlers {
        std::function<void(std::size_t server, const packet&)> answer;
        std::function<void(std::size_t server, const error&)> loss;
        typename receiver::place place;
    };

    client_lanes(const links<Communicator>& by, const client_options& options, handlers then)
        : links_(by), deadline_(options.deadline),
          sign_every_(std::min<std::chrono::nanoseconds>(options.sign_every, std::chrono::hours(24))),
          then_(std::move(then)),
          lanes_(by.where().layout().servers.size(), lane{.lists = key_lists(options.key_lists)}) {}

    [[nodiscard]] std::size_t size() const noexcept { return lanes_.size(); }
    [[nodiscard]] bool is_lost(std::size_t s) const noexcept { return lanes_[s].is_lost; }
    [[nodiscard]] int lost() const noexcept {
        return static_cast<int>(std::count_if(lanes_.begin(), lanes_.end(), [](const lane& l) { return l.is_lost; }));
    }
    /// Answers that it owes.
    [[nodiscard]] int due(std::size_t s) const noexcept { return lanes_[s].due; }
    /// Lists of keys that went as a hash.
    [[nodiscard]] std::uint64_t lists_saved() const noexcept { return lists_saved_; }

    /// Without its keys, where the server should still know their list.
    void send_request(std::size_t s, const std::shared_ptr<const packet>& p) {
        ++lanes_[s].due;
        send(s, as_sent(s, p));
    }
    /// What is not answered.
    void send(std::size_t s, const std::shared_ptr<const packet>& p) {
        const int rank = rank_of(s);
        send_packet(arrivals_, links_.with_server(rank).with_deadline(deadline_), links_.peer(rank), requests, p);
    }
    /// Receives the answers that it owes. The deadline counts from here, or from what it has said last.
    void listen(std::size_t s) {
        if (lanes_[s].due == 0 || lanes_[s].is_lost || std::exchange(lanes_[s].listens, true)) return;
        const int rank = rank_of(s);
        const std::uint64_t most = links_.where().keys_of(0).count; // the first segment is as large as any
        receive_packet(
            arrivals_, links_.with_server(rank).with_deadline(deadline_), links_.peer(rank), replies, most,
            [this, s](packet&& p) {
                lanes_[s].listens = false;
                if (p.head.status != answer::alive) {
                    --lanes_[s].due;
                    then_.answer(s, p);
                }
                listen(s);
            },
            [this, s](const error& e) {
                if (std::exchange(lanes_[s].is_lost, true)) return;
                lanes_[s].due = 0;
                then_.loss(s, e);
            },
            then_.place);
    }
    void listen_to_all() {
        for (std::size_t s = 0; s < lanes_.size(); ++s) listen(s);
    }

    /// Lists of that segment go with their keys the next time.
    void forget(std::uint32_t segment) {
        for (lane& l : lanes_) l.lists.forget(segment);
    }

    /// Sleeps until something is over, and goes on with it. Servers that it waits for may be slow: the others are told
    /// that it lives.
    void wait() {
        sign();
        arrivals_.wait(signed_ + sign_every_);
    }
    /// Tells the servers that owe it nothing that it lives, unless it has done so lately.
    void sign() {
        const auto now = this->now();
        if (now < signed_ + sign_every_) return;
        signed_ = now;
        for (std::size_t s = 0; s < lanes_.size(); ++s)
            if (!lanes_[s].is_lost && !lanes_[s].listens) send(s, make_packet({.what = action::alive}));
    }
    /// Goes on with what is over.
    void poll() { arrivals_.poll(); }
    /// Returns when all is over.
    void finish() {
        while (!arrivals_.empty()) arrivals_.wait();
    }
    /// Ends what is under way. The servers take this worker for lost.
    void abort() noexcept {
        for (std::size_t s = 0; s < lanes_.size(); ++s)
            end_pair(links_.with_server(rank_of(s)), "the client of this rank is gone");
    }

private:
    struct lane {
        int due = 0;
        bool listens = false, is_lost = false;
        key_lists lists; ///< that it has been sent; without their keys
    };

    /// By the clock of deadlines.
    [[nodiscard]] std::chrono::steady_clock::time_point now() const { return links_.with_server(rank_of(0)).now(); }
    [[nodiscard]] int rank_of(std::size_t s) const { return links_.rank_of_server(static_cast<int>(s)); }
    [[nodiscard]] std::shared_ptr<const packet> as_sent(std::size_t s, const std::shared_ptr<const packet>& p) {
        const packet_head& h = p->head;
        if (h.hash == 0) return p;
        auto& lists = lanes_[s].lists;
        if (!lists.find(h.segment, h.hash, h.count)) return lists.add(h.segment, h.hash, h.count, {}), p;
        ++lists_saved_;
        return make_packet(h, {}, p->values);
    }

    const links<Communicator>& links_;
    std::chrono::nanoseconds deadline_, sign_every_;
    std::chrono::steady_clock::time_point signed_ = now();
    handlers then_;
    std::vector<lane> lanes_; ///< by server
    std::uint64_t lists_saved_ = 0;
    arrivals<Communicator> arrivals_; ///< ends first: its callbacks use the others
};

} // namespace tutti::training::server::detail
