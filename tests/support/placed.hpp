// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/memory.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace tutti::test {

/// Ranks that are threads, said to be on nodes with a network between them: for what is chosen by where ranks are.
class placed : public transport::memory {
public:
    static constexpr transport::medium far = transport::medium::network;
    static constexpr bool reads_in_place = false;

    /// `nodes` has each rank's node.
    placed(std::shared_ptr<transport::memory_world> world, int rank, std::vector<int> nodes)
        : memory(std::move(world), rank), nodes_(std::move(nodes)) {}

    [[nodiscard]] int node(int peer) const { return nodes_[static_cast<std::size_t>(peer)]; }

private:
    std::vector<int> nodes_;
};

static_assert(transport::transport<placed>);

} // namespace tutti::test
