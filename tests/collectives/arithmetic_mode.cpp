// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <collectives/allreduce.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"
#include "support/run_ranks.hpp"

#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <cfenv>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace tutti::test;

namespace {

/// Rank 1 computes in that mode, as a library may have left it. Its sums must be those of the others, and the mode must
/// stay.
template <class Set, class Get>
void check_same_bits(const Set& set, const Get& get) {
    for (const bool by_waiters : {false, true}) {
        CAPTURE(by_waiters);
        const auto world = tutti::transport::memory_world::create(4);
        std::vector<std::vector<float>> results(4);
        run_ranks(4, [&](int rank) {
            if (rank == 1) set();
            const auto mode = get();
            tutti::communicator mine =
                by_waiters ? tutti::communicator{tutti::transport::memory(world, rank), tutti::progress::by_waiters}
                           : tutti::communicator{tutti::transport::memory(world, rank)};
            for (const tutti::algorithm::any& how :
                 {tutti::algorithm::any(tutti::algorithm::one_shot{}), tutti::algorithm::any(tutti::algorithm::ring{}),
                  tutti::algorithm::any(tutti::algorithm::butterfly{})}) {
                std::vector<float> data{1e-39F * static_cast<float>(rank + 1), 1.0F / 3 + static_cast<float>(rank),
                                        2e-38F};
                mine.allreduce(data, tutti::sum, how);
                auto request = mine.async().allreduce(data, tutti::sum, how);
                while (!request.test()) continue;
                auto& all = results[static_cast<std::size_t>(rank)];
                all.insert(all.end(), data.begin(), data.end());
            }
            expect(get() == mode, "the caller's mode stays");
        });
        for (const auto& r : results) CHECK(std::memcmp(r.data(), results[0].data(), r.size() * sizeof(float)) == 0);
        CHECK(results[0][0] > 0);
    }
}

} // namespace

TEST_CASE("a rank whose thread rounds otherwise gets the same bits") {
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO})
        check_same_bits([=] { std::fesetround(mode); }, [] { return std::fegetround(); });
}

#if defined(__x86_64__)
TEST_CASE("a rank whose thread flushes subnormal numbers gets the same bits") {
    check_same_bits([] { _mm_setcsr(_mm_getcsr() | 0x8040U); }, [] { return _mm_getcsr() & 0xe040U; });
}

TEST_CASE("a rank whose thread rounds up, but for long double, gets the same bits") {
    check_same_bits([] { _mm_setcsr(_mm_getcsr() | 0x4000U); }, [] { return _mm_getcsr() & 0xe040U; });
}
#endif
