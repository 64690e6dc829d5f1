// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/all.hpp>

#include "prove.hpp"

using namespace tutti;
using tutti::schedule::operation;

namespace {

constexpr int ranks = 1024;

} // namespace

// Allreduce has the most steps.
TEST_CASE("1,024 ranks: everything that tools offer, out of place, at the stated cost; other operations on 512") {
    for (const algorithm::any& a : algorithm::all(tutti::schedule::operation::allreduce, 8))
        for (const operation o : schedule::operations) {
            if (!a.offers(o)) continue;
            const int size = o == operation::allreduce ? ranks : ranks / 2;
            const schedule::cost stated = a.stated(o, size);
            CHECK(schedule::verify(a.write(o, size), &stated).message() == "proven");
        }
}

TEST_CASE("1,024 ranks: rooted operations from a root in the middle, in both modes") {
    for (const algorithm::any& a : algorithm::all(tutti::schedule::operation::allreduce, 8))
        for (const operation o : {operation::reduce, operation::broadcast})
            if (a.offers(o)) test::prove_call(a, o, ranks, 341);
    test::prove_call(algorithm::scatter_allgather{}, operation::broadcast, ranks, 341);
    test::prove_call(algorithm::reduce_scatter_gather{}, operation::reduce, ranks + 1, 341);
}

TEST_CASE("1,023 and 1,025 ranks: those that treat powers of two apart") {
    for (const int size : {ranks - 1, ranks + 1})
        for (const algorithm::any& a :
             {algorithm::any(algorithm::halving_doubling{}), algorithm::any(algorithm::butterfly{}),
              algorithm::any(algorithm::circulant{}), algorithm::any(algorithm::binomial_tree{}),
              algorithm::any(algorithm::double_binary_tree{})})
            test::prove_call(a, operation::allreduce, size);
}

TEST_CASE("1,024 ranks: the pipelined tree in 16 segments") {
    test::prove_call(algorithm::double_binary_tree{}, operation::allreduce, ranks, 0, 16);
}
