// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "links.hpp"
#include "packet.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// What a server sends and receives. Nothing waits but arrivals().wait().
template <class Communicator>
class server_port {
public:
    /// `silence`: twice as long a server may say nothing. Of a worker, what it says tells whether it is lost.
    /// `most_of_server`: keys and values in a packet of another server.
    server_port(const links<Communicator>& by, std::chrono::nanoseconds silence, std::uint64_t most_of_server)
        : links_(by), silence_(silence), most_of_server_(most_of_server) {}
    server_port(const server_port&) = delete;
    server_port& operator=(const server_port&) = delete;
    /// Unless it has finished, what is under way ends, for the peers too: they take this server for lost.
    ~server_port() {
        if (has_finished_) return;
        const char* const why = "the parameter server of this rank has ended";
        for (const int r : links_.where().layout().workers) end_pair(links_.with_worker(r), why);
        for (const int r : links_.where().layout().servers)
            if (r != links_.rank_of_server(links_.server())) end_pair(links_.between_servers(r), why);
    }

    [[nodiscard]] detail::arrivals<Communicator>& arrivals() noexcept { return arrivals_; }
    /// Returns when all that is under way is over.
    void finish() {
        while (!arrivals_.empty()) arrivals_.wait();
        has_finished_ = true;
    }

    /// The next request of a worker, within that time.
    template <class Next, class Failed>
    void listen_to_worker(int worker, std::chrono::nanoseconds most, Next then, Failed instead) {
        const int rank = links_.rank_of_worker(worker);
        receive_packet(arrivals_, links_.with_worker(rank).with_deadline(most), links_.peer(rank), requests,
                       links_.where().keys_of(0).count, // the first segment is as large as any
                       std::move(then), std::move(instead));
    }
    /// The next packet of another server.
    template <class Next, class Failed>
    void listen_to_server(int server, Next then, Failed instead) {
        const int rank = links_.rank_of_server(server);
        receive_packet(arrivals_, of_server(rank), links_.peer(rank), between_servers, most_of_server_, std::move(then),
                       std::move(instead));
    }

    void forward(int server, const std::shared_ptr<const packet>& p) {
        const int rank = links_.rank_of_server(server);
        send_packet(arrivals_, of_server(rank), links_.peer(rank), between_servers, p);
    }
    void acknowledge(int server, std::uint32_t segment, std::uint64_t number) {
        forward(server, make_packet({.what = action::ack, .segment = segment, .number = number}));
    }
    void say(int server, action what, std::vector<std::uint64_t> facts = {}) {
        forward(server, make_packet({.what = what}, std::move(facts)));
    }
    void reply(int worker, std::uint64_t request, answer status, std::uint64_t clock = 0,
               std::vector<float> values = {}) {
        const int rank = links_.rank_of_worker(worker);
        send_packet(arrivals_, of_worker(rank), links_.peer(rank), replies,
                    make_packet({.status = status, .number = request, .clock = clock}, {}, std::move(values)));
    }

private:
    [[nodiscard]] Communicator of_worker(int rank) const {
        return links_.with_worker(rank).with_deadline(std::chrono::hours(24));
    }
    [[nodiscard]] Communicator of_server(int rank) const {
        const auto most = std::chrono::nanoseconds::max();
        return links_.between_servers(rank).with_deadline(silence_ < most / 2 ? 2 * silence_ : most);
    }

    const links<Communicator>& links_;
    std::chrono::nanoseconds silence_;
    std::uint64_t most_of_server_;
    bool has_finished_ = false;
    detail::arrivals<Communicator> arrivals_;
};

} // namespace tutti::training::server::detail
