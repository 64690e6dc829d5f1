// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "places.hpp"

#include <transport/fabrics/cuda_ipc/fabric.hpp>

#include "support/catch.hpp"
#include "support/identity.hpp"
#include "support/run_ranks.hpp"
#include "transport/contract/all.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

static_assert(transport::fabric<fake_ipc_fabric>);

struct ipc_fixture {
    using transport = fake_ipc;
    static constexpr std::size_t eager_limit = 512 * 1024;

    static void run(int ranks, const std::function<void(transport&)>& body) {
        const reserved_port at;
        run_ranks(ranks, [&](int rank) {
            transport t{identity(rank, ranks, at)};
            body(t);
        });
    }
};

} // namespace

TEST_CASE("CUDA IPC keeps the contract with memory of the processor") {
    for (const auto& [sentence, check] : contract<ipc_fixture>()) {
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}
