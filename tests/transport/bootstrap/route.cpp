// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/join/addresses.hpp>

#include "support/catch.hpp"

using namespace tutti;
using namespace tutti::transport::bootstrap;

namespace {

identity meeting_at(const char* host, const char* key = "sixteen secret bytes") {
    identity me;
    me.rendezvous = {host, 29500};
    me.key = secret(key);
    return me;
}

std::vector<std::string> texts(const std::vector<address>& all) {
    std::vector<std::string> out;
    for (const auto& a : all) out.push_back(a.text());
    return out;
}

} // namespace

TEST_CASE("rank 0 listens exactly at a literal address", "[route]") {
    CHECK(texts(listening_addresses(meeting_at("127.0.0.2"))) == std::vector<std::string>{"127.0.0.2:29500"});
    CHECK(texts(listening_addresses(meeting_at("::1"))) == std::vector<std::string>{"[::1]:29500"});
    CHECK(texts(listening_addresses(meeting_at("192.0.2.7"))) == std::vector<std::string>{"192.0.2.7:29500"});
}

TEST_CASE("rank 0 listens at all that localhost means, with a secret or without", "[route]") {
    for (const char* key : {"sixteen secret bytes", ""}) {
        const auto all = listening_addresses(meeting_at("localhost", key));
        CHECK_FALSE(all.empty());
        for (const auto& a : all) CHECK(a.loopback());
    }
}

TEST_CASE("without a secret an address beyond loopback is refused unless insecure is allowed", "[route]") {
    auto me = meeting_at("0.0.0.0", "");
    CHECK_THROWS_AS(listening_addresses(me), error);
    std::string why;
    CHECK_THROWS_AS(rendezvous_addresses(me, why), error);
    me.insecure = true;
    CHECK(texts(listening_addresses(me)) == std::vector<std::string>{"0.0.0.0:29500"});
}

TEST_CASE("a name that nobody knows is no address yet, with the reason", "[route]") {
    const std::string unknown(300, 'x'); // too long for any name service to be asked
    std::string why;
    CHECK(rendezvous_addresses(meeting_at(unknown.c_str()), why).empty());
    CHECK_FALSE(why.empty());
    CHECK_THROWS_AS(listening_addresses(meeting_at(unknown.c_str())), error);
}

TEST_CASE("rank 0 reaches itself where it is bound, by loopback if that is everywhere", "[route]") {
    CHECK(own_address(*address::literal("10.0.0.5", 7)).text() == "10.0.0.5:7");
    CHECK(own_address(*address::literal("0.0.0.0", 7)).text() == "127.0.0.1:7");
    CHECK(own_address(*address::literal("::", 7)).text() == "127.0.0.1:7");
}

TEST_CASE("the data follows the control connection, loopback where that was asked for", "[route]") {
    const auto loop = *address::literal("127.0.0.1", 0);
    CHECK(data_address(meeting_at("127.0.0.1"), loop).host() == "127.0.0.1");
    CHECK(data_address(meeting_at("localhost"), loop).host() == "127.0.0.1");
    CHECK(data_address(meeting_at("a-host", ""), loop).host() == "127.0.0.1");
    CHECK(data_address(meeting_at("a-host"), *address::literal("192.0.2.9", 0)).host() == "192.0.2.9");
}

TEST_CASE("an address that has a meaning on its link alone is announced to nobody", "[route]") {
    const auto all = list_interfaces();
    const auto me = meeting_at(std::string(300, 'x').c_str()); // too long for any name service to be asked
    const auto told = data_address(me, *address::literal("fe80::1", 0));
    CHECK(told == reachable_address(all).value_or(*address::literal("fe80::1", 0)));
    CHECK(data_address(me, *address::literal("127.0.0.1", 0)) ==
          reachable_address(all).value_or(*address::literal("127.0.0.1", 0)));
}

TEST_CASE("beside rank 0 the data takes the address that others know, not loopback", "[route]") {
    const auto all = list_interfaces();
    const auto outer = std::find_if(all.begin(), all.end(), [](const auto& i) { return !i.where.loopback(); });
    if (outer == all.end()) return;
    const auto me = meeting_at(outer->where.host().c_str());
    CHECK(data_address(me, *address::literal("127.0.0.1", 0)).host() == outer->where.host());
}
