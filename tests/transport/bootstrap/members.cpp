// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/bootstrap/members.hpp>

#include "support/catch.hpp"

#include <vector>

namespace {

tutti::transport::bootstrap::world_table on_hosts(const std::vector<const char*>& hosts, std::uint32_t cores = 1) {
    tutti::transport::bootstrap::world_table table;
    for (const char* host : hosts) {
        auto& m = table.members.emplace_back();
        m.host_id = host;
        m.cores = cores;
    }
    return table;
}

} // namespace

TEST_CASE("hosts are nodes, numbered by first appearance") {
    CHECK(on_hosts({"z"}).nodes() == std::vector{0});
    CHECK(on_hosts({"z", "z", "a", "a"}).nodes() == std::vector{0, 0, 1, 1});
    CHECK(on_hosts({"b", "a", "b", "c", "a"}).nodes() == std::vector{0, 1, 0, 2, 1});
}

TEST_CASE("a host is crowded when more of its ranks are there than it has cores, wherever the others are") {
    CHECK(on_hosts({"a", "a", "b"}).crowded(0));
    CHECK_FALSE(on_hosts({"a", "a", "b"}).crowded(2));
    CHECK_FALSE(on_hosts({"a", "a", "b", "b"}, 2).crowded(0));
}
