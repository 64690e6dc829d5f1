// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "worlds.hpp"

#include "support/catch.hpp"
#include "support/run_ranks.hpp"
#include "transport/contract/all.hpp"
#include "transport/contract/ended_links.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

static_assert(transport::fabric<fake_staged_fabric>);
static_assert(std::string_view(fake_staged_fabric::name) == "staged tcp");
static_assert(fake_routed::near == transport::medium::memory && fake_routed::far == transport::medium::network);

template <class World>
struct staged_fixture {
    using transport = World;
    static constexpr std::size_t eager_limit =
        std::max<std::size_t>(512 * 1024, tutti::transport::tcp_limits{}.window_bytes);

    static void run(int ranks, const std::function<void(transport&)>& body) {
        const reserved_port at;
        run_ranks(ranks, [&](int rank) {
            auto t = on_two_hosts<World>(rank, ranks, at);
            body(t);
        });
    }
};

} // namespace

TEST_CASE("staged TCP keeps the contract with memory of the processor") {
    for (const auto& [sentence, check] : contract<staged_fixture<fake_staged>>()) {
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}

TEST_CASE("links of staged TCP that end show, and what had arrived is delivered first") {
    CHECK_NOTHROW(ended_links_show<fake_staged_fabric>());
}

TEST_CASE("CUDA IPC within two hosts and staged TCP between them wait for each other") {
    using fixture = staged_fixture<fake_routed>;
    CHECK_NOTHROW(all_pairs_exchange<fixture>(16));
    CHECK_NOTHROW(contexts_pass_each_other<fixture>(1'000'000));
    CHECK_NOTHROW(arrivals_end_waits<fixture>());
    CHECK_NOTHROW(closing_takes_memory_back<fixture>());
}
