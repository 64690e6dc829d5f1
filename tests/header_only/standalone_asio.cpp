// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A program that runs on standalone Asio and links the compiled library, whose own Asio is Boost's. Exits 0 if calls
// are awaited there.
#define ASIO_DISABLE_EPOLL // another reactor than the library's
#include <asio.hpp>

#include <collectives/asio.hpp>
#include <collectives/collectives.hpp>
#include <transport/tcp.hpp>

#include <cstdlib>
#include <system_error>
#include <vector>

int main() {
    ::setenv("TUTTI_RANK", "0", 1);
    ::setenv("TUTTI_SIZE", "1", 1);
    asio::io_context context;
    const tutti::communicator world{tutti::transport::tcp::from_environment()};
    tutti::run_on(context, world);
    std::vector<int> x(1000, 7);
    int right = 0;
    tutti::async_wait(world.async().allreduce(x, tutti::sum), [&](std::error_code failed) { right += !failed; });
    const auto refused = [&](const std::error_code& failed) {
        right += failed == tutti::cause::invalid_argument && tutti::error_of(failed).has_value();
    };
    tutti::async_wait(tutti::request<tutti::transport::tcp>(), asio::bind_executor(context, refused));
    const auto talk = [&]() -> asio::awaitable<void> {
        auto sent = world.async().send(x, 0);
        const auto [got, from] = co_await tutti::async_receive<int>(world, tutti::any_rank, asio::use_awaitable);
        co_await tutti::async_wait(std::move(sent), asio::use_awaitable);
        right += got == x && from == 0;
    };
    asio::co_spawn(context, talk, [&](const std::exception_ptr& failed) { right += !failed; });
    context.run();
    return right == 4 ? 0 : 1;
}
