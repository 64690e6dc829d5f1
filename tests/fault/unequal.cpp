// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

#include <functional>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int callers = 3;
using call = std::function<void(const world_of_processes&)>;

/// What one rank calls, and what all others call instead; and words that only that call's name has.
struct disagreement {
    std::string name;
    call odd, common;
    std::string odd_words, common_words;
};

template <class T, class Op>
call allreduce(std::size_t count, Op op, algorithm::any how) {
    return [=](const world_of_processes& world) {
        std::vector<T> data(count, T{1});
        world.allreduce(data, op, how);
    };
}
call broadcast(std::size_t count, int root) {
    return [=](const world_of_processes& world) {
        std::vector<int> data(count, 1);
        world.broadcast(data, root, algorithm::binomial_tree{});
    };
}
call reduce(std::size_t count, int root) {
    return [=](const world_of_processes& world) {
        std::vector<int> data(count, 1), out(count);
        world.reduce(data, out, root, sum, algorithm::binomial_tree{});
    };
}
call allgather(std::size_t count) {
    return [=](const world_of_processes& world) {
        std::vector<int> data(count, 1), out(count * callers);
        world.allgather(data, out, algorithm::ring{});
    };
}
call reduce_scatter(std::size_t count) {
    return [=](const world_of_processes& world) {
        std::vector<int> data(count * callers, 1), out(count);
        world.reduce_scatter(data, out, sum, algorithm::ring{});
    };
}
call barrier() {
    return [](const world_of_processes& world) { world.barrier(); };
}

std::vector<disagreement> disagreements() {
    const algorithm::any ring = algorithm::ring{}, butterfly = algorithm::butterfly{};
    return {
        {"counts", allreduce<int>(5, sum, ring), allreduce<int>(4, sum, ring), "of 5 ", "of 4 "},
        {"large counts", allreduce<int>(300'001, sum, ring), allreduce<int>(300'000, sum, ring), "300001", "300000"},
        {"a count and none", allreduce<int>(0, sum, butterfly), allreduce<int>(7, sum, butterfly), "of 0 ", "of 7 "},
        {"small and large", allreduce<int>(1'000'000, sum, ring), allreduce<int>(1, sum, ring), "1000000", "of 1 "},
        {"operations", allgather(4), reduce_scatter(4), "allgather", "reduce_scatter"},
        {"a barrier and data", barrier(), allreduce<int>(4, sum, butterfly), "barrier", "of 4 "},
        {"element types", allreduce<float>(9, sum, ring), allreduce<int>(9, sum, ring), "float32", "int32"},
        {"signedness", allreduce<unsigned>(9, sum, ring), allreduce<int>(9, sum, ring), " uint32", " int32"},
        {"operators", allreduce<int>(9, maximum, ring), allreduce<int>(9, sum, ring), "maximum", "sum"},
        {"algorithms", allreduce<int>(9, sum, butterfly), allreduce<int>(9, sum, ring), "butterfly", "ring"},
        {"roots", broadcast(100'000, 1), broadcast(100'000, 0), "root 1", "root 0"},
        {"roots of a reduction", reduce(100'000, 2), reduce(100'000, 1), "root 2", "root 1"},
        {"many large bytes", allgather(1'000'000), allgather(2'000'000), "3000000", "6000000"},
    };
}

/// Every rank is told of the mismatch, in the same words, with both calls in them.
void check_all_told(processes& ranks, const std::string& odd_words, const std::string& common_words) {
    check_ended(ranks);
    for (int r = 0; r < callers; ++r) {
        INFO("rank " << r);
        check_blames(ranks.of(r), cause::mismatch, ranks.of(r).error[0].peer);
        const auto text = ranks.of(r).error[0].message.str();
        CHECK(text.find(odd_words) != std::string::npos);
        CHECK(text.find(common_words) != std::string::npos);
    }
}

} // namespace

TEST_CASE("when one rank calls something else, all ranks get both calls by name") {
    for (const auto& d : disagreements())
        for (int odd = 0; odd < callers; ++odd) {
            CAPTURE(d.name, odd);
            const reserved_port at;
            processes ranks(callers, [&](int rank, account& mine) {
                const auto world = join(rank, callers, at);
                world.barrier();
                // Who has sent all that it had to send may have returned: it learns in its next call.
                if (!fails(mine, [&] { (rank == odd ? d.odd : d.common)(world); }))
                    call_until_error(mine, [&] { world.barrier(); });
                expect_refusal(world, mine.error[0]);
            });
            check_all_told(ranks, d.odd_words, d.common_words);
        }
}

TEST_CASE("a sender that has returned long ago learns at its next call, and is named by what it called") {
    const std::vector<disagreement> eager{
        {"broadcast", broadcast(4, 0), broadcast(5, 0), "of 4 ", "of 5 "},
        {"reduce", reduce(4, 1), reduce(5, 1), "of 4 ", "of 5 "},
    };
    const auto wait = GENERATE(20ms, 100ms, 700ms);
    for (const auto& d : eager) {
        CAPTURE(d.name, wait.count());
        const reserved_port at;
        processes ranks(callers, [&](int rank, account& mine) {
            const auto world = join(rank, callers, at);
            for (int root = 0; root < 2; ++root) broadcast(4, root)(world); // opens the connections
            world.barrier();
            if (rank == 0) {
                d.odd(world);
                std::this_thread::sleep_for(wait);
            } else {
                std::this_thread::sleep_for(50ms);
            }
            if (rank == 0 || !fails(mine, [&] { d.common(world); })) call_until_error(mine, [&] { world.barrier(); });
            expect_refusal(world, mine.error[0]);
        });
        // Whoever stays away for long is not waited for.
        check_all_told(ranks, wait < 400ms ? d.odd_words : "rank 0 has already returned", d.common_words);
        CHECK(ranks.of(0).error[0].message.str().find("as call") == std::string::npos);
    }
}

TEST_CASE("messages that nobody came for are noticed in the next call, and both calls are named") {
    const reserved_port at;
    processes ranks(callers, [&](int rank, account& mine) {
        const auto world = join(rank, callers, at);
        for (int root = 0; root < 2; ++root) broadcast(4, root)(world);
        world.barrier();
        // Both roots' messages fit into their receivers' windows: everyone returns.
        broadcast(4, rank == 1 ? 1 : 0)(world);
        call_until_error(mine, [&] { world.barrier(); });
        expect_refusal(world, mine.error[0]);
    });
    check_all_told(ranks, "root 1", "root 0");
    for (int r = 0; r < callers; ++r) CHECK(ranks.of(r).calls.load(std::memory_order_acquire) <= 1);
}
