// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What it costs that any thread may call:
//
//     build/tools/tutti run -n 2 -- build/bench/progress [shared_memory|tcp]
//
// Each row is of a blocking allreduce: the ratio of progress::by_waiters to progress::in_calls, measured in turn. It
// has the median of 11 rounds, and the least but one and the greatest but one: the median of all lies between them with
// 99 %. `alone` has one thread a rank. `loop` is in place of by_waiters one thread that waits in a loop of its own, by
// poll(2), step() and in calls; `awaited` a coroutine in an io_context. With `open` four receives of each world do not
// end meanwhile. With `waits` a further thread waits for one of them.

#include <collectives/asio.hpp>
#include <collectives/collectives.hpp>
#include <transport/shared_memory.hpp>
#include <transport/tcp.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

#include <poll.h>

namespace {

using clock_type = std::chrono::steady_clock;

template <class World>
void repeat(const World& world, int calls, std::vector<float>& data) {
    for (int i = 0; i < calls; ++i) world.allreduce(data, tutti::sum);
}

template <class World>
double us_a_call(const World& world, std::vector<float>& data) {
    const int calls = std::clamp(static_cast<int>((1u << 25) / (data.size() * 4 + 16384)), 3, 2000);
    world.barrier();
    const auto begin = clock_type::now();
    repeat(world, calls, data);
    return std::chrono::duration<double, std::micro>(clock_type::now() - begin).count() / calls;
}

/// A world whose program waits for its calls in a loop of its own.
template <class World>
struct looped {
    const World& world;

    [[nodiscard]] int rank() const { return world.rank(); }
    void barrier() const { world.barrier(); }
    void allreduce(std::vector<float>& data, tutti::sum_operator how) const {
        auto call = world.async().allreduce(data, how);
        pollfd waits{world.descriptor(), POLLIN, 0};
        while (!call.is_over()) {
            if (world.step() || call.is_over()) continue;
            const auto left = world.next_deadline() - clock_type::now();
            const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
            ::poll(&waits, 1, static_cast<int>(std::clamp<long long>(ms, 0, 1000)));
        }
        call.wait();
    }
};

/// A world whose program awaits its calls in coroutines.
template <class World>
struct awaited {
    const World& world;
    boost::asio::io_context& context;

    [[nodiscard]] int rank() const { return world.rank(); }
    void barrier() const { world.barrier(); }
};
template <class World>
void repeat(const awaited<World>& in, int calls, std::vector<float>& data) {
    const auto all = [&]() -> boost::asio::awaitable<void> {
        for (int i = 0; i < calls; ++i)
            co_await tutti::async_wait(in.world.async().allreduce(data, tutti::sum), boost::asio::use_awaitable);
    };
    boost::asio::co_spawn(in.context, all, boost::asio::detached);
    in.context.restart();
    in.context.run();
}

/// Prints a row of each size.
template <class World, class Other>
void compare(const char* name, const World& in_calls, const Other& by_waiters) {
    constexpr int rounds = 11;
    for (const std::size_t bytes : {8u, 4096u, 65536u, 1u << 20, 64u << 20}) {
        std::vector<float> data(bytes / 4);
        std::vector<double> ratios, plain;
        us_a_call(in_calls, data), us_a_call(by_waiters, data);
        for (int k = 0; k < rounds; ++k) {
            double us[2];
            for (const int turn : {k % 2, 1 - k % 2})
                us[turn] = turn ? us_a_call(by_waiters, data) : us_a_call(in_calls, data);
            plain.push_back(us[0]);
            ratios.push_back(us[1] / us[0]);
        }
        std::sort(ratios.begin(), ratios.end());
        std::sort(plain.begin(), plain.end());
        if (in_calls.rank() == 0)
            std::printf("| %s | %zu | %.2f us | %.2f (%.2f to %.2f) |\n", name, bytes, plain[rounds / 2],
                        ratios[rounds / 2], ratios[1], ratios[rounds - 2]);
        std::fflush(stdout);
    }
}

template <class Transport>
void measure() {
    using tutti::progress;
    const tutti::communicator<Transport> in_calls{Transport::from_environment()};
    const tutti::communicator<Transport> by_waiters{Transport::from_environment(), progress::by_waiters};
    const int other = 1 - in_calls.rank();
    compare("alone", in_calls, by_waiters);
    const tutti::communicator<Transport> in_loop{Transport::from_environment()};
    compare("loop", in_calls, looped<tutti::communicator<Transport>>{in_loop});
    boost::asio::io_context context(1);
    const tutti::communicator<Transport> in_context{Transport::from_environment()};
    tutti::run_on(context, in_context);
    compare("awaited", in_calls, awaited<tutti::communicator<Transport>>{in_context, context});

    // What the other rank sends only at the end. Each world polls for it in each call.
    const tutti::communicator<Transport>* const worlds[] = {&in_calls, &by_waiters};
    std::vector<int> got(8);
    std::vector<tutti::request<Transport>> open;
    for (const auto* world : worlds)
        for (int k = 0; k < 4; ++k) open.push_back(world->async().receive(std::span(&got[open.size()], 1), other));
    compare("open", in_calls, by_waiters);
    std::thread waits([last = std::move(open.back())]() mutable { last.wait(); });
    open.pop_back();
    compare("waits", in_calls, by_waiters);

    for (const auto* world : worlds)
        for (int k = 0; k < 4; ++k) world->send(std::span<const int>(got.data(), 1), other);
    wait_all(open);
    waits.join();
}

} // namespace

int main(int argc, char** argv) try {
    const std::string_view over = argc > 1 ? argv[1] : "shared_memory";
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    over == "tcp" ? measure<tutti::transport::tcp>() : measure<tutti::transport::shared_memory>();
} catch (const tutti::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
