// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "rendezvous_thread.hpp"

#include "../../base/linkage.hpp"
#include "../contract/signal_shield.hpp"
#include "../sockets/shared_listener.hpp"
#include "rendezvous_server.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

namespace detail {

/// Where the host does not have the address, that is an error unless it is `dispensable`.
TUTTI_COLD inline std::shared_ptr<shared_listener> listen_for_ranks(const address& a, bool any_port, bool dispensable) {
    if (a.port() == 0 && !any_port) bootstrap_failed("rank 0 cannot listen at port 0: the others could not find it");
    auto found = shared_listener::at(a);
    if (!found && !(dispensable && (errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT)))
        bootstrap_failed("rank 0 cannot listen at " + a.text() + ": " + reason_in_words(errno),
                         "TUTTI_ADDRESS must be a free port on an address of rank 0's host");
    return found;
}

} // namespace detail

struct rendezvous_thread::served {
    served(int size, const secret& key, const std::string& place, const settings& how)
        : server(size, key, place, how) {}
    rendezvous_server server;
    std::thread thread;
};

TUTTI_COLD TUTTI_APART auto rendezvous_thread::listen(const std::vector<address>& where, bool any_port) -> listeners {
    listeners out;
    for (const auto& a : where) {
        auto l = detail::listen_for_ranks(a, any_port, &a != &where.back() || !out.empty());
        if (l && std::ranges::find(out, l) == out.end()) out.push_back(std::move(l));
    }
    if (out.empty()) bootstrap_failed("rank 0 has no address to listen at");
    return out;
}

TUTTI_COLD TUTTI_APART rendezvous_thread::rendezvous_thread(int size, const std::vector<address>& where,
                                                            const secret& key, const settings& how)
    : rendezvous_thread(size, listen(where, how.any_port), key, how) {}

TUTTI_COLD TUTTI_APART rendezvous_thread::rendezvous_thread(int size, listeners at, const secret& key,
                                                            const settings& how, descriptor zero)
    : bound_(at.empty() ? address() : local_address(at.front()->get())) {
    constexpr std::size_t own_descriptors_needed = 16; // beside one for each rank
    const auto needed = static_cast<std::size_t>(size) + own_descriptors_needed;
    const bool fits = make_room_for_descriptors(needed);
    try {
        served_ = std::make_unique<served>(size, key, bound_.text(), how);
        served_->server.open(std::move(at), std::move(zero));
    } catch (const std::system_error& e) {
        bootstrap_failed("rank 0 cannot host the rendezvous: " + reason_in_words(e.code().value()));
    }
    if (!fits)
        served_->server.run_out("it needs " + std::to_string(needed) + " file descriptors and may have " +
                                std::to_string(descriptor_limit::now().soft) + ": raise the hard limit (ulimit -Hn)");
    const signal_shield none_on_the_thread;
    served_->thread = std::thread([&s = served_->server] {
        try {
            s.serve();
        } catch (const error&) {
            if (detail::use_of_openssl::usable()) throw;
            // The process exits, OpenSSL has ended, and no more can be said: the others see that rank 0 has gone.
        }
    });
}

TUTTI_COLD TUTTI_APART rendezvous_thread::~rendezvous_thread() {
    served_->server.stop();
    served_->thread.join();
}

} // namespace tutti::transport::bootstrap
