// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/sockets/address.hpp>

#include "support/catch.hpp"

using namespace tutti;
using namespace tutti::transport::bootstrap;

TEST_CASE("an endpoint is read as people write it, and written back", "[endpoint]") {
    for (const char* text : {"node0:29500", "10.0.0.1:1", "[::1]:65535", "[2001:db8::7]:80"})
        CHECK(parse_endpoint(text, "x").text() == text);
    CHECK(parse_endpoint("[::1]:80", "x") == endpoint{"::1", 80});
    CHECK(parse_endpoint("node0:80", "x") == endpoint{"node0", 80});
}

TEST_CASE("what is no endpoint is refused with its name, its text and the reason", "[endpoint]") {
    const auto [text, why] = GENERATE(table<const char*, const char*>({
        {"", "no port"},
        {"node0", "no port"},
        {"[::1]", "no port"},
        {":80", "no host"},
        {"node0:", "from 1 to 65535"},
        {"node0:0", "from 1 to 65535"},
        {"node0:65536", "from 1 to 65535"},
        {"node0:-1", "from 1 to 65535"},
        {"node0:80x", "from 1 to 65535"},
        {"::1:80", "needs brackets"},
        {"[]:80", "that is no host"},
        {"[node0]:80", "brackets are for IPv6"},
        {"[fe80::1]:80", "such an address means another host on each link"},
        {"[fe80::1%eth1]:80", "such an address means another host on each link"},
        {"[2001:db8::1%2]:80", "such an address means another host on each link"},
        {"[node0%2]:80", "brackets are for IPv6"},
        {"no de:80", "that is no host"},
        {"http://node0:80", "needs brackets"},
    }));
    try {
        static_cast<void>(parse_endpoint(text, "TUTTI_ADDRESS"));
        FAIL("accepted " << text);
    } catch (const error& e) {
        CHECK(e.why() == cause::bootstrap);
        CHECK(e.facts().detail.find(std::string("TUTTI_ADDRESS is \"") + text + "\"") == 0);
        CHECK(e.facts().detail.find(why) != std::string::npos);
    }
}

TEST_CASE("loopback is recognised by name and by number", "[endpoint]") {
    for (const char* text : {"localhost:1", "127.0.0.1:1", "127.3.2.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"})
        CHECK(parse_endpoint(text, "x").says_loopback());
    for (const char* text : {"node0:1", "10.0.0.1:1", "[2001:db8::1]:1", "0.0.0.0:1", "[::]:1"})
        CHECK_FALSE(parse_endpoint(text, "x").says_loopback());
}
