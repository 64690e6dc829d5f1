// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/routed.hpp>

#include "contract/all.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/identity.hpp"
#include "support/run_ranks.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::test;

namespace {

using both = transport::routed<transport::shared_memory, transport::tcp>;

/// Where the ranks are is a variable, so that the contract is compiled once for all placements.
struct routed_fixture {
    using transport = both;
    static constexpr std::size_t eager_limit =
        std::max<std::size_t>(512 * 1024, tutti::transport::tcp_limits{}.window_bytes);
    static inline int (*host_of)(int rank, int ranks);
    static inline tutti::transport::tcp_limits far;

    static void run(int ranks, const std::function<void(transport&)>& body) {
        const reserved_port at;
        run_ranks(ranks, [&](int rank) {
            transport t{identity_on(host_of(rank, ranks), rank, ranks, at), {}, far};
            body(t);
        });
    }
};

static_assert(contract_fixture<routed_fixture>);
static_assert(std::movable<both>);
static_assert(both::near == transport::medium::memory && both::far == transport::medium::network);

int halves(int rank, int ranks) { return 2 * rank / ranks; }
int in_turn(int rank, int) { return rank % 2; }
int together(int, int) { return 0; }
int apart(int rank, int) { return rank; }

void check_routed_contract(int (*host_of)(int, int)) {
    routed_fixture::host_of = host_of;
    for (const auto& [sentence, check] : contract<routed_fixture>()) {
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}

} // namespace

TEST_CASE("routed keeps the contract when each half of the ranks has a host") { check_routed_contract(halves); }
TEST_CASE("routed keeps the contract when two hosts have ranks in turn") {
    if (threads_watched) return; // the same threads and fabrics as of halves
    check_routed_contract(in_turn);
}
TEST_CASE("routed keeps the contract on one host") {
    if (threads_watched) return; // the same fabric as of transport/shared_memory
    check_routed_contract(together);
}
TEST_CASE("routed keeps the contract with one rank a host") { check_routed_contract(apart); }

TEST_CASE("routed connects all pairs of 16 ranks on two hosts") {
    routed_fixture::host_of = halves;
    CHECK_NOTHROW(all_pairs_exchange<routed_fixture>(16));
}

TEST_CASE("ranks of one name share a host, and are named by their process; others by their port") {
    routed_fixture::host_of = halves;
    CHECK_NOTHROW(routed_fixture::run(5, [](both& t) {
        const std::vector<int> nodes{0, 0, 0, 1, 1};
        for (int peer = 0; peer < 5; ++peer) {
            const auto node = nodes[static_cast<std::size_t>(peer)];
            const bool same = node == nodes[static_cast<std::size_t>(t.rank())];
            const auto name = t.name_of(peer);
            expect(t.node(peer) == node, "the node of a rank");
            expect(name.host == "host-" + std::to_string(node), "the name that its host was given");
            expect(name.address.find(same ? "process " : "127.0.0.1:") == 0, "how it is reached: " + name.address);
        }
    }));
}

TEST_CASE("asleep for both ways at once, a rank is woken at once by either") {
    routed_fixture::host_of = halves;
    constexpr int rounds = 20;
    milestone taken;
    CHECK_NOTHROW(routed_fixture::run(4, [&](both& t) {
        // Rank 0 always waits for its neighbour and for a rank of the other host. In turn one of them sends.
        courier c{t};
        std::array<std::byte, 3> in{};
        std::array<const transport::transfer*, 3> awaited{};
        const auto begin = transport::clock::now();
        const auto cpu = thread_cpu_time();
        transport::clock::duration longest{};
        for (int round = 0; round < rounds; ++round) {
            const auto sender = static_cast<std::size_t>(1 + round % 2);
            const auto out = static_cast<std::byte>(round);
            if (t.rank() == 0) {
                for (const int peer : {1, 2})
                    if (auto& x = awaited[static_cast<std::size_t>(peer)]; !x || is_done(*x))
                        x = &c.receive({1, 0}, peer, &in[static_cast<std::size_t>(peer)], 1);
                const auto asleep_at = transport::clock::now();
                c.finish(*awaited[sender], "the message that was sent comes");
                longest = std::max(longest, transport::clock::now() - asleep_at);
                expect(in[sender] == out, "with what was sent");
                taken.reach();
            } else if (t.rank() == static_cast<int>(sender)) {
                t.open({1, 0}, 0);
                c.meet(taken, round, "rank 0 has taken what was sent before");
                c.linger(std::chrono::milliseconds{20}); // longer than a wait spins
                c.send({1, 0}, 0, &out, 1);
                c.finish("the message goes");
            }
        }
        if (t.rank() != 0) return c.meet(taken, rounds, "rank 0 has taken all");
        const auto time = transport::clock::now() - begin;
        expect(longest < std::chrono::milliseconds{900}, "no message waits for a timer, which takes a second");
        expect(thread_cpu_time() - cpu < time / 2, "waiting sleeps");
        t.close({1, 0});
    }));
}
