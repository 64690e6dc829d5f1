// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A program that waits by an Asio of its own, with another reactor than the library's, while a world of the compiled
// library works beside it. Exits 0 if both did what they are to do.
#define BOOST_ASIO_DISABLE_EPOLL
#define BOOST_ASIO_DISABLE_THREADS
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <collectives/collectives.hpp>
#include <transport/tcp.hpp>

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>

int main() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return 1;
    boost::asio::io_context mine;
    boost::asio::posix::stream_descriptor front(mine, ends[0]);
    boost::asio::steady_timer timer(mine, std::chrono::milliseconds(20));
    int events = 0, sums = 0;
    ::setenv("TUTTI_RANK", "0", 1);
    ::setenv("TUTTI_SIZE", "1", 1);
    front.async_wait(boost::asio::posix::stream_descriptor::wait_read, [&](auto failed) { events += !failed; });
    timer.async_wait([&](auto failed) {
        events += !failed;
        if (::write(ends[1], "x", 1) != 1) events = -1;
    });
    for (int i = 0; i < 3; ++i) {
        const tutti::communicator world{tutti::transport::tcp::from_environment()};
        sums += world.allreduce(1, tutti::sum);
    }
    mine.run();
    return events == 2 && sums == 3 ? 0 : 1;
}
