// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "support/expect.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <future>
#include <utility>

namespace tutti::test {

/// Runs the coroutine, and throws what it throws.
inline void run(boost::asio::io_context& context, boost::asio::awaitable<void> what) {
    auto over = boost::asio::co_spawn(context, std::move(what), boost::asio::use_future);
    context.restart();
    context.run();
    expect(over.wait_for(std::chrono::seconds(0)) == std::future_status::ready, "the context ends with the coroutine");
    over.get();
}

inline boost::asio::awaitable<void> pause(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
    co_await timer.async_wait(boost::asio::use_awaitable);
}

} // namespace tutti::test
