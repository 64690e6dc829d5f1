// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/join/identity.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/surroundings.hpp"

using namespace tutti;
using namespace tutti::transport::bootstrap;

namespace {

tutti::test::variables good() {
    return {{"TUTTI_RANK", "1"}, {"TUTTI_SIZE", "4"}, {"TUTTI_ADDRESS", "127.0.0.1:29500"}};
}

using tutti::test::has;
using tutti::test::identity_failure;
using tutti::test::surroundings;

} // namespace

TEST_CASE("rank, size and address come from the launcher's variables", "[environment]") {
    const surroundings s(good());
    const auto me = identity_from_environment();
    CHECK(me.rank == 1);
    CHECK(me.size == 4);
    CHECK(me.rendezvous == endpoint{"127.0.0.1", 29500});
    CHECK(me.timeout == std::chrono::seconds(60));
    CHECK_FALSE(me.key.configured());
    CHECK_FALSE(me.encrypt);
    CHECK_FALSE(me.may_leave_loopback());
}

TEST_CASE("secret, host, interface, insecure and timeout are settings under any launcher", "[environment]") {
    auto v = good();
    v["TUTTI_SECRET"] = "0123456789abcdef";
    v["TUTTI_INTERFACE"] = "^docker0";
    v["TUTTI_HOST"] = "rack 3, left";
    v["TUTTI_BOOTSTRAP_TIMEOUT"] = "3";
    v["TUTTI_ENCRYPT"] = "1";
    v["TUTTI_PORTS"] = "5000-5063";
    const surroundings s(v);
    const auto me = identity_from_environment();
    CHECK(me.key.configured());
    CHECK(me.may_leave_loopback());
    CHECK_FALSE(me.insecure);
    CHECK(me.interface == "^docker0");
    CHECK(me.encrypt);
    CHECK(me.ports == port_range{5000, 5063});
    CHECK(me.host == "rack 3, left");
    CHECK(me.timeout == std::chrono::seconds(3));
}

TEST_CASE("a host's name has a limit", "[environment]") {
    auto v = good();
    v["TUTTI_HOST"] = std::string(255, 'h');
    CHECK(identity_failure(v).empty());
    v["TUTTI_HOST"] += 'h';
    CHECK(has(identity_failure(v), "TUTTI_HOST has more than 255 characters"));
}

TEST_CASE("insecure allows to leave loopback without a secret", "[environment]") {
    auto v = good();
    v["TUTTI_INSECURE"] = "1";
    const surroundings s(v);
    CHECK(identity_from_environment().may_leave_loopback());
}

TEST_CASE("the variable that is missing is named", "[environment]") {
    for (const char* name : {"TUTTI_RANK", "TUTTI_SIZE", "TUTTI_ADDRESS"}) {
        auto v = good();
        v.erase(name);
        CHECK(has(identity_failure(v), std::string(name) + " is not set"));
    }
    CHECK(has(identity_failure({}), "no launcher started this program"));
}

TEST_CASE("the variable that is wrong is named and quoted", "[environment]") {
    const auto [name, value, said] = GENERATE(table<const char*, const char*, const char*>({
        {"TUTTI_RANK", "4", "whole number from 0 to 3"},
        {"TUTTI_RANK", "-1", "whole number"},
        {"TUTTI_RANK", "1x", "whole number"},
        {"TUTTI_RANK", "99999999999999999999", "whole number"},
        {"TUTTI_SIZE", "0", "whole number from 1"},
        {"TUTTI_SIZE", "four", "whole number"},
        {"TUTTI_ADDRESS", "127.0.0.1", "no port"},
        {"TUTTI_ADDRESS", "127.0.0.1:0", "from 1 to 65535"},
        {"TUTTI_INSECURE", "yes", "0 or 1"},
        {"TUTTI_ENCRYPT", "2", "0 or 1"},
        {"TUTTI_PORTS", "5000", "two ports"},
        {"TUTTI_PORTS", "5000-", "two ports"},
        {"TUTTI_PORTS", "5001-5000", "two ports"},
        {"TUTTI_PORTS", "0-5", "two ports"},
        {"TUTTI_PORTS", "1-65536", "two ports"},
        {"TUTTI_PORTS", "5000-5001x", "two ports"},
        {"TUTTI_BOOTSTRAP_TIMEOUT", "0", "whole number from 1"},
    }));
    auto v = good();
    v[name] = value;
    const auto text = identity_failure(v);
    CHECK(has(text, std::string(name) + " is \"" + value + "\""));
    CHECK(has(text, said));
}

TEST_CASE("a secret that is too short is refused by name", "[environment]") {
    auto v = good();
    v["TUTTI_SECRET"] = "fifteen letters";
    CHECK(has(identity_failure(v), "TUTTI_SECRET has 15 bytes, of which there must be at least 16"));
    v["TUTTI_SECRET"] = "sixteen letters!";
    CHECK(identity_failure(v).empty());
}

TEST_CASE("a secret is given in one way only", "[environment]") {
    auto v = good();
    v["TUTTI_SECRET"] = "sixteen letters!";
    v["TUTTI_SECRET_FILE"] = "/nowhere";
    CHECK(has(identity_failure(v), "both TUTTI_SECRET and TUTTI_SECRET_FILE"));
    v.erase("TUTTI_SECRET");
    CHECK(has(identity_failure(v), "/nowhere: No such file"));
}
