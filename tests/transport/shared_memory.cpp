// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/shared_memory.hpp>

#include "contract/all.hpp"
#include "support/catch.hpp"
#include "support/identity.hpp"
#include "support/run_ranks.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// Its settings are variables, so that the contract is compiled once for all of them.
struct shared_fixture {
    using transport = tutti::transport::shared_memory;
    static constexpr std::size_t eager_limit = 256 * 1024;
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
    shared_fixture::limits.lend_bytes = 64 * 1024;
    check_contract();
}

TEST_CASE("shared memory keeps the contract when nearly everything is lent") {
    shared_fixture::limits.lend_bytes = 1;
    check_contract();
}

TEST_CASE("shared memory connects all pairs of 16 ranks") {
    shared_fixture::limits = {};
    CHECK_NOTHROW(all_pairs_exchange<shared_fixture>(16));
}
