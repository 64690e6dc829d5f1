// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>

namespace tutti::test {

/// open() may be called any number of times; nothing is broken before or after.
template <contract_fixture Fixture>
void opening_is_idempotent() {
    milestone checked;
    Fixture{}.run(3, [&](auto& t) {
        for (int peer = 0; peer < t.size(); ++peer) {
            if (peer == t.rank()) continue;
            expect(!t.broken(peer), "a peer that was never needed is not broken");
            auto& first = t.open({1, 0}, peer);
            auto& again = t.open({1, 0}, peer);
            auto& other = t.open({1, 1}, peer);
            expect(&first == &again, "a channel that is open is returned again");
            expect(&first != &other, "each context has its own channel");
        }
        courier c{t};
        std::byte out{};
        std::byte in{};
        c.send({1, 0}, (t.rank() + 1) % 3, &out, 1);
        c.receive({1, 0}, (t.rank() + 2) % 3, &in, 1);
        c.finish("channels opened twice carry messages");
        for (int peer = 0; peer < t.size(); ++peer)
            if (peer != t.rank()) expect(!t.broken(peer), "a peer that works is not broken");
        checked.reach();
        c.meet(checked, 3, "all have looked");
    });
}

/// Each rank is itself, once; all agree on the size; everyone has a name.
template <contract_fixture Fixture>
void ranks_are_distinct_and_named() {
    constexpr int ranks = 5;
    std::array<std::atomic<int>, ranks> seen{};
    Fixture{}.run(ranks, [&](auto& t) {
        expect(t.size() == ranks, "the size is that of the world");
        expect(t.rank() >= 0 && t.rank() < ranks, "ranks are 0 to size-1");
        ++seen[static_cast<std::size_t>(t.rank())];
        expect(t.crowded() == t.crowded(), "crowded() is constant");
        for (int peer = 0; peer < ranks; ++peer)
            expect(!t.name_of(peer).host.empty() && !t.name_of(peer).address.empty(), "every rank has a name");
    });
    for (const auto& times : seen) expect(times == 1, "each rank is there once");
}

/// Nodes are numbered by first appearance, and the same on all ranks.
template <contract_fixture Fixture>
void nodes_are_numbered_alike() {
    constexpr int ranks = 4;
    std::array<std::array<int, ranks>, ranks> nodes{};
    Fixture{}.run(ranks, [&](auto& t) {
        auto& mine = nodes[static_cast<std::size_t>(t.rank())];
        for (int peer = 0; peer < ranks; ++peer) mine[static_cast<std::size_t>(peer)] = t.node(peer);
    });
    for (const auto& mine : nodes) expect(mine == nodes[0], "all ranks number the nodes alike");
    int known = 0;
    for (const int node : nodes[0]) {
        expect(node >= 0 && node <= known, "a node that is new gets the next number");
        known = std::max(known, node + 1);
    }
}

/// A world of one rank starts, waits and ends.
template <contract_fixture Fixture>
void one_rank_is_a_world() {
    Fixture{}.run(1, [](auto& t) {
        expect(t.rank() == 0 && t.size() == 1, "the only rank is rank 0");
        expect(!t.progress(), "there is nothing to move");
        t.wait(transport::clock::now() + std::chrono::milliseconds{1});
        t.close({1, 0});
    });
}

} // namespace tutti::test
