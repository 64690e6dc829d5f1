// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/fabrics/shared_memory/fabric.hpp>
#include <transport/fabrics/tcp/fabric.hpp>
#include <transport/routed.hpp>
#include <transport/world/world.ipp>

#include "contract/all.hpp"
#include "contract/ended_links.hpp"
#include "support/catch.hpp"
#include "support/identity.hpp"
#include "support/run_ranks.hpp"
#include "support/socket_pairs.hpp"

#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::test;

namespace {

using transport::shared_memory_fabric;
using transport::tcp_fabric;
using pairs = transport::world<socket_pairs>;
using three = transport::world<shared_memory_fabric, socket_pairs, tcp_fabric>;

static_assert(transport::fabric<socket_pairs> && transport::fabric<tcp_fabric> &&
              transport::fabric<shared_memory_fabric>);
static_assert(transport::transport<pairs> && !transport::viewing_transport<pairs>);
static_assert(transport::viewing_transport<three>);

struct pairs_fixture {
    using transport = pairs;
    static constexpr std::size_t eager_limit = 1024 * 1024;
    static constexpr std::uint32_t many_contexts = 100; // two descriptors each

    static void run(int ranks, const std::function<void(transport&)>& body) {
        const reserved_port at;
        run_ranks(ranks, [&](int rank) {
            transport t{identity(rank, ranks, at)};
            body(t);
        });
    }
};

/// Of consecutive ranks two share a host, four an island.
struct three_fixture {
    using transport = three;
    static constexpr std::size_t eager_limit = 1024 * 1024;
    static constexpr std::uint32_t many_contexts = 100; // two descriptors each

    static void run(int ranks, const std::function<void(transport&)>& body) {
        const reserved_port at;
        run_ranks(ranks, [&](int rank) {
            transport t{identity_on(rank / 2, rank, ranks, at), {}, {.island = rank / 4}, {}};
            body(t);
        });
    }
};

template <class Fixture>
void check_contract_of() {
    for (const auto& [sentence, check] : contract<Fixture>()) {
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}

} // namespace

TEST_CASE("a fabric of somebody's own keeps the contract") { check_contract_of<pairs_fixture>(); }
TEST_CASE("three fabrics in one world keep the contract") { check_contract_of<three_fixture>(); }

TEST_CASE("a link that ends while its rank lives shows, after all that had arrived") {
    CHECK_NOTHROW(ended_links_show<socket_pairs>());
    CHECK_NOTHROW(ended_links_show<tcp_fabric>());
}

TEST_CASE("all pairs of 12 ranks exchange over three fabrics") { CHECK_NOTHROW(all_pairs_exchange<three_fixture>(12)); }

TEST_CASE("each pair of ranks takes the first fabric of the list that reaches both") {
    CHECK_NOTHROW(three_fixture::run(6, [](three& t) {
        const std::vector<std::string> of_zero{"process", "process", "thread", "thread", "127.0.0.1", "127.0.0.1"};
        if (t.rank() != 0) return;
        for (int peer = 0; peer < 6; ++peer) {
            const auto how = t.name_of(peer).address;
            expect(how.find(of_zero[static_cast<std::size_t>(peer)]) == 0, "rank " + std::to_string(peer) + ": " + how);
        }
    }));
}

TEST_CASE("a rank that no fabric reaches is named at the start") {
    const reserved_port at;
    CHECK_THROWS_WITH(
        run_ranks(3,
                  [&](int rank) {
                      pairs t{identity_on(rank, rank, 3, at), {.island = rank / 2}};
                  }),
        Catch::Contains("rank 2 runs on host-2, this one on host-0: socket pairs does not reach that far"));
}

TEST_CASE("ranks that use other fabrics are named at the start") {
    const reserved_port at;
    CHECK_THROWS_WITH(run_ranks(2,
                                [&](int rank) {
                                    if (rank == 0) pairs t{identity(rank, 2, at)};
                                    if (rank == 1) transport::shared_memory t{identity(rank, 2, at)};
                                }),
                      Catch::Contains("rank 1 uses shared memory, this one socket pairs"));
}
