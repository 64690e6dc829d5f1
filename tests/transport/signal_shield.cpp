// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/contract/signal_shield.hpp>

#include "support/tcp_ranks.hpp"

#include <collectives/allreduce.hpp>

#include <csignal>
#include <thread>

using namespace tutti;
using namespace tutti::test;

namespace {

std::atomic<pid_t> heard_by{0}; // the thread that ran the handler

void hear(int) { heard_by.store(::gettid(), std::memory_order_relaxed); }

void block(int how) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    ::pthread_sigmask(how, &one, nullptr);
}

bool is_blocked_in_a_new_thread(int number) {
    bool blocked = false;
    const transport::signal_shield shield;
    std::thread([&] {
        sigset_t mask;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        blocked = sigismember(&mask, number) == 1;
    }).join();
    return blocked;
}

} // namespace

TEST_CASE("a thread started behind the shield takes no signals but those of its own faults") {
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD, SIGIO})
        CHECK(is_blocked_in_a_new_thread(number));
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) CHECK_FALSE(is_blocked_in_a_new_thread(number));
}

TEST_CASE("the shield leaves the mask of the thread that started another as it was") {
    block(SIG_BLOCK);
    { const transport::signal_shield shield; }
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    CHECK(sigismember(&mask, SIGUSR1) == 1);
    CHECK(sigismember(&mask, SIGUSR2) == 0);
    block(SIG_UNBLOCK);
}

TEST_CASE("a signal that the program's threads block waits for them: no thread of the library takes it") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        const world_of_processes world{transport::tcp{identity(rank, 2, at)}, progress::by_waiters};
        int x = 1;
        world.allreduce(std::span(&x, 1), sum);
        if (rank == 1) std::this_thread::sleep_for(50ms);
        world.async().barrier().wait(); // rank 0's begins the library's thread
        std::signal(SIGUSR1, hear);
        block(SIG_BLOCK);
        ::kill(::getpid(), SIGUSR1);
        std::this_thread::sleep_for(50ms);
        expect(heard_by == 0, "the library's thread and rank 0's rendezvous leave signals alone");
        block(SIG_UNBLOCK);
        expect(heard_by == ::getpid(), "the handler runs in the program's own thread");
        world.allreduce(std::span(&x, 1), sum);
        expect(x == 4, "a signal disturbs no call");
    });
    check_ended(ranks);
}
