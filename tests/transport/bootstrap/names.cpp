// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Names of hosts where the resolver does not answer: this program has one of its own.
#include <transport/join/names.hpp>

#include "meeting.hpp"
#include "support/catch.hpp"

#include <dlfcn.h>

#include <atomic>

using namespace meeting;

namespace {

constexpr auto slowness = 700ms;
std::atomic<int> asked{0}, answered{0};

} // namespace

extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
    using resolver = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<resolver>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    if (host != std::string("slow.test")) return real(host, service, hints, found);
    ++asked;
    std::this_thread::sleep_for(slowness);
    const int failed = real("127.0.0.1", service, hints, found);
    ++answered;
    return failed;
}

TEST_CASE("a name that the resolver takes long for is unknown when the time is up, and the answer harms nobody then") {
    std::string why;
    const auto begin = clock::now();
    CHECK(resolve("slow.test", 7, why, begin + 50ms).empty());
    CHECK(clock::now() - begin < slowness);
    CHECK_FALSE(why.empty());
    CHECK(full_name_of("slow.test", clock::now() + 50ms) == "slow.test");
    for (const auto end = clock::now() + 20s; answered < 2 && clock::now() < end;) std::this_thread::sleep_for(5ms);
    CHECK(asked == 2);
    CHECK(answered == 2);
    REQUIRE(resolve("slow.test", 7, why, clock::now() + 20s).size() == 1);
    CHECK(resolve("slow.test", 7, why, clock::now() + 20s).front().text() == "127.0.0.1:7");
}

TEST_CASE("a rank gives up at its deadline where the rendezvous' name is not known by then") {
    identity me;
    me.rank = 1, me.size = 2;
    me.rendezvous = {"slow.test", 7};
    me.timeout = 100ms;
    const auto begin = clock::now();
    const auto told = attempt([&] { const control c(me); });
    CHECK(clock::now() - begin < slowness);
    CHECK(has(told.value_or(""), "rank 1 could not reach the rendezvous of rank 0 at slow.test:7 within 0.1 s: "));
    for (const auto end = clock::now() + 20s; asked != answered && clock::now() < end;)
        std::this_thread::sleep_for(5ms);
}

TEST_CASE("a literal address is no question to the resolver") {
    const int before = asked;
    std::string why;
    CHECK(resolve("127.0.0.1", 9, why, clock::now()).front().text() == "127.0.0.1:9");
    CHECK(resolve("::1", 9, why, clock::now()).front().text() == "[::1]:9");
    CHECK(asked == before);
}
