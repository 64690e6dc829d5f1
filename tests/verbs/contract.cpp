// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

#include "transport/contract/all.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// Its settings are variables, so that the contract is compiled once for all of them.
struct verbs_fixture {
    using transport = tutti::transport::verbs;
    static inline const std::size_t eager_limit = tutti::transport::verbs_limits{}.window_bytes;
    static inline tutti::transport::verbs_limits limits;

    static void run(int ranks, const std::function<void(transport&)>& body) { run_verbs(ranks, limits, body); }
};

static_assert(contract_fixture<verbs_fixture>);
static_assert(std::movable<transport::verbs>);

} // namespace

TEST_CASE("verbs keeps the contract") {
    verbs_fixture::limits = {};
    for (const auto& [sentence, check] : contract<verbs_fixture>()) {
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}

TEST_CASE("verbs keeps the contract with few slots and small pieces") {
    auto& limits = verbs_fixture::limits = {};
    limits.slot_count = 4;
    limits.slot_bytes = limits.eager_bytes = 4097;
    limits.window_bytes = 20'001;
    limits.contexts_ahead = 7;
    limits.piece_bytes = 7'777;
    limits.reads = 2;
    limits.landing_bytes = 1;
    for (const auto& [sentence, check] : contract<verbs_fixture>()) {
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}
