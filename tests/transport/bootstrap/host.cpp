// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/join/host.hpp>

#include "support/catch.hpp"

using namespace tutti;
using namespace tutti::transport::bootstrap;

namespace {

address at(const char* text, std::uint16_t port = 0) { return *address::literal(text, port); }

const std::vector<interface_address> host{
    {"lo", at("127.0.0.1")},     {"lo", at("::1")},       {"eth0", at("192.168.1.5")},
    {"eth0", at("2001:db8::5")}, {"ib0", at("10.0.0.5")}, {"docker0", at("172.17.0.1")},
};

std::string choose(const char* rule, const char* route) { return choose_interface(rule, at(route, 99), host).host(); }

} // namespace

TEST_CASE("without a rule the data follows the route to the rendezvous", "[interfaces]") {
    CHECK(choose("", "192.168.1.5") == "192.168.1.5");
    CHECK(choose("", "127.0.0.1") == "127.0.0.1");
    CHECK(choose_interface("", at("::1", 99), host).port() == 0);
}

TEST_CASE("an interface is chosen by name, in the route's family where it has one", "[interfaces]") {
    CHECK(choose("ib0", "192.168.1.5") == "10.0.0.5");
    CHECK(choose("eth0", "10.0.0.5") == "192.168.1.5");
    CHECK(choose("eth0", "2001:db8::9") == "2001:db8::5");
    CHECK(choose("ib0", "2001:db8::9") == "10.0.0.5");
    CHECK(choose("lo", "192.168.1.5") == "127.0.0.1");
}

TEST_CASE("an interface is chosen by network", "[interfaces]") {
    CHECK(choose("10.0.0.0/8", "192.168.1.5") == "10.0.0.5");
    CHECK(choose("172.16.0.0/12", "192.168.1.5") == "172.17.0.1");
    CHECK(choose("2001:db8::/32", "192.168.1.5") == "2001:db8::5");
    CHECK(choose("192.168.1.5/32", "10.0.0.5") == "192.168.1.5");
    CHECK(choose("0.0.0.0/0", "10.0.0.5") == "10.0.0.5");
}

TEST_CASE("interfaces are excluded by name, and loopback with them", "[interfaces]") {
    CHECK(choose("^docker0", "10.0.0.5") == "10.0.0.5");
    CHECK(choose("^ib0", "10.0.0.5") == "192.168.1.5");
    CHECK(choose("^eth0,docker0", "127.0.0.1") == "10.0.0.5");
    CHECK(choose("^eth", "192.168.1.5") == "192.168.1.5");
}

TEST_CASE("when nothing fits the candidates are listed", "[interfaces]") {
    const auto rule = GENERATE("eth7", "11.0.0.0/8", "10.0.0.0/33", "10.0.0/8", "^eth0,ib0,docker0", "/", "10.0.0.0/x");
    try {
        static_cast<void>(choose_interface(rule, at("10.0.0.5"), host));
        FAIL("chose something for " << rule);
    } catch (const error& e) {
        CHECK(e.why() == cause::bootstrap);
        CHECK(e.facts().detail.find(std::string("TUTTI_INTERFACE=") + rule) != std::string::npos);
        CHECK(e.facts().detail.find("eth0 (192.168.1.5), eth0 (2001:db8::5), ib0 (10.0.0.5)") != std::string::npos);
    }
}

TEST_CASE("this host has a loopback interface", "[interfaces]") {
    const auto all = list_interfaces();
    CHECK(std::any_of(all.begin(), all.end(), [](const auto& i) { return i.where.loopback(); }));
    CHECK(choose_interface("127.0.0.0/8", at("10.0.0.5"), all).loopback());
}
