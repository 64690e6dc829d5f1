// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/shared_memory.hpp>

#include "contract/all.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/identity.hpp"
#include "support/milestone.hpp"
#include "support/run_ranks.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// Its settings are variables, so that the contract is compiled once for all of them.
struct shared_fixture {
    using transport = tutti::transport::shared_memory;
    static constexpr std::size_t eager_limit = 512 * 1024;
    static constexpr bool writes_answers = true;
    static inline tutti::transport::shared_memory_limits limits;

    static void run(int ranks, const std::function<void(transport&)>& body) {
        const reserved_port at;
        run_ranks(ranks, [&](int rank) {
            transport t{identity(rank, ranks, at), limits};
            body(t);
        });
    }
};

static_assert(contract_fixture<shared_fixture>);
static_assert(std::movable<transport::shared_memory>);

void check_contract() {
    for (const auto& [sentence, check] : contract<shared_fixture>()) {
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}

} // namespace

TEST_CASE("shared memory keeps the contract") {
    shared_fixture::limits = {};
    check_contract();
}

TEST_CASE("shared memory keeps the contract when large messages are lent") {
    if (threads_watched) return; // which lies between the two others, and takes half a minute
    shared_fixture::limits.lend_bytes = 64 * 1024;
    check_contract();
}

TEST_CASE("shared memory keeps the contract when nearly everything is lent") {
    shared_fixture::limits.lend_bytes = 9; // 8 bytes are sent where nobody may receive before they are
    check_contract();
}

TEST_CASE("shared memory connects all pairs of 16 ranks") {
    shared_fixture::limits = {};
    CHECK_NOTHROW(all_pairs_exchange<shared_fixture>(16));
}

TEST_CASE("a context closed on both sides of a shared memory channel can be used again, whoever opened it first") {
    shared_fixture::limits = {};
    milestone closed[40];
    CHECK_NOTHROW(shared_fixture::run(2, [&](transport::shared_memory& t) {
        const int peer = 1 - t.rank();
        for (int round = 0; round < 20; ++round) {
            courier c{t};
            // In turn one side leaves the context before the other has opened it, and leaves a message behind.
            const bool first = t.rank() == round % 2;
            if (first) {
                t.open({1, 0}, peer);
                t.close({1, 0});
                closed[2 * round].reach();
            } else {
                c.meet(closed[2 * round], 1, "the peer has opened and closed");
                const auto lost = static_cast<std::byte>(99);
                c.send({1, 0}, peer, &lost, 1);
                t.close({1, 0});
                closed[2 * round + 1].reach();
            }
            c.meet(closed[2 * round + 1], 1, "both have closed");
            courier again{t};
            const auto out = static_cast<std::byte>(round);
            std::byte in{};
            again.send({1, 0}, peer, &out, 1);
            again.receive({1, 0}, peer, &in, 1);
            again.finish("both meet again");
            expect(in == out, "what was left behind is not taken for what comes now");
            t.close({1, 0});
        }
    }));
}

TEST_CASE("contexts that one side has left before the other opened them leave no lanes behind") {
    shared_fixture::limits = {};
    constexpr int rounds = threads_watched ? 3 : 30;
    constexpr std::uint64_t contexts = 1000; // in all more than a directory holds
    milestone sent, taken;
    CHECK_NOTHROW(shared_fixture::run(2, [&](transport::shared_memory& t) {
        courier c{t};
        for (int round = 1; round <= rounds; ++round) {
            const std::uint64_t first = 2 + contexts * static_cast<std::uint64_t>(round);
            if (t.rank() == 1) c.meet(sent, round, "the peer has sent and left");
            for (std::uint64_t k = first; k < first + contexts; ++k) {
                std::byte x{};
                if (t.rank() == 0)
                    c.send({k, 0}, 1, &x, 1);
                else
                    c.receive({k, 0}, 0, &x, 1);
                c.finish("a byte crosses");
                t.close({k, 0});
            }
            (t.rank() == 0 ? sent : taken).reach();
            if (t.rank() == 0) c.meet(taken, round, "the peer has received and left");
        }
    }));
}
