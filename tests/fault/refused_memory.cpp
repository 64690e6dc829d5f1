// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/routed.hpp>
#include <transport/shared_memory.hpp>

#include "ranks.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>

using namespace tutti;
using namespace tutti::test;

namespace {

using both = transport::routed<transport::shared_memory, transport::tcp>;

void limit_files(rlim_t bytes) {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    expect(::setrlimit(RLIMIT_FSIZE, &limit) == 0, "files can be limited");
}

/// From now on the system filters this process's calls by these rules.
template <std::size_t Count>
void install(std::array<sock_filter, Count>& rules) {
    const sock_fprog program{static_cast<unsigned short>(Count), rules.data()};
    expect(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0,
           "a system call can be refused");
}

/// From now on the system call fails with EPERM in this process.
void refuse_memfd() {
    std::array<sock_filter, 4> rules{
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    install(rules);
}

/// As a program is that may be run and not read, of a user without rights.
void be_unreadable() { expect(::prctl(PR_SET_DUMPABLE, 0) == 0, "a process can keep others out"); }
void be_nobody() {
    constexpr unsigned nobody = 65534;
    if (::geteuid() == 0)
        expect(::setresgid(nobody, nobody, nobody) == 0 && ::setresuid(nobody, nobody, nobody) == 0,
               "root may be less");
    expect(::prctl(PR_SET_DUMPABLE, 1) == 0, "and lets its equals in");
}

/// Rank 2 of three cannot share memory.
template <class Hinder>
void all_go_over_tcp(const Hinder& hinder, const std::string& why) {
    const reserved_port at;
    processes ranks(3, [&](int rank, account&) {
        be_nobody();
        if (rank == 2) hinder();
        communicator world{both{identity(rank, 3, at)}};
        world.default_deadline(deadline);
        auto memory = world.allocate<int>(1000);
        std::fill(memory.begin(), memory.end(), 1);
        world.allreduce(memory, sum);
        expect(memory[999] == 3, "it is the sum");
        for (int peer = 0; peer < 3; ++peer) {
            if (peer == rank) continue;
            const auto way = world.way_to(peer);
            const bool near = peer != 2 && rank != 2;
            expect(way.starts_with(near ? "shared memory" : "tcp"), "both ends have chosen one way: " + way);
            expect(near || way.find(why) != std::string::npos, "it is told why: " + way);
        }
        std::vector<double> large(300'000, 1.0);
        world.allreduce(large, sum);
        expect(large.back() == 3, "and the sum of much");
    });
    check_ended(ranks);
}

/// None of two can join over shared memory alone, since rank 1 cannot share.
template <class Hinder>
void none_joins(const Hinder& hinder, const std::string& why) {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        be_nobody();
        if (rank == 1) hinder();
        expect(fails(mine, [&] { transport::shared_memory{identity(rank, 2, at)}; }), "it cannot join");
    });
    check_ended(ranks);
    for (int r = 0; r < 2; ++r) {
        const auto& e = ranks.of(r).error[0];
        INFO(e.message.str());
        CHECK(e.why == cause::bootstrap);
        CHECK(e.message.str().find(why) != std::string::npos);
        CHECK(e.message.str().find("routed") != std::string::npos);
        CHECK(e.message.str().find("TUTTI_HOST") == std::string::npos); // it is one host, and known to be
        CHECK((e.peer == 1 || why == "not read"));                      // which only pairs of ranks find out
    }
}

/// From now on this process gets no memory that is shared, as where a limit of its memory is reached.
void refuse_shared_mappings() {
    std::array<sock_filter, 6> rules{
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[3])), // flags, their lower half
        sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    install(rules);
}

/// Rank 2 of three gets no more memory after it has joined. `has_sent`: it has the memory that its own messages need,
/// and lacks what it needs to read those of others.
template <class Transport>
void lacks_memory(bool has_sent) {
    CAPTURE(has_sent);
    const reserved_port at;
    std::array<int, 2> turn{}; // of the others, whose lanes it must not have seen before
    REQUIRE(::pipe2(turn.data(), O_CLOEXEC) == 0);
    processes ranks(3, [&](int rank, account& mine) {
        const communicator world{Transport{identity(rank, 3, at)}};
        int x = 1;
        char byte = 0;
        for (int to = 0; rank == 2 && to < 2; ++to)
            if (has_sent) world.send(x, to);
        if (rank == 2) refuse_shared_mappings();
        for (int times = 0; times < 2; ++times)
            if (rank == 2) expect(::write(turn[1], &byte, 1) == 1, "it is the others' turn");
        if (rank < 2) expect(::read(turn[0], &byte, 1) == 1, "it is this rank's turn");
        if (rank < 2 && has_sent) expect(world.template receive<int>(2) == std::vector{1}, "it has what was sent");
        // The others may have all that they need for the first.
        call_until_error(
            mine, [&] { world.with_deadline(patience).allreduce(std::span(&x, 1), sum, algorithm::one_shot{}); });
    });
    check_ended(ranks);
    for (const int end : turn) ::close(end);
    for (int r = 0; r < 3; ++r) {
        const auto& e = ranks.of(r).error[0];
        const auto text = e.message.str();
        CAPTURE(r, text);
        CHECK(e.why == cause::aborted);
        CHECK(e.peer == 2);
        CHECK(text.find(has_sent ? "rank 2 cannot go on: it gets no more memory" : "rank 2 could not begin") !=
              std::string::npos);
        CHECK(text.find("ulimit -v") != std::string::npos);
        CHECK(e.told - e.called < 3s);
    }
}

void limit_to_8_mib() { limit_files(8 << 20); }

} // namespace

TEST_CASE("where a rank may make no long files, routed goes over TCP, and shared memory says so") {
    all_go_over_tcp(limit_to_8_mib, "ulimit -f");
    none_joins(limit_to_8_mib, "ulimit -f");
}

TEST_CASE("where a rank gets no shared memory, routed goes over TCP, and shared memory says so") {
    all_go_over_tcp(refuse_memfd, "Operation not permitted");
    none_joins(refuse_memfd, "Operation not permitted");
}

TEST_CASE("where a rank's program may not be read, routed goes over TCP, and shared memory says so") {
    all_go_over_tcp(be_unreadable, "not read");
    none_joins(be_unreadable, "not read");
}

TEST_CASE("a rank that gets no more memory is named on all ranks, with the remedy, and no other is") {
    for (const bool has_sent : {false, true}) {
        lacks_memory<transport::shared_memory>(has_sent);
        lacks_memory<both>(has_sent);
    }
}

TEST_CASE("a rank that gets no memory to join with says so in the library's words") {
    const reserved_port at;
    processes ranks(1, [&](int, account& mine) {
        refuse_shared_mappings();
        expect(fails(mine, [&] { transport::shared_memory{identity(0, 1, at)}; }), "it has no segment");
    });
    check_ended(ranks);
    const auto& e = ranks.of(0).error[0];
    INFO(e.message.str());
    CHECK(e.why == cause::bootstrap);
    CHECK(e.peer == 0);
    CHECK(e.message.str().find("ulimit -v") != std::string::npos);
}

TEST_CASE("symmetric memory beyond the limit of files is refused, and the world goes on") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        limit_files(64 << 20);
        communicator world{transport::shared_memory{identity(rank, 2, at)}};
        try {
            static_cast<void>(world.allocate<char>(100 << 20));
            expect(false, "it is too much");
        } catch (const error& e) {
            expect(e.why() == cause::invalid_argument, e.what());
            expect(std::string(e.what()).find("ulimit -f") != std::string::npos, e.what());
        }
        const auto memory = world.allocate<char>(1 << 20);
        world.allreduce(memory, sum);
    });
    check_ended(ranks);
}

TEST_CASE("a rank alone needs no memory that can be shared") {
    const reserved_port at;
    processes ranks(1, [&](int, account&) {
        refuse_memfd();
        const communicator world{transport::shared_memory{identity(0, 1, at)}};
        const auto memory = world.allocate<int>(100);
        world.allreduce(memory, sum);
    });
    check_ended(ranks);
}
