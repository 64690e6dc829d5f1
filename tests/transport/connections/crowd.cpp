// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/connections/connector.hpp>
#include <transport/connections/listener.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <optional>
#include <thread>
#include <vector>

using namespace tutti::transport;
using namespace tutti::transport::detail::connections;

namespace {

constexpr std::chrono::seconds limit{90};
/// What a step takes where so many ranks share two cores.
constexpr std::chrono::microseconds delay{500};

/// Runs what is ready, one after the other, and takes its time for each. True if there was any.
bool step(bootstrap::asio::io_context& in) {
    in.restart();
    bool any = false;
    while (in.poll_one() > 0) {
        any = true;
        std::this_thread::sleep_for(delay);
    }
    return any;
}

} // namespace

TEST_CASE("2,000 ranks that come to one at once all get in, though it takes half a millisecond for each step") {
    constexpr int guests = 2000;
    const bootstrap::secret key("sixteen secret bytes");
    REQUIRE(bootstrap::make_room_for_descriptors(2 * guests + 100));
    auto where = *bootstrap::address::literal("127.0.0.1", 0);
    bootstrap::asio::io_context of_host;
    std::optional<listener> port(std::in_place, of_host, listener::open(where, {}));
    where.set_port(port->port());
    std::atomic<bool> stop{false}; // orders nothing but itself
    int welcomed = 0;
    std::thread host([&] {
        std::vector<bootstrap::proven_socket> inside;
        port->begin(key, {bootstrap::purpose::data, guests, guests + 1, 77, 1}, [&](auto&& s, const bootstrap::hello&) {
            inside.push_back(std::move(s));
            ++welcomed;
        });
        while (!stop.load(std::memory_order_relaxed))
            if (!step(of_host)) std::this_thread::sleep_for(delay);
        port.reset();
    });
    bootstrap::asio::io_context of_guests;
    std::list<connector> all;
    std::vector<bootstrap::proven_socket> inside;
    int outcomes = 0;
    const auto dial = [&](connector& c) -> bootstrap::task<> {
        if (auto made = co_await c.connect()) inside.push_back(std::move(*made));
        ++outcomes;
    };
    for (int r = 0; r < guests; ++r)
        bootstrap::begin(of_guests, dial(all.emplace_back(
                                        of_guests, where, key,
                                        bootstrap::hello{bootstrap::purpose::data, 0, r, guests, guests + 1, 77})));
    const auto begin = clock::now();
    while (outcomes < guests && clock::now() < begin + limit)
        if (!step(of_guests)) std::this_thread::sleep_for(delay);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begin);
    const auto in = static_cast<int>(inside.size());
    stop.store(true, std::memory_order_relaxed);
    host.join();
    CAPTURE(took.count());
    CHECK(in == guests);
    CHECK(welcomed == guests);
}
