// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <training/parameter_server.hpp>

#include "support/world.hpp"

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

/// What the tests of the parameter server share: stores on ranks that are threads.
namespace tutti::test::stores {

using training::server::store_layout;
using links = training::server::links<communicator>;
using client = training::server::client<communicator>;
template <class Rule>
using shard_server = training::server::shard_server<communicator, Rule>;
using training::server::client_options;
using training::server::server_options;

[[nodiscard]] inline std::vector<int> ranks_from(int first, int count) {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), first);
    return all;
}
/// The first ranks serve, the others work.
[[nodiscard]] inline store_layout apart(int servers, int workers, std::uint64_t keys, int copies = 1,
                                        int segments = 0) {
    return {keys, ranks_from(0, servers), ranks_from(servers, workers), segments, copies};
}
[[nodiscard]] inline int ranks_of(const store_layout& l) {
    return static_cast<int>(l.servers.size() + l.workers.size());
}

/// Runs a store whose servers and workers are different ranks. `work(client, index of the worker)`.
template <class Rule>
void run_store(const store_layout& layout, Rule rule, const server_options& serves,
               const std::function<void(client&, int)>& work, const client_options& asks = {},
               const std::vector<std::string>& files = {}) {
    run_new_world(ranks_of(layout), [&](communicator& world) {
        const links by(world, layout);
        if (by.server() >= 0) {
            shard_server<Rule> own(by, rule, serves);
            if (!files.empty()) own.restore(files);
            return own.serve();
        }
        client own(by, asks);
        work(own, by.worker());
        own.close();
    });
}

/// Numbers that differ by key and by `seed`, and whose sums are rounded.
[[nodiscard]] inline std::vector<float> some_values(std::size_t count, unsigned seed) {
    std::vector<float> all(count);
    std::uint32_t x = seed * 2654435761U + 12345;
    for (float& v : all) {
        x = x * 1664525U + 1013904223U;
        v = static_cast<float>(x >> 8U) / static_cast<float>(1U << 22U) - 2.0F;
    }
    return all;
}

} // namespace tutti::test::stores
