// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/compressed/sparse_allreduce.hpp>

#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/verify.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/world.hpp"

#include <cmath>
#include <random>

namespace tutti::test::sparse_sums {
namespace {

namespace compressed = training::compressed;
using compressed::sparse_options;
using compressed::sparse_vector;

/// About `share` of the elements, of a rank. Values are no small integers, so that the order of sums matters.
sparse_vector drawn(std::size_t dimension, double share, unsigned seed, int rank) {
    std::mt19937 random(seed * 100 + static_cast<unsigned>(rank));
    sparse_vector v{dimension, {}, {}};
    for (std::uint32_t i = 0; i < dimension; ++i) {
        if (static_cast<double>(random()) / 0x1p32 >= share) continue;
        v.indices.push_back(i);
        v.values.push_back(static_cast<float>(static_cast<double>(random()) / 0x1p31 - 1));
    }
    return v;
}

std::vector<float> serial_sum(int size, std::size_t dimension, double share, unsigned seed) {
    std::vector<float> total(dimension);
    for (int r = 0; r < size; ++r) {
        const auto v = drawn(dimension, share, seed, r);
        for (std::size_t i = 0; i < v.indices.size(); ++i) total[v.indices[i]] += v.values[i];
    }
    return total;
}

bool same_bits_everywhere(const communicator& ranks, const std::vector<float>& mine) {
    std::vector<float> all(mine.size() * static_cast<std::size_t>(ranks.size()));
    ranks.allgather(mine, all);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (std::bit_cast<std::uint32_t>(all[i]) != std::bit_cast<std::uint32_t>(mine[i % mine.size()])) return false;
    return true;
}

std::vector<algorithm::any> with_allreduce() { return algorithm::all(schedule::operation::allreduce, 2); }

} // namespace

TEST_CASE("a walk in order, as sparse allreduces do, completes with the steps of all algorithms") {
    for (const auto& how : with_allreduce())
        for (int size = 1; size <= 17; ++size) {
            const auto proof = verify(how.write(schedule::operation::allreduce, size));
            INFO(how.name() << " on " << size);
            CHECK(proof.proven);
            CHECK(proof.in_order);
        }
}

TEST_CASE("sparse sums have the same bits on all ranks, and are the serial sums, by all algorithms") {
    for (int size = 1; size <= 9; ++size)
        run_world(size, [size](const communicator& ranks) {
            for (const double share : {0.0, 0.01, 0.2, 1.0})
                for (const auto& how : with_allreduce()) {
                    const std::size_t dimension = share == 0.2 ? 7 : 300;
                    const auto mine = drawn(dimension, share, 7, ranks.rank());
                    std::vector<float> total(dimension, 99.0F);
                    sparse_allreduce(ranks, mine, total, {how});
                    const std::string what = std::string(how.name()) + " with " + std::to_string(share);
                    expect(same_bits_everywhere(ranks, total), what + ": equal bits");
                    const auto wanted = serial_sum(size, dimension, share, 7);
                    for (std::size_t i = 0; i < dimension; ++i)
                        expect(std::abs(total[i] - wanted[i]) < 1e-5F, what + ": the sum");
                }
        });
}

TEST_CASE("in rank order a sparse sum has the bits of the serial one") {
    run_world(5, [](const communicator& ranks) {
        for (const double share : {0.05, 0.6}) {
            std::vector<float> total(400);
            sparse_allreduce(ranks, drawn(400, share, 3, ranks.rank()), total, {algorithm::naive{}});
            expect(total == serial_sum(5, 400, share, 3), "the order of ranks");
        }
    });
}

TEST_CASE("what travels is counted: little where vectors are sparse, never more than dense and a word a chunk") {
    run_world(4, [](const communicator& ranks) {
        constexpr std::size_t dimension = 1000;
        const auto own = static_cast<std::uint32_t>(ranks.rank());
        std::vector<float> total(dimension);
        const sparse_vector two{dimension, {own, 500 + own}, {1, 2}};
        const auto little = sparse_allreduce(ranks, two, total);
        // two rounds of recursive doubling: two elements, then four; a word for the length of each message
        expect(little.messages == 2 && little.bytes == 4 * (1 + 4 + 1 + 8), std::to_string(little.bytes));
        expect(total[own] == 1 && total[503] == 2 && total[4] == 0, "the sum");

        const auto split = sparse_allreduce(ranks, two, total, {algorithm::direct{}});
        // a part has 250 elements: parts 0 and 2 have four elements in the end, the others none
        const std::uint64_t given = 2 * 2 - (own % 2 == 0 ? 2 : 0), kept = own % 2 == 0 ? 8 * 3 : 0;
        expect(split.messages == 6 && split.bytes == 4 * (6 + given + kept), std::to_string(split.bytes));

        const auto dense = sparse_allreduce(ranks, drawn(dimension, 0.9, 1, ranks.rank()), total);
        expect(dense.bytes == 2 * 4 * (dimension + 1), "dense from the start");
        const auto filling = sparse_allreduce(ranks, drawn(dimension, 0.3, 1, ranks.rank()), total);
        expect(filling.bytes < 4 * (2 * dimension) && filling.bytes > 4 * (dimension + 400),
               "sparse in the first round, dense in the second");
    });
}

TEST_CASE("a vector that is none is refused, and so are ranks that differ in its dimension") {
    run_new_world(2, [](const communicator& ranks) {
        std::vector<float> total(10);
        const auto refused = [&](const sparse_vector& v, const char* why) {
            const auto f = fault_of([&] { sparse_allreduce(ranks, v, total); });
            expect(f.why == cause::invalid_argument && has(f.detail, why), message_of(f));
        };
        refused({10, {3, 3}, {1, 1}}, "must ascend");
        refused({10, {10}, {1}}, "beyond a dimension of 10");
        refused({10, {1}, {}}, "1 indices for 0 values");
        refused({11, {}, {}}, "10 elements for a sum of dimension 11");
        const std::size_t mine = ranks.rank() == 0 ? 4 : 9;
        const sparse_vector full = drawn(mine, 2, 1, 0);
        total.resize(mine);
        expect(fault_of([&] { sparse_allreduce(ranks, full, total); }).why == cause::mismatch,
               "too long, or no indices");
    });
}

} // namespace tutti::test::sparse_sums
