// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/contract/members.hpp>
#include <transport/control/member_codec.hpp>

#include "support/catch.hpp"

#include <vector>

namespace {

using namespace tutti::transport::bootstrap;

world_table on_hosts(const std::vector<const char*>& hosts, const processor_set& processors = {0}) {
    world_table table;
    for (const char* host : hosts) {
        auto& m = table.members.emplace_back();
        m.host_id = host;
        m.may_use.processors = processors;
    }
    return table;
}

} // namespace

TEST_CASE("hosts are nodes, numbered by first appearance") {
    CHECK(on_hosts({"z"}).nodes() == std::vector{0});
    CHECK(on_hosts({"z", "z", "a", "a"}).nodes() == std::vector{0, 0, 1, 1});
    CHECK(on_hosts({"b", "a", "b", "c", "a"}).nodes() == std::vector{0, 1, 0, 2, 1});
}

TEST_CASE("a host is crowded when more of its ranks are there than it has processors, wherever the others are") {
    CHECK(on_hosts({"a", "a", "b"}).crowded(0));
    CHECK_FALSE(on_hosts({"a", "a", "b"}).crowded(2));
    CHECK_FALSE(on_hosts({"a", "a", "b", "b"}, {0, 1}).crowded(0));
}

TEST_CASE("ranks that are bound to one processor each are not crowded, and those that are bound to the same one are") {
    auto table = on_hosts({"a", "b", "a"});
    table.members[2].may_use.processors = {1};
    CHECK_FALSE(table.crowded(0));
    CHECK(table.processor_of(0) == 0);
    CHECK(table.processor_of(1) == 0);
    CHECK(table.processor_of(2) == 1);
    table.members[2].may_use.processors = {0};
    CHECK(table.crowded(0));
    CHECK_FALSE(table.processor_of(2));
}

TEST_CASE("two ranks within a quota of one and a half processors are crowded") {
    auto table = on_hosts({"a", "a", "b"}, {0, 1});
    for (member& m : table.members) m.may_use.quota = {1500, 1, 2};
    CHECK(table.crowded(0));
    CHECK_FALSE(table.crowded(2));
    for (member& m : table.members) m.may_use.quota.thousandths = 2000;
    CHECK_FALSE(table.crowded(0));
}

TEST_CASE("what a member may use is read as it was written, and what is malformed is refused") {
    const auto bytes_of = [](const allotment& a) {
        std::vector<std::byte> bytes;
        tutti::detail::byte_writer w(bytes);
        write_allotment(w, a);
        return bytes;
    };
    for (const processor_set& processors : {processor_set{}, processor_set{0}, processor_set{3, 64, 8191}}) {
        const allotment a{processors, {1500, 26, ~std::uint64_t{0}}};
        const auto bytes = bytes_of(a);
        tutti::detail::byte_reader r(bytes);
        CHECK(read_allotment(r) == a);
        CHECK(r.finished());
        for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
            tutti::detail::byte_reader shorter({bytes.data(), cut});
            static_cast<void>(read_allotment(shorter));
            REQUIRE_FALSE(shorter.ok());
        }
    }
    std::vector<std::byte> wrong(2000);
    for (const int words : {1, 129, 200}) { // the last one is 0, or there are too many
        wrong[0] = static_cast<std::byte>(words);
        tutti::detail::byte_reader r(wrong);
        static_cast<void>(read_allotment(r));
        CHECK_FALSE(r.ok());
    }
}
