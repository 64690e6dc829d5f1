// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

/// What sockets alone can do: ranks with one TCP connection to each peer that they need, one thread a rank that looks
/// again and again. Recursive doubling of little data, recursive halving and doubling of much; no library has less to
/// do for an allreduce, so this shows what a library costs. A power of two ranks, started by `tutti run`.

#include "contest.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace tutti::peers {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct port {
    descriptor socket{::socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in where{};
    socklen_t length = sizeof where;
    port() {
        where.sin_family = AF_INET;
        where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
    sockaddr* raw() { return reinterpret_cast<sockaddr*>(&where); }
};

descriptor at_once(descriptor made) {
    const int yes = 1;
    if (setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0) fail("cannot connect");
    return made;
}

descriptor listen_and_accept(meeting& others, double& number) {
    port own;
    if (bind(own.socket.get(), own.raw(), own.length) != 0 || listen(own.socket.get(), 1) != 0 ||
        getsockname(own.socket.get(), own.raw(), &own.length) != 0)
        fail("cannot listen");
    number = ntohs(own.where.sin_port);
    others.maximum({&number, 1});
    return at_once(descriptor{accept(own.socket.get(), nullptr, nullptr)});
}

descriptor connect(meeting& others, double& number) {
    port peer;
    others.maximum({&number, 1});
    peer.where.sin_port = htons(static_cast<in_port_t>(number));
    if (::connect(peer.socket.get(), peer.raw(), peer.length) != 0) fail("cannot connect");
    return at_once(std::move(peer.socket));
}

// To the ranks at distance 1, 2, 4 ..., pair by pair: ranks that have nothing to do meet the others all the same.
std::vector<descriptor> connect_all(meeting& others, int rank, int ranks) {
    std::vector<descriptor> made;
    for (int distance = 1; distance < ranks; distance *= 2)
        for (int lower = 0; lower < ranks; ++lower) {
            if (lower & distance) continue;
            double number = 0;
            if (rank == lower)
                made.push_back(listen_and_accept(others, number));
            else if (rank == lower + distance)
                made.push_back(connect(others, number));
            else
                others.maximum({&number, 1});
        }
    return made;
}

// Bytes that a call moved, 0 if it would have to wait.
std::size_t moved(ssize_t result) {
    if (result > 0) return static_cast<std::size_t>(result);
    if (result == 0 || errno != EAGAIN) fail("the connection is lost");
    return 0;
}

constexpr std::size_t landing_bytes = std::size_t{256} << 10;

class probe {
public:
    probe(std::vector<descriptor> sockets, int rank, bool crowded)
        : sockets_(std::move(sockets)), landing_(landing_bytes / sizeof(float)), rank_(rank), crowded_(crowded) {}

    void allreduce(std::byte* data, std::size_t bytes) {
        if (bytes * sockets_.size() <= little) return doubling(data, bytes);
        const std::size_t shard = bytes / (std::size_t{1} << sockets_.size()) / sizeof(float) * sizeof(float);
        const auto bound = [&](unsigned k) { return k >> sockets_.size() ? bytes : k * shard; };
        for (std::size_t k = sockets_.size(); k-- > 0;) halve(data, k, bound, true);
        for (std::size_t k = 0; k < sockets_.size(); ++k) halve(data, k, bound, false);
    }

private:
    static constexpr std::size_t little = 128 << 10;

    void doubling(std::byte* data, std::size_t bytes) {
        for (const descriptor& s : sockets_) exchange(s.get(), {data, bytes}, {data, bytes}, true);
    }

    // The shards of the 2^k ranks around this one, against those around the peer at distance 2^k.
    void halve(std::byte* data, std::size_t k, auto&& bound, bool reduces) {
        const unsigned width = 1U << k, mine = static_cast<unsigned>(rank_) >> k, theirs = mine ^ 1;
        const auto shards = [&](unsigned number) {
            const std::size_t first = bound(number * width);
            return std::span{data + first, bound((number + 1) * width) - first};
        };
        exchange(sockets_[k].get(), shards(reduces ? theirs : mine), shards(reduces ? mine : theirs), reduces);
    }

    void exchange(int socket, std::span<std::byte> out, std::span<std::byte> in, bool reduces) {
        std::size_t sent = 0, done = 0;
        held_ = 0;
        while (sent < out.size() || done < in.size()) {
            std::size_t now = 0;
            if (sent < out.size())
                now += moved(send(socket, &out[sent], out.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL));
            sent += now;
            const std::size_t most = out.data() == in.data() ? sent : in.size(); // nothing unsent is overwritten
            if (done < most) now += take(socket, in.data(), done, most, reduces);
            if (now == 0 && crowded_) std::this_thread::yield();
        }
    }

    std::size_t take(int socket, std::byte* to, std::size_t& done, std::size_t most, bool reduces) {
        auto* const come = reinterpret_cast<std::byte*>(landing_.data());
        std::byte* const where = reduces ? come + held_ : to + done;
        const std::size_t room = reduces ? std::min(landing_bytes, most - done) - held_ : most - done;
        if (room == 0) return 0;
        const std::size_t got = moved(recv(socket, where, room, MSG_DONTWAIT));
        if (!reduces) {
            done += got;
            return got;
        }
        held_ += got;
        const std::size_t whole = held_ / sizeof(float);
        auto* const values = reinterpret_cast<float*>(to + done);
        for (std::size_t i = 0; i < whole; ++i) values[i] += landing_[i];
        done += whole * sizeof(float);
        held_ %= sizeof(float);
        std::memmove(come, come + whole * sizeof(float), held_);
        return got;
    }

    std::vector<descriptor> sockets_; // to the rank at distance 2^k
    std::vector<float> landing_;
    std::size_t held_ = 0; // bytes that have come and are not reduced
    int rank_;
    bool crowded_;
};

binder enter(const contest& c, shared_meeting& others, int rank, int ranks) {
    if (c.settings.operation != "allreduce" || !std::has_single_bit(static_cast<unsigned>(ranks)))
        throw std::invalid_argument("the probe is an allreduce of a power of two ranks");
    auto sockets = connect_all(others, rank, ranks); // which they meet for: then it is known whether they are crowded
    const auto self = std::make_shared<probe>(std::move(sockets), rank, others.crowded());
    return [self](const job& what, const buffers& where) -> call {
        return [self, to = where.output, bytes = what.bytes()] { self->allreduce(to, bytes); };
    };
}

} // namespace
} // namespace tutti::peers

int main(int argc, char** argv) { return tutti::peers::compete(argc, argv, tutti::peers::enter); }
