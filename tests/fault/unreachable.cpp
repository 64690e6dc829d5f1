// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "detour.hpp"
#include "ranks.hpp"

#include <deque>

using namespace tutti;
using namespace tutti::test;
namespace bootstrap = tutti::transport::bootstrap;

namespace {

/// A port whose queue is full, so that the system drops who still asks: as a firewall would.
struct black_hole {
    bootstrap::descriptor port;
    std::deque<bootstrap::descriptor> waiting;
    std::uint16_t number = 0;

    black_hole() {
        auto where = *bootstrap::address::literal("127.0.0.1", 0);
        port = bootstrap::new_socket(where);
        expect(::bind(port.get(), where.data(), where.length()) == 0 && ::listen(port.get(), 0) == 0, "a port");
        where = bootstrap::local_address(port.get());
        number = where.port();
        for (int i = 0; i < 2; ++i) {
            waiting.push_back(bootstrap::new_socket(where));
            static_cast<void>(::connect(waiting.back().get(), where.data(), where.length()));
        }
    }
};

} // namespace

TEST_CASE("a data port behind a firewall is told as such within seconds, with both addresses") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        const world_of_processes world{transport::tcp{identity(rank, 2, at)}};
        const black_hole firewall;
        detour::way = {firewall.number, at.port()};
        int x = 1;
        const auto called = [&] { world.with_deadline(patience).allreduce(std::span(&x, 1), sum); };
        expect(fails(mine, called), "nothing crosses a firewall");
    });
    check_ended(ranks);
    for (int r = 0; r < 2; ++r) {
        const auto& e = ranks.of(r).error[0];
        const auto text = e.message.str();
        CAPTURE(r, text);
        CHECK(e.why == cause::lost_peer);
        CHECK(e.told - e.called < 8s);
    }
    const auto text = ranks.of(0).error[0].message.str();
    CHECK(text.find("its data port 127.0.0.1:") != std::string::npos);
    CHECK(text.find(" does not answer 127.0.0.1 ") != std::string::npos);
}
