// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Trains and serves requests in one thread.
#include <tutti/collectives/asio.hpp>
#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/tcp.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

using boost::asio::awaitable, boost::asio::use_awaitable;
using communicator = tutti::communicator<tutti::transport::tcp>;

awaitable<void> train(const communicator& world) {
    for (int step = 1; step <= 3; ++step) {
        std::vector<float> gradient(1'000'000, static_cast<float>(step));
        co_await tutti::async_wait(world.async().allreduce(gradient, tutti::sum), use_awaitable);
        if (world.rank() == 0) std::printf("step %d: %g\n", step, static_cast<double>(gradient[0]));
    }
}

/// Answers requests of any rank and any length by their sum. An empty one is the last of its rank.
awaitable<void> serve(communicator world) {
    world.default_deadline(std::chrono::nanoseconds::max()); // else a server that nobody asks fails
    int answered = 0;
    for (int open = world.size() - 1; open > 0;) {
        const auto [numbers, from] = co_await tutti::async_receive<double>(world, tutti::any_rank, use_awaitable);
        if (numbers.empty()) {
            --open;
            continue;
        }
        const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
        co_await tutti::async_wait(world.async().send(sum, from), use_awaitable);
        ++answered;
    }
    std::printf("%d requests answered\n", answered);
}

awaitable<void> ask(const communicator& world) {
    for (std::size_t n = 100; n-- > 0;) { // at last none
        const std::vector<double> numbers(n, 2);
        double sum = 0;
        co_await tutti::async_wait(world.async().send(numbers, 0), use_awaitable);
        if (n > 0) co_await tutti::async_wait(world.async().receive(sum, 0), use_awaitable);
        if (sum != 2 * static_cast<double>(n)) std::printf("wrong: %g\n", sum);
    }
}

int main() {
    boost::asio::io_context context;
    const communicator world{tutti::transport::tcp::from_environment()};
    tutti::run_on(context, world);

    const auto rethrow = [](const std::exception_ptr& failed) { // out of run()
        if (failed) std::rethrow_exception(failed);
    };
    co_spawn(context, train(world), rethrow);
    co_spawn(context, world.rank() == 0 ? serve(world) : ask(world), rethrow);
    context.run(); // until nothing is awaited any more
}
