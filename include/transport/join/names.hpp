// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/signal_shield.hpp"
#include "../contract/transport.hpp"
#include "../sockets/address.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <netdb.h>
#include <sys/socket.h>

/// Names of hosts, by the system's resolver. It may take as long as it likes: it runs in a thread of its own, which is
/// left to itself when the time is up, and then touches nothing but what it has alone.
namespace tutti::transport::bootstrap {

inline constexpr std::chrono::seconds longest_look_up{10}; ///< where nothing else bounds it

namespace detail {

struct looked_up {
    int failed = EAI_AGAIN; ///< 0, or an error of getaddrinfo(3)
    std::shared_ptr<const addrinfo> found;
};

TUTTI_COLD [[nodiscard]] inline looked_up look_up_now(const std::string& host, int flags) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo* found = nullptr;
    looked_up out;
    out.failed = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (out.failed == 0) out.found = {found, &::freeaddrinfo};
    return out;
}

TUTTI_COLD [[nodiscard]] inline looked_up look_up(const std::string& host, int flags, clock::time_point until) {
    struct shared {
        std::mutex mutex;
        std::condition_variable over;
        bool is_over = false;
        looked_up result;
    };
    const auto both = std::make_shared<shared>();
    try {
        const signal_shield none_on_the_thread;
        std::thread([both, host, flags] {
            auto result = look_up_now(host, flags);
            const std::lock_guard lock(both->mutex);
            both->result = std::move(result);
            both->is_over = true;
            both->over.notify_one();
        }).detach();
    } catch (const std::system_error&) { // no thread can be had
        return look_up_now(host, flags);
    }
    std::unique_lock lock(both->mutex);
    both->over.wait_until(lock, until, [&] { return both->is_over; });
    return both->result;
}

} // namespace detail

/// The addresses of a host name or literal, each once; empty, with `why`, if there are none or the time is up.
TUTTI_COLD [[nodiscard]] inline std::vector<address> resolve(const std::string& host, std::uint16_t port,
                                                             std::string& why, clock::time_point until) {
    if (const auto literal = address::literal(host, port)) return {*literal};
    const auto all = detail::look_up(host, 0, until);
    std::vector<address> out;
    if (all.failed) why = ::gai_strerror(all.failed);
    for (const auto* a = all.found.get(); a; a = a->ai_next) {
        if (a->ai_family != AF_INET && a->ai_family != AF_INET6) continue;
        address next(a->ai_addr, a->ai_addrlen);
        next.set_port(port);
        if (std::find(out.begin(), out.end(), next) == out.end()) out.push_back(next);
    }
    if (out.empty() && why.empty()) why = "it has no IPv4 or IPv6 address";
    return out;
}

/// The name with its domain, as the resolver knows it; without one where it knows none in time.
TUTTI_COLD [[nodiscard]] inline std::string full_name_of(const std::string& host, clock::time_point until) {
    const auto all = detail::look_up(host, AI_CANONNAME, until);
    return all.found && all.found->ai_canonname ? all.found->ai_canonname : host;
}

} // namespace tutti::transport::bootstrap
