// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../../base/own_process.hpp"
#include "errors.hpp"

#include <openssl/crypto.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace tutti::transport::bootstrap {

namespace detail {

/// Held by a thread while it uses OpenSSL, which does not end meanwhile. Where the program has initialised OpenSSL
/// before the library, it ends in an exit handler, while other threads of the library may still run.
class TUTTI_SHARED use_of_openssl {
public:
    static constexpr const char* has_ended = "this process exits, and OpenSSL has ended before the world";

    use_of_openssl() noexcept {
        if (depth == 0) {
            users.fetch_add(1); // sequentially consistent with end(): either sees the other
            if (ended) {
                users.fetch_sub(1);
                return;
            }
        }
        ++depth;
        lasts_ = true;
    }
    use_of_openssl(const use_of_openssl&) = delete;
    use_of_openssl& operator=(const use_of_openssl&) = delete;
    ~use_of_openssl() {
        if (lasts_ && --depth == 0) users.fetch_sub(1);
    }
    /// OpenSSL has not ended, and does not before this use does.
    [[nodiscard]] bool lasts() const noexcept { return lasts_; }

    /// OpenSSL has not ended; it may at any time.
    [[nodiscard]] static bool usable() noexcept { return !ended; }

    /// No use begins from now on. Waits for those that there are, for a bounded time. In an exit handler.
    static void end(const tutti::detail::own_process& maker) noexcept {
        ended = true;
        if (!maker.is_this()) return; // a child has no thread that would end them
        const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        while (users != 0 && std::chrono::steady_clock::now() < last)
            std::this_thread::sleep_for(std::chrono::microseconds(100));
    }

private:
    // Any thread counts itself in and out of `users`; the exit handler alone writes `ended`, and once.
    static inline thread_local int depth = 0; // of uses within uses
    static inline std::atomic<int> users{0};
    static inline std::atomic<bool> ended{false};
    bool lasts_ = false;
};

/// OpenSSL lasts as long as the process, so that destructors of static objects and exit handlers may still call; unless
/// the program has initialised it before the library: then all that needs it fails once it has ended.
class TUTTI_SHARED crypto {
public:
    /// Never destroyed, since static objects may own connections. Throws a bootstrap error once OpenSSL has gone.
    TUTTI_COLD static crypto& get(const use_of_openssl& held) {
        static crypto& only = *new crypto;
        if (!held.lasts()) fail_by_end();
        return only;
    }

private:
    TUTTI_COLD crypto() {
        static const tutti::detail::own_process maker;
        if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr) != 1 ||
            OPENSSL_atexit([] { use_of_openssl::end(maker); }) != 1)
            fail_by_end(); // OpenSSL makes nothing once it has ended
    }

    [[noreturn]] static void fail_by_end() {
        bootstrap_failed(use_of_openssl::has_ended,
                         "end the world in main, or make it before the program uses OpenSSL");
    }
};

} // namespace detail

} // namespace tutti::transport::bootstrap
