// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/prove.hpp>

#include <base/error.hpp>
#include <collectives/algorithm/direct.hpp>
#include <collectives/algorithm/naive.hpp>
#include <collectives/algorithm/ring.hpp>

#include "support/catch.hpp"

#include <array>
#include <span>
#include <string_view>

using namespace tutti::algorithm;
using namespace tutti::schedule;

namespace {

/// Who writes an algorithm of their own states a cost sooner or later; here it is not what is tested.
struct own_algorithm {
    static constexpr int chunks(int) { return 1; }
    static constexpr cost stated(operation, int) { return {}; }
};

/// All four of a group send to each other, and each combines in rank order. Nothing is staged in place.
struct radix_4 : own_algorithm {
    static constexpr std::string_view name = "radix_4";
    static constexpr void allreduce(const position& p, auto&& put) {
        const place data{buffer::input, 0, 1}, result{buffer::output, 0, 1};
        const auto of = [&](int q) { return q == p.rank ? buffer::input : scratch(q); };
        for (int k = 1; k < p.size; ++k) put(send((p.rank + k) % p.size, data));
        for (int k = 1; k < p.size; ++k) put(receive((p.rank + k) % p.size, {scratch((p.rank + k) % p.size), 0, 1}));
        const std::array more{of(1), of(2), of(3)};
        put(reduce_many({of(0), 0, 1}, std::span(more).first(static_cast<std::size_t>(p.size - 1)), result));
    }
};

/// The latency-optimal Swing allreduce, for powers of two: all have everything, each grouped in its own way.
/// Source: De Sensi, Bonato, Saam, Hoefler: Swing, NSDI 2024.
struct swing : own_algorithm {
    static constexpr std::string_view name = "swing";
    static constexpr void allreduce(const position& p, auto&& put) {
        int rounds = 0;
        for (int n = 1; n < p.size; n *= 2) ++rounds;
        const place data{buffer::input, 0, 1}, output{buffer::output, 0, 1}, spare{scratch(0), 0, 1};
        place have = data;
        if (p.in_place && rounds % 2 == 1) put(copy(data, have = spare));
        for (int k = 0, distance = 1; k < rounds; ++k, distance = 1 - 2 * distance) {
            const int peer = ((p.rank % 2 == 0 ? p.rank + distance : p.rank - distance) % p.size + p.size) % p.size;
            const place to = (rounds - k) % 2 == 1 ? output : spare;
            put(send(peer, have));
            put(receive_reduce(peer, have, to, peer < p.rank ? side::left : side::right));
            have = to;
        }
    }
};

/// The same, and says so.
struct swing_of_powers : swing {
    static constexpr bool runs_on(int size) { return (size & (size - 1)) == 0; }
};

/// Right, but for what they say of themselves.
struct naive_that_rotates : naive {
    static constexpr std::string_view name = "naive_that_rotates";
    static constexpr bool rotates = true;
};
struct direct_that_rotates_wholly : direct {
    static constexpr std::string_view name = "direct_that_rotates_wholly";
    static constexpr bool steps_rotate(operation) { return true; }
};
/// Claims that all steps rotate, and not that messages do.
struct naive_whose_steps_rotate : naive {
    static constexpr std::string_view name = "naive_whose_steps_rotate";
    static constexpr bool steps_rotate(operation o) { return o == operation::broadcast; }
};

/// A naive broadcast that is wrong in one call only: the last rank takes what it gets to scratch.
struct wrong_once : naive {
    static constexpr std::string_view name = "wrong_once";
    static constexpr void broadcast(const position& p, auto&& put) {
        const bool here = p.size == 5 && p.root == 3 && p.in_place && p.rank == 4;
        naive::broadcast(p, [&](step s) {
            if (here) s.to.where = scratch(0);
            put(s);
        });
    }
};

/// Folds in rank order out of place, and the other way round in place.
struct turned : naive {
    static constexpr std::string_view name = "turned";
    static constexpr void reduce(const position& p, buffer partial, auto&& put) {
        naive::reduce(p, partial, [&](step s) {
            if (p.in_place && reduces(s)) s.other = side::left;
            put(s);
        });
    }
};

/// A chunk more than its shards can share.
struct too_many_chunks : ring {
    static constexpr std::string_view name = "too_many_chunks";
    static constexpr int chunks(int size) { return size + 1; }
};

/// Another cost than it states on two ranks; and, on three, a rank that is left out.
struct forgetful : naive {
    static constexpr std::string_view name = "forgetful";
    static constexpr cost stated(operation, int) { return {}; }
    static constexpr void reduce(const position& p, buffer partial, auto&& put) {
        if (p.size == 3 && p.rank == 2) return;
        naive::reduce(p, partial, [&](const step& s) {
            if (p.size < 3 || s.peer != 2) put(s);
        });
    }
};

} // namespace

TEST_CASE("a wrong result is told before a wrong cost, and a wrong cost where that is all") {
    const auto f = prove(forgetful{}, {.ranks = {1, 4}}).proof.fault;
    CHECK(f.what != flaw::other_cost);
    const auto v = prove(forgetful{}, {.ranks = {1, 2}});
    CHECK(v.proof.fault.what == flaw::other_cost);
    CHECK(v.size == 2);
}

TEST_CASE("chunks that do not make equal shards are told by their numbers") {
    CHECK(tutti::algorithm::prove_call(too_many_chunks{}, operation::reduce_scatter, 2).message() ==
          "reduce_scatter(too_many_chunks) on 2 ranks: there are 3 chunks, not a multiple of 2");
}

TEST_CASE("all that is offered is proven: each operation from each root, for each number of ranks") {
    const verdict found = prove(naive{}, {.ranks = {1, 4}});
    CHECK(found.message() == "proven");
    CHECK(found.proven);
    CHECK(found.calls == 4 + 4 * (1 + 2 + 3 + 4)); // an allreduce; what has a root from each root
    CHECK(prove(ring{}, {.ranks = {7, 7}}).calls == 3);
}

TEST_CASE("a flaw in one call of all is found, and told with operation, ranks, root, mode, rank and step") {
    const verdict found = prove(wrong_once{}, {.ranks = {1, 8}});
    CHECK_FALSE(found.proven);
    CHECK(found.message() ==
          "broadcast(wrong_once) on 5 ranks, root 3, in place: rank 4: chunk 0 holds nothing; it should "
          "hold rank 3's data");
    CHECK((found.what == operation::broadcast && found.size == 5 && found.root == 3 && found.proof.fault.in_place));
    CHECK(prove(wrong_once{}, {.ranks = {1, 4}}).proven);
}

TEST_CASE("a schedule that is right out of place and deadlocks in place is refused") {
    CHECK(verify(write(radix_4{}, operation::allreduce, 4)).proven);
    CHECK(prove(radix_4{}, {.ranks = {4, 4}, .stated_cost = false}).message() ==
          "allreduce(radix_4) on 4 ranks, in place: rank 0, step 6 (reduce chunk 0 of input, scratch 1, scratch 2 and "
          "scratch 3 into output) never runs: it would overwrite chunk 0, still being sent by step 0 (send chunk 0 of "
          "input to rank 1)");
}

TEST_CASE("a result that depends on the mode is refused, though it is right in each") {
    const verdict found = prove(turned{}, {.ranks = {2, 2}});
    CHECK(found.proof.fault.what == flaw::modes_differ);
    CHECK(found.message() ==
          "allreduce(turned) on 2 ranks: rank 0, step 0 of the broadcast (send chunk 0 of output to rank 1) does not "
          "carry in place what it does by step 0 of the broadcast (send chunk 0 of output to rank 1) out of place; "
          "ranks may differ in that");
}

TEST_CASE("what is right but not the same in bits on all ranks is proven where that is asked for") {
    for (const int size : {1, 2, 4, 8, 16, 32, 64}) {
        const rank_range ranks{size, size};
        CHECK(prove(swing{}, {.ranks = ranks, .same_bits = false, .stated_cost = false}).message() == "proven");
        CHECK(prove(swing{}, {.ranks = ranks, .stated_cost = false}).proven == (size <= 4));
    }
    const verdict strict = prove(swing{}, {.ranks = {8, 8}, .stated_cost = false});
    CHECK(strict.proof.fault.what == flaw::different_bits);
    const verdict wrong = prove(swing{}, {.ranks = {6, 6}, .same_bits = false, .stated_cost = false});
    CHECK_FALSE(wrong.proven); // not a power of two: some contributions come twice
}

TEST_CASE("numbers of ranks that an algorithm is not for are left out of a proof, which needs one at least") {
    const scope right{.ranks = {1, 9}, .same_bits = false, .stated_cost = false};
    const verdict found = prove(swing_of_powers{}, right);
    CHECK((found.proven && found.calls == 4)); // of 1, 2, 4 and 8 ranks
    CHECK_THROWS_AS(prove(swing_of_powers{}, {.ranks = {5, 7}}), tutti::error);
    CHECK_THROWS_AS(tutti::algorithm::prove_call(swing_of_powers{}, operation::allreduce, 6), tutti::error);
    CHECK(any(swing_of_powers{}).sizes() == "1, 2, 4, 8, 16, 32, 64, 128, ... ranks");
    CHECK(any(ring{}).runs_on(6));
}

TEST_CASE("the cost is held to what is stated, unless that does not matter") {
    const verdict found = prove(swing{}, {.ranks = {2, 2}});
    CHECK(found.message() ==
          "allreduce(swing) on 2 ranks, out of place: the cost is not the stated one: depth stated 0, found 1; "
          "rounds stated 0, found 1; chunks sent stated 0, found 1; chunks received stated 0, found "
          "1; fan-in stated 0, found 1");
    CHECK(prove(naive{}, {.ranks = {1, 6}, .segments = 3}).proven);
}

TEST_CASE("nothing to prove is not proven") {
    CHECK_THROWS_AS(prove(ring{}, {.ranks = {3, 2}}), tutti::error);
    CHECK_THROWS_AS(prove(ring{}, {.ranks = {0, 2}}), tutti::error);
    CHECK_THROWS_AS(prove(ring{}, {.segments = 0}), tutti::error);
    CHECK_FALSE(verdict{}.proven);
}

TEST_CASE("what an algorithm says of its rotation is checked") {
    CHECK(prove(ring{}, {{1, 9}}).proven);
    CHECK(prove(direct{}, {{1, 9}}).proven);
    const verdict messages = prove(naive_that_rotates{}, {{1, 9}});
    CHECK(messages.proof.fault.what == flaw::does_not_rotate);
    CHECK(messages.message() == "allreduce(naive_that_rotates) on 2 ranks, out of place: rank 1, step 0 of the reduce "
                                "(send chunk 0 of input to "
                                "rank 0) is not rank 0's, shifted, as the algorithm says of itself");
    const verdict steps = prove(direct_that_rotates_wholly{}, {{1, 9}});
    CHECK(steps.proof.fault.what == flaw::does_not_rotate);
    const verdict steps_alone = prove(naive_whose_steps_rotate{}, {{1, 9}});
    CHECK((steps_alone.proof.fault.what == flaw::does_not_rotate && steps_alone.what == operation::broadcast));
}
