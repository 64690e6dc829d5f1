// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

#include <openssl/crypto.h>

#include <cstdlib>
#include <optional>

using namespace tutti;
using namespace tutti::test;

namespace {

std::optional<world_of_processes> world; // outlives the exit handlers that the ranks register
account* own = nullptr;

/// A rank's last call, in an exit handler; `prepare` is called between its registration and the world's beginning.
template <class Prepare>
void end_with_a_call(processes& ranks, bool encrypted, bool warm, const Prepare& prepare) {
    const reserved_port at;
    for (int r = 0; r < 3; ++r)
        ranks.start([&](int rank, account& mine) {
            own = &mine;
            std::atexit([] {
                fails(*own, [] { world->barrier(); });
                world.reset();
                std::_Exit(0); // not the handlers of the test
            });
            prepare();
            auto who = identity(rank, 3, at);
            who.encrypt = encrypted;
            // A rank that has not yet been told that all have come finds rank 0 gone.
            if (fails(mine, [&] { world.emplace(transport::tcp{std::move(who)}); })) std::_Exit(0);
            world->default_deadline(deadline);
            if (warm && fails(mine, [] { world->barrier(); })) std::_Exit(0); // one has ended by such an error
            std::exit(0);
        });
    check_ended(ranks);
}

} // namespace

TEST_CASE("a call in an exit handler completes") {
    for (const bool encrypted : {false, true})
        for (const bool warm : {false, true}) {
            CAPTURE(encrypted, warm);
            processes ranks;
            end_with_a_call(ranks, encrypted, warm, [] {});
            for (int r = 0; r < 3; ++r) {
                INFO(ranks.of(r).error[0].message.str());
                CHECK(ranks.of(r).calls == (warm ? 3 : 2)); // the world was made, and the calls
            }
        }
}

TEST_CASE("where the program's OpenSSL has ended, a call in an exit handler says so") {
    for (const bool encrypted : {false, true})
        for (const bool warm : {false, true}) {
            CAPTURE(encrypted, warm);
            processes ranks;
            end_with_a_call(ranks, encrypted, warm,
                            [] { OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr); });
            for (int r = 0; r < 3; ++r) {
                const auto& a = ranks.of(r);
                if (a.errors == 0 && !encrypted) continue; // its connections had all been made
                REQUIRE(a.errors == 1);
                INFO(a.error[0].message.str());
                const auto has = [&](const char* text) {
                    return a.error[0].message.str().find(text) != std::string::npos;
                };
                CHECK((a.error[0].why == cause::lost_peer || // of one that has ended by such an error
                       has("exits") || (!warm && r > 0 && has("went away"))));
                if (has("exits")) CHECK(a.error[0].peer == (a.error[0].why == cause::lost_peer ? r : -1));
            }
        }
}

TEST_CASE("where the program's OpenSSL has ended, a rank's own exit is not another's fault") {
    for (const int exiting : {0, 2}) {
        CAPTURE(exiting);
        const reserved_port at;
        processes ranks(3, [&](int rank, account& mine) {
            own = &mine;
            if (rank == exiting) {
                std::atexit([] {
                    fails(*own, [] { world->barrier(); });
                    std::_Exit(0);
                });
                OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr);
            }
            world.emplace(transport::tcp{identity(rank, 3, at)});
            world->default_deadline(deadline);
            world->barrier();
            if (rank == exiting) std::exit(0);
            std::this_thread::sleep_for(300ms); // so that the one that exits waits, and looks around
            fails(mine, [] { world->barrier(); });
            std::_Exit(0);
        });
        check_ended(ranks);
        const auto& e = ranks.of(exiting).error[0];
        INFO(e.message.str());
        REQUIRE(ranks.of(exiting).errors == 1);
        CHECK(e.peer == exiting);
        CHECK(e.message.str().find("this process exits") != std::string::npos);
        CHECK(e.message.str().find("end the world in main") != std::string::npos);
    }
}

TEST_CASE("a world that is made after OpenSSL has ended is refused") {
    const reserved_port at;
    processes ranks(1, [&](int, account& mine) { // of two: the other would wait for it
        OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr);
        OPENSSL_cleanup();
        expect(fails(mine, [&] { world.emplace(transport::tcp{identity(0, 2, at)}); }), "there is no world");
        std::_Exit(0);
    });
    check_ended(ranks);
    INFO(ranks.of(0).error[0].message.str());
    CHECK(ranks.of(0).error[0].why == cause::bootstrap);
    CHECK(ranks.of(0).error[0].message.str().find("this process exits") != std::string::npos);
}
