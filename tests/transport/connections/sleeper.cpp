// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/connections/sleeper.hpp>
#include <transport/sockets/watched_socket.hpp>

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/effort.hpp"
#include "support/has.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;
using tutti::transport::bootstrap::descriptor;
using tutti::transport::detail::connections::sleeper;
namespace bootstrap = tutti::transport::bootstrap;

namespace {

/// Two ends of a connection, of which a test awaits the first.
struct line {
    line() {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
        mine = descriptor(ends[0]), other = descriptor(ends[1]);
    }
    void say() const { REQUIRE(::write(other.get(), "x", 1) == 1); }
    void hear() const {
        char x = 0;
        REQUIRE(::read(mine.get(), &x, 1) == 1);
    }
    descriptor mine, other;
};

using what = std::vector<sleeper::awaited>;

/// How long a sleep took that may last for two seconds.
steady::duration slept(sleeper& s, const what& of, steady::duration most = 2s) {
    const auto begin = steady::now();
    s.sleep(begin + most, of);
    return steady::now() - begin;
}

} // namespace

TEST_CASE("what can be read ends a sleep, each time anew, and what was read does not", "[sleeper]") {
    sleeper s;
    const line a, b;
    const what both{{a.mine.get()}, {}, {b.mine.get()}};
    for (const line* l : {&a, &b, &a, &a, &b}) {
        CHECK(slept(s, both, 30ms) >= 30ms);
        l->say();
        CHECK(slept(s, both) < 1s);
        CHECK(slept(s, both) < 1s); // still unread
        l->hear();
    }
    CHECK(slept(s, both, 30ms) >= 30ms);
}

TEST_CASE("a descriptor is awaited for writing where that is wanted alone", "[sleeper]") {
    sleeper s;
    const line a;
    CHECK(slept(s, {{a.mine.get()}}, 30ms) >= 30ms);
    for (int i = 0; i < 3; ++i) CHECK(slept(s, {{a.mine.get(), true}}) < 1s);
    static_cast<void>(slept(s, {{a.mine.get()}}, 30ms)); // the wait that is left over ends this one
    CHECK(slept(s, {{a.mine.get()}}, 30ms) >= 30ms);
}

TEST_CASE("another descriptor may take the place of one, of the same number too", "[sleeper]") {
    sleeper s;
    auto a = std::make_unique<line>();
    const int number = a->mine.get();
    CHECK(slept(s, {{number}}, 10ms) >= 10ms);
    static_cast<void>(slept(s, {{}}, 10ms)); // its waits end, and its owner may close it
    a.reset();
    const line b;
    REQUIRE(b.mine.get() == number);
    CHECK(slept(s, {{number}}, 10ms) >= 10ms);
    b.say();
    CHECK(slept(s, {{number}}) < 1s);
    s.forget();
    CHECK(slept(s, {{number}}) < 1s);
}

TEST_CASE("a connection that ended ends every sleep", "[sleeper]") {
    sleeper s;
    line a;
    a.other.reset();
    for (int i = 0; i < 3; ++i) CHECK(slept(s, {{a.mine.get()}}) < 1s);
}

TEST_CASE("short sleeps do not burn", "[sleeper]") {
    sleeper s;
    const line a;
    for (const auto most : {0us, 20us, 300us, 999us, 1000us, 1500us}) {
        int looks = 0;
        const auto begin = steady::now();
        for (const auto until = begin + most; steady::now() < until; ++looks) s.sleep(until, what{{a.mine.get()}});
        CHECK(looks <= 25);
    }
    a.say();
    s.sleep(steady::now() + 100us, what{{a.mine.get()}});
    s.sleep(steady::time_point::min(), what{{a.mine.get()}});
}

TEST_CASE("a wake ends the sleep, or the next one, and is taken once", "[sleeper]") {
    sleeper s;
    s.wake();
    CHECK(slept(s, {}) < 1s);
    CHECK(s.take());
    CHECK_FALSE(s.take());
    CHECK(slept(s, {}, 10ms) >= 10ms);
    s.wake();
    s.look(); // does not lose it
    CHECK(slept(s, {}) < 1s);
}

TEST_CASE("no wake is lost, however it meets the sleep", "[sleeper]") {
    sleeper s;
    const line a;
    constexpr int rounds = 20'000;
    std::atomic<int> asked{0}; // by the sleeper; the waker reads it, and wakes
    std::thread waker([&] {
        for (int i = 1; i <= rounds; ++i) {
            while (asked.load(std::memory_order_acquire) < i) std::this_thread::yield();
            for (int spin = i % 97; spin > 0; --spin) static_cast<void>(asked.load(std::memory_order_relaxed));
            s.wake();
        }
    });
    int late = 0; // Asio looks by itself after a second
    for (int i = 1; i <= rounds; ++i) {
        asked.store(i, std::memory_order_release);
        const auto begin = steady::now();
        while (!s.take()) {
            if (i % 3 == 0) s.look();
            s.sleep(begin + 10s, what{{a.mine.get()}});
        }
        if (steady::now() - begin > 900ms && ++late > 3) asked.store(rounds, std::memory_order_release);
        if (late > 3) break;
    }
    waker.join();
    CHECK(late <= 3);
}

TEST_CASE("what the system refuses to await ends a sleep soon, and is no error", "[sleeper]") {
    sleeper s;
    int closed = -1;
    {
        const line gone;
        closed = gone.mine.get();
    }
    CHECK(slept(s, {{closed}}) < 1s);
    const auto in = bootstrap::made_context();
    CHECK_THROWS_AS(bootstrap::watched_socket(*in, closed), std::system_error);
}

#if !TUTTI_TEST_ADDRESS_SANITIZER // which needs descriptors to look at an exception
TEST_CASE("it raises the soft limit of descriptors where it must, and says so where it may not", "[sleeper]") {
    const auto ended = tutti::test::in_child([] {
        const auto limit = [](rlim_t soft, rlim_t hard) {
            const rlimit r{soft, hard};
            tutti::test::expect(::setrlimit(RLIMIT_NOFILE, &r) == 0, "descriptors can be limited");
        };
        const descriptor lowest(::dup(STDIN_FILENO));
        const auto few = static_cast<rlim_t>(lowest.get());
        limit(few, few + 20);
        {
            sleeper s;
            const line a;
            a.say();
            tutti::test::expect(slept(s, {{a.mine.get()}}) < 1s, "it sleeps as ever");
        }
        limit(few, few);
        try {
            const sleeper s;
        } catch (const tutti::error& e) {
            return tutti::test::has(e.what(), "this process cannot wait for events");
        }
        return false;
    });
    CHECK(ended == "");
}
#endif
