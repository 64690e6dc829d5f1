// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/join/launchers/pmi_client.hpp>

#include "pmi_server.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/expect.hpp"
#include "support/has.hpp"
#include "support/run_ranks.hpp"

using namespace tutti;
using namespace std::chrono_literals;
using test::has;
using test::pmi_server;
using pmi_client = transport::bootstrap::detail::pmi::client;
using transport::bootstrap::detail::pmi::value_of;

namespace {

auto in_five_seconds() { return std::chrono::steady_clock::now() + 5s; }

/// What the exchange of a rank comes to within 300 ms.
std::string pmi_failure(pmi_client& c, int rank) {
    try {
        static_cast<void>(c.exchange(rank, {}, std::chrono::steady_clock::now() + 300ms));
    } catch (const error& e) {
        return e.why() == cause::bootstrap ? e.what() : "not a bootstrap error";
    }
    return "no error";
}

/// The same of rank 1, if the server answers so.
std::string pmi_failure(pmi_server::mischief instead) {
    pmi_server server(1, std::move(instead));
    pmi_client one(server.descriptor(0));
    return pmi_failure(one, 1);
}

pmi_server::mischief instead_of(const std::string& command, const std::string& answer) {
    return [=](const std::string& line) { return value_of(line, "cmd") == command ? answer : std::string(); };
}

} // namespace

TEST_CASE("words of a line are found by their keys", "[pmi]") {
    CHECK(value_of("cmd=get_result rc=0 value=a=b\n", "value") == "a=b");
    CHECK(value_of("cmd=get_result rc=0 value=a=b\n", "cmd") == "get_result");
    CHECK_FALSE(value_of("cmd=x\n", "value"));
    CHECK_FALSE(value_of("avalue=1 value\n", "value"));
    CHECK_FALSE(value_of("", "value"));
    CHECK(value_of("  value= x", "value") == "");
}

TEST_CASE("all ranks get what rank 0 put, world after world, and say finalize at the end", "[pmi]") {
    pmi_server server(3);
    test::run_ranks(3, [&](int rank) {
        pmi_client one(server.descriptor(rank));
        for (const std::string world : {"first@[::1]:1", "second"})
            test::expect(one.exchange(rank, rank == 0 ? world : std::string(), in_five_seconds()) == world,
                         "rank 0's text");
    });
    const auto& heard = server.stop();
    CHECK(heard[0] == "init get_my_kvsname put barrier_in put barrier_in finalize ");
    CHECK(heard[2] == "init get_my_kvsname barrier_in get barrier_in get finalize ");
}

TEST_CASE("a client that was never used says nothing", "[pmi]") {
    pmi_server server(1);
    { const pmi_client unused(server.descriptor(0)); }
    CHECK(server.stop()[0].empty());
}

TEST_CASE("a child that exits does not say finalize for the rank", "[pmi]") {
    pmi_server server(1);
    {
        pmi_client one(server.descriptor(0));
        static_cast<void>(one.exchange(0, "text", in_five_seconds()));
        CHECK(test::in_child([&] { one.~pmi_client(); }) == "");
    }
    CHECK(has(server.stop()[0], "barrier_in finalize "));
    CHECK_FALSE(has(server.stop()[0], "finalize finalize"));
}

TEST_CASE("whatever the launcher answers, it ends in an error that names the command", "[pmi]") {
    CHECK(has(pmi_failure(instead_of("init", "cmd=response_to_init rc=-1\n")), "refuses \"init\""));
    CHECK(has(pmi_failure(instead_of("init", "nonsense\n")), "answers \"init\" by \"nothing\""));
    CHECK(has(pmi_failure(instead_of("init", "\n")), "answers \"init\" by \"nothing\""));
    CHECK(has(pmi_failure(instead_of("init", std::string(10'000, 'x'))), "without an end"));
    CHECK(has(pmi_failure(instead_of("init", "cmd=resp")), "has not answered \"init\" in time"));
    CHECK(has(pmi_failure(instead_of("get_my_kvsname", "cmd=my_kvsname\n")), "no key-value space"));
    CHECK(has(pmi_failure({}), "refuses \"get\": key_tutti-1_not_found"));
}

TEST_CASE("a rank that waits for others in vain says so in time", "[pmi]") {
    pmi_server server(2);
    pmi_client one(server.descriptor(1));
    const auto begun = std::chrono::steady_clock::now();
    CHECK(has(pmi_failure(one, 1), "has not answered \"barrier_in\" in time"));
    CHECK(std::chrono::steady_clock::now() - begun < 2s);
}

TEST_CASE("a connection that is closed, or none, is told", "[pmi]") {
    pmi_server server(1);
    pmi_client one(server.descriptor(0));
    static_cast<void>(one.exchange(0, "text", in_five_seconds()));
    ::shutdown(server.descriptor(0), SHUT_RDWR);
    CHECK(has(pmi_failure(one, 0), "has ended, as after MPI_Finalize"));
    pmi_client none(-1);
    CHECK(has(pmi_failure(none, 0), "has ended"));
}
