// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/connections/connector.hpp>
#include <transport/connections/listener.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <thread>
#include <vector>

using namespace tutti::transport;
using namespace tutti::transport::detail::connections;

namespace {

constexpr std::chrono::seconds limit{90};
/// What a step takes where so many ranks share two cores.
constexpr std::chrono::microseconds delay{500};

/// Steps all connectors in turn until each has an outcome, and keeps who is in. Returns how many are.
int connect_all(std::list<connector>& all, clock::time_point until) {
    int in = 0;
    std::vector<bootstrap::proven_socket> inside;
    while (!all.empty() && clock::now() < until) {
        std::vector<pollfd> polled;
        for (connector& c : all) polled.push_back({c.descriptor(), c.events(), 0});
        ::poll(polled.data(), polled.size(), 1);
        const auto now = clock::now();
        auto at = polled.begin();
        for (auto c = all.begin(); c != all.end(); ++at) {
            if (at->revents != 0 || c->due() <= now) {
                c->step(now);
                std::this_thread::sleep_for(delay);
            }
            if (c->failed()) UNSCOPED_INFO(c->why());
            if (c->accepted()) inside.push_back(c->release());
            in += c->accepted();
            c = c->accepted() || c->failed() ? all.erase(c) : std::next(c);
        }
    }
    return in;
}

} // namespace

TEST_CASE("2,000 ranks that come to one at once all get in, though it takes half a millisecond for each step") {
    constexpr int guests = 2000;
    const bootstrap::secret key("sixteen secret bytes");
    REQUIRE(bootstrap::make_room_for_descriptors(2 * guests + 100));
    auto where = *bootstrap::address::literal("127.0.0.1", 0);
    listener port(where);
    where.set_port(port.port());
    std::atomic<bool> stop{false}; // orders nothing but itself
    int welcomed = 0;
    std::thread host([&] {
        const bootstrap::hello_rules rules{bootstrap::purpose::data, guests, guests + 1, 77, 1};
        std::vector<bootstrap::proven_socket> inside;
        while (!stop.load(std::memory_order_relaxed)) {
            port.step(key, rules, clock::now(), [&](bootstrap::proven_socket&& s, const bootstrap::hello&) {
                inside.push_back(std::move(s));
                ++welcomed;
            });
            std::this_thread::sleep_for(delay);
        }
    });
    std::list<connector> all;
    for (int r = 0; r < guests; ++r)
        all.emplace_back(where, key, bootstrap::hello{bootstrap::purpose::data, 0, r, guests, guests + 1, 77});
    const auto begin = clock::now();
    const int in = connect_all(all, begin + limit);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begin);
    stop.store(true, std::memory_order_relaxed);
    host.join();
    CAPTURE(took.count());
    CHECK(in == guests);
    CHECK(welcomed == guests);
}
