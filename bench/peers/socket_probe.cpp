// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

/// What sockets alone can do: two ranks, one TCP connection, one thread a rank that spins. No library has less to do
/// for an allreduce, so this shows what a library costs. Started by `tutti run`.

#include "contest.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace tutti::peers {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

descriptor connect(meeting& others, int rank) {
    descriptor made{socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const raw = reinterpret_cast<sockaddr*>(&where);
    socklen_t length = sizeof where;
    if (rank == 0 && (bind(made.get(), raw, length) != 0 || listen(made.get(), 1) != 0 ||
                      getsockname(made.get(), raw, &length) != 0))
        fail("cannot listen");
    double port = ntohs(where.sin_port);
    others.maximum({&port, 1});
    where.sin_port = htons(static_cast<in_port_t>(port));
    if (rank == 1 && ::connect(made.get(), raw, length) != 0) fail("cannot connect");
    if (rank == 0) made = descriptor{accept(made.get(), nullptr, nullptr)};
    const int yes = 1;
    if (setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0) fail("cannot accept");
    return made;
}

// Bytes that a call moved, 0 if it would have to wait.
std::size_t moved(ssize_t result) {
    if (result > 0) return static_cast<std::size_t>(result);
    if (result == 0 || errno != EAGAIN) fail("the connection is lost");
    return 0;
}

constexpr std::size_t landing_bytes = std::size_t{256} << 10;

void allreduce(int socket, std::byte* data, std::size_t bytes, std::vector<float>& landing) {
    auto* const values = reinterpret_cast<float*>(data);
    auto* const come = reinterpret_cast<std::byte*>(landing.data());
    std::size_t sent = 0, reduced = 0, held = 0; // bytes; held: come and not reduced
    while (sent < bytes || reduced < bytes) {
        if (sent < bytes) sent += moved(send(socket, data + sent, bytes - sent, MSG_DONTWAIT | MSG_NOSIGNAL));
        const std::size_t room = std::min(landing_bytes, sent - reduced) - held; // nothing unsent is overwritten
        if (room == 0) continue;
        held += moved(recv(socket, come + held, room, MSG_DONTWAIT));
        const std::size_t whole = held / sizeof(float), first = reduced / sizeof(float);
        for (std::size_t i = 0; i < whole; ++i) values[first + i] += landing[i];
        reduced += whole * sizeof(float);
        held %= sizeof(float);
        std::memmove(come, come + whole * sizeof(float), held);
    }
}

binder join(const contest& c, meeting& others, int rank, int ranks) {
    require_pair(c, ranks);
    const auto connection = std::make_shared<const descriptor>(connect(others, rank));
    const auto landing = std::make_shared<std::vector<float>>(landing_bytes / sizeof(float));
    return [=](const job& what, const buffers& where) -> call {
        return [=, to = where.output, bytes = what.bytes()] { allreduce(connection->get(), to, bytes, *landing); };
    };
}

} // namespace
} // namespace tutti::peers

int main(int argc, char** argv) { return tutti::peers::compete(argc, argv, tutti::peers::join); }
