// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

#include "fault/ranks.hpp"

#include <sys/resource.h>
#include <unistd.h>

using namespace tutti;
using namespace tutti::test;

namespace {

[[nodiscard]] std::string refusal_of(const transport::verbs_limits& limits) {
    try {
        const reserved_port at;
        transport::verbs t{identity(0, 1, at), limits};
    } catch (const error& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("a device or GID that is not there is told with what there is") {
    const auto text = refusal_of(on_ports("mlx5_0"));
    CAPTURE(text);
    CHECK(text.find("no active RDMA port is \"mlx5_0\"") != std::string::npos);
    CHECK(text.find("rxe1:1 gid 1 ::ffff:10.9.0.1 (RoCE v2)") != std::string::npos);
    auto limits = on_ports("rxe1");
    limits.gid_index = 77;
    CHECK(refusal_of(limits).find("with GID index 77") != std::string::npos);
    limits.devices.clear();
    CHECK(refusal_of(limits).find("no active RDMA port has GID index 77: this host has rxe") != std::string::npos);
}

TEST_CASE("ranks without a common device say so") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        const bool failed = fails(mine, [&] {
            const transport::verbs t{identity(rank, 2, at), on_ports(rank == 0 ? "rxe1" : "none")};
        });
        expect(failed, "there is no way between them");
    });
    check_ended(ranks);
    const auto said_by = [&](int rank) { return ranks.of(rank).error[0].message.str(); };
    CHECK(said_by(0).find("verbs does not join them") != std::string::npos);
    const bool told = said_by(0).find("rank 1 uses no RDMA port") != std::string::npos ||
                      said_by(0).find("this rank uses no RDMA port: this host has rxe") != std::string::npos;
    CHECK(told); // by the rank that found it first
}

TEST_CASE("too little memory that may be locked is told with the bytes and the remedy") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        const rlimit few{8 << 20, 8 << 20};
        expect(::setrlimit(RLIMIT_MEMLOCK, &few) == 0, "the limit is set");
        expect(::setgid(65534) == 0 && ::setuid(65534) == 0, "this is nobody: root is not limited");
        const communicator world{transport::verbs{identity(rank, 2, at)}};
        std::vector<float> data(1000, 1.0f);
        world.allreduce(data, sum); // little is fine
        expect(data[0] == 2.0f, "it is a sum");
        std::vector<float> much(8 << 20);
        expect(fails(mine, [&] { world.allreduce(much, sum, algorithm::ring{}); }), "32 MiB are not");
    });
    check_ended(ranks);
    for (int r = 0; r < 2; ++r) {
        const auto text = ranks.of(r).error[0].message.str();
        CAPTURE(r, text);
        CHECK(text.find("cannot register 16777216 bytes for RDMA") != std::string::npos);
        CHECK(text.find("limited to 8388608 bytes") != std::string::npos);
        CHECK(text.find("ulimit -l") != std::string::npos);
    }
}

TEST_CASE("a device that has no room for another peer is told, with its limit") {
    const int size = 12;
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        auto limits = transport::verbs_limits{};
        limits.slot_count = 1024; // of rxe's 32,767 completions each peer takes 3,242
        limits.slot_bytes = limits.eager_bytes = 4096;
        limits.reads = 128;
        const communicator world{transport::verbs{identity(rank, size, at), limits}};
        std::vector<int> data(1);
        const auto call = [&] { world.with_deadline(patience).broadcast(data, 0, algorithm::naive{}); };
        expect(fails(mine, call), "10 peers are all that it has room for");
    });
    check_ended(ranks);
    for (int r = 0; r < size; ++r) {
        const auto text = ranks.of(r).error[0].message.str();
        CAPTURE(r, text);
        CHECK(ranks.of(r).error[0].peer == 0);
        CHECK(text.find("no room in its completion queue for another peer") != std::string::npos);
        CHECK(text.find("rxe0 allows 32767 entries") != std::string::npos);
    }
}
