// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A rank that trains, ticks and answers HTTP, all in one thread:
//
//     tutti run -n 4 -- beside_http [tcp|shared_memory [MiB [steps]]]
//
// Each step of the training sums gradients of that size (64 MiB). A timer is due each 2 ms. Rank 0 has a status page at
// http://127.0.0.1:PORT/, as it says at first; a client of its own looks at it all the time. The steps are made with
// and without all that, in turn. Prints how late timers were (the 99.9th percentile and the latest of all ranks), and
// the ratio of times. Exits 0 if the training gives what it would on one rank.
#include <tutti/collectives/asio.hpp>
#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/shared_memory.hpp>
#include <tutti/transport/tcp.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::awaitable, asio::use_awaitable;
using clock_type = std::chrono::steady_clock;
using milliseconds = std::chrono::duration<double, std::milli>;

namespace {

/// Of one rank.
struct state {
    int step = 0;
    bool is_busy = false; ///< timers and pages are wanted
    bool is_over = false;
    int pages = 0;
    std::vector<double> late; ///< milliseconds, of each timer
};

/// What a page says.
awaitable<void> answer(asio::ip::tcp::socket socket, state& now) {
    boost::beast::flat_buffer buffer;
    http::request<http::empty_body> asked;
    co_await http::async_read(socket, buffer, asked, use_awaitable);
    http::response<http::string_body> page(http::status::ok, asked.version());
    page.set(http::field::content_type, "text/plain");
    page.body() = "step " + std::to_string(now.step) + "\n";
    page.prepare_payload();
    co_await http::async_write(socket, page, use_awaitable);
    ++now.pages;
}
awaitable<void> serve(asio::ip::tcp::acceptor& at, state& now) {
    const auto executor = co_await asio::this_coro::executor;
    for (;;) {
        auto socket = co_await at.async_accept(use_awaitable);
        co_spawn(executor, answer(std::move(socket), now), [](const std::exception_ptr&) {}); // its client has gone
    }
}
/// Until the training is over; then there are no more.
awaitable<void> look_at_pages(asio::ip::tcp::acceptor& server, state& now) {
    const auto at = server.local_endpoint();
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (!now.is_over) {
        timer.expires_after(std::chrono::milliseconds(10));
        co_await timer.async_wait(use_awaitable);
        if (!now.is_busy) continue;
        asio::ip::tcp::socket socket(timer.get_executor());
        co_await socket.async_connect(at, use_awaitable);
        const http::request<http::empty_body> wanted(http::verb::get, "/", 11);
        co_await http::async_write(socket, wanted, use_awaitable);
        boost::beast::flat_buffer buffer;
        http::response<http::string_body> page;
        co_await http::async_read(socket, buffer, page, use_awaitable);
        if (!page.body().starts_with("step ")) throw std::runtime_error("a page says " + page.body());
    }
    server.close();
}

awaitable<void> tick(state& now) {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (!now.is_over) {
        timer.expires_after(std::chrono::milliseconds(2));
        co_await timer.async_wait(use_awaitable);
        if (now.is_busy) now.late.push_back(milliseconds(clock_type::now() - timer.expiry()).count());
    }
}

/// Finds the mean of all ranks' targets by gradient descent.
template <class Transport>
awaitable<void> train(const tutti::communicator<Transport>& world, std::size_t count, int steps, state& now,
                      std::vector<double>& seconds, bool& right) {
    const float target = static_cast<float>(world.rank()), ranks = static_cast<float>(world.size());
    std::vector<float> model(count), gradient(count);
    for (now.step = 0; now.step < steps; ++now.step) {
        now.is_busy = now.step % 2 == 1;
        co_await tutti::async_wait(world.async().barrier(), use_awaitable);
        const auto begin = clock_type::now();
        constexpr std::size_t a_part = 1 << 16; // others have their turn in between
        for (std::size_t first = 0; first < count; first += a_part) {
            for (std::size_t i = first; i < std::min(count, first + a_part); ++i) gradient[i] = model[i] - target;
            co_await asio::post(use_awaitable);
        }
        co_await tutti::async_wait(world.async().allreduce(gradient, tutti::sum), use_awaitable);
        for (std::size_t first = 0; first < count; first += a_part) {
            for (std::size_t i = first; i < std::min(count, first + a_part); ++i) model[i] -= gradient[i] / ranks / 2;
            co_await asio::post(use_awaitable);
        }
        seconds.push_back(std::chrono::duration<double>(clock_type::now() - begin).count());
    }
    now.is_busy = false;
    float wanted = 0;
    for (int k = 0; k < steps; ++k) wanted -= (wanted - (ranks - 1) / 2) / 2;
    right = std::all_of(model.begin(), model.end(), [&](float x) { return std::abs(x - wanted) < 1e-4F * ranks; });
    now.is_over = true;
}

double quantile(std::vector<double>& all, double q) {
    if (all.empty()) return 0;
    std::sort(all.begin(), all.end());
    return all[std::min(all.size() - 1, static_cast<std::size_t>(q * static_cast<double>(all.size())))];
}

template <class Transport>
int run(std::size_t mib, int steps) {
    asio::io_context context(1);
    const tutti::communicator<Transport> world{Transport::from_environment()};
    tutti::run_on(context, world);

    state now;
    bool right = false;
    std::vector<double> seconds;
    asio::ip::tcp::acceptor pages(context);
    const auto rethrow = [](const std::exception_ptr& e) {
        if (e) std::rethrow_exception(e);
    };
    if (world.rank() == 0) {
        pages = {context, {asio::ip::address_v4::loopback(), 0}};
        std::printf("status page: http://127.0.0.1:%d/\n", pages.local_endpoint().port());
        std::fflush(stdout);
        co_spawn(context, serve(pages, now), [&](const std::exception_ptr& e) {
            if (!now.is_over) rethrow(e); // else it ends with the acceptor
        });
        co_spawn(context, look_at_pages(pages, now), rethrow);
    }
    co_spawn(context, tick(now), rethrow);
    co_spawn(context, train(world, mib << 18, steps, now, seconds, right), rethrow);
    context.run();

    std::vector<double> ratios;
    for (std::size_t k = 1; k < seconds.size(); k += 2) ratios.push_back(seconds[k] / seconds[k - 1]);
    const double late = world.allreduce(quantile(now.late, 0.999), tutti::maximum);
    const double latest = world.allreduce(quantile(now.late, 1), tutti::maximum);
    const int all_right = world.allreduce(static_cast<int>(right), tutti::minimum);
    const double ratio = quantile(ratios, 0.5);
    if (world.rank() == 0)
        std::printf(
            "%d ranks, %zu MiB: %zu timers, late by %.2f ms (99.9 %%), %.2f ms at most; %d pages; a step takes %.3f "
            "s, beside that %.2f times as long\n",
            world.size(), mib, now.late.size(), late, latest, now.pages, quantile(seconds, 0.5), ratio);
    return all_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main(int argc, char** argv) try {
    const std::string_view over = argc > 1 ? argv[1] : "tcp";
    const std::size_t mib = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 64;
    const int steps = argc > 3 ? std::atoi(argv[3]) : 40;
    return over == "shared_memory" ? run<tutti::transport::shared_memory>(mib, steps)
                                   : run<tutti::transport::tcp>(mib, steps);
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return EXIT_FAILURE;
}
