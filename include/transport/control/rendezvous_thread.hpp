// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/signal_shield.hpp"
#include "../sockets/shared_listener.hpp"
#include "../sockets/socket.hpp"
#include "rendezvous_server.hpp"
#include "status/desk.hpp"
#include "stderr_writer.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// Where all ranks meet and where the coordinator is kept: run by rank 0 in one thread of its own, which sleeps in
/// poll(2) and is on no data path. Rank 0 itself talks to it like any other rank, over a connection of its own.
///
/// Destroying it does not leave the others without a control plane at once: it goes on serving until every rank has
/// left, is lost, or was waited for in vain: for `linger`, and for as long as ranks that are leaving by then stay. Rank
/// 0 says `left` on its own connection before.
class rendezvous_thread {
public:
    struct settings {
        std::chrono::milliseconds timeout{60'000}; ///< for all ranks to come
        std::chrono::milliseconds linger{2'000};
        bool any_port = false;  ///< allow port 0: the system picks one, see bound()
        bool encrypted = false; ///< rank 0 encrypts its data; the others must too, or all do not
    };

    using listeners = std::vector<std::shared_ptr<shared_listener>>;

    /// Listens at all of `where`. Of several addresses those that this host does not have are passed over: a name may
    /// mean more than the host was given. Throws a bootstrap error if it cannot.
    TUTTI_COLD [[nodiscard]] static listeners listen(const std::vector<address>& where, bool any_port) {
        listeners out;
        for (const auto& a : where)
            if (auto l = listen(a, any_port, &a != &where.back() || !out.empty())) out.push_back(std::move(l));
        if (out.empty()) bootstrap_failed("rank 0 has no address to listen at");
        return out;
    }

    /// Listens at all of `where`, and starts the thread.
    rendezvous_thread(int size, const std::vector<address>& where, const secret& key, const settings& how)
        : rendezvous_thread(size, listen(where, how.any_port), key, how) {}

    /// The same with sockets that listen already, none for a world of one rank, and the other end of rank 0's own
    /// connection.
    TUTTI_COLD rendezvous_thread(int size, listeners listening, const secret& key, const settings& how,
                                 descriptor zero = {})
        : linger_(how.linger), wake_(opened_within_limit([] { return ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); })),
          listeners_(std::move(listening)) {
        if (!wake_) bootstrap_failed("rank 0 cannot make an eventfd: " + reason_in_words(errno));
        if (!listeners_.empty()) bound_ = local_address(listeners_.front()->get());
        const auto needed = static_cast<std::size_t>(size) + own_descriptors_needed;
        const bool fits = make_room_for_descriptors(needed);
        rendezvous_server server(size, key, bound_.text(), how.timeout, clock::now(), how.encrypted);
        if (!fits)
            server.run_out("it needs " + std::to_string(needed) + " file descriptors and may have " +
                           std::to_string(descriptor_limit::now().soft) + ": raise the hard limit (ulimit -Hn)");
        zero_proves_ = static_cast<bool>(zero);
        const signal_shield none_on_the_thread;
        thread_ = std::thread([this, d = std::move(server), z = std::move(zero)]() mutable {
            if (z) d.welcome(std::move(z), clock::now());
            serve(d);
        });
    }

    rendezvous_thread(const rendezvous_thread&) = delete;
    rendezvous_thread& operator=(const rendezvous_thread&) = delete;

    TUTTI_COLD ~rendezvous_thread() {
        // The flag orders nothing but itself: the thread shares no other data that changes, and is joined below.
        stopping_.store(true, std::memory_order_relaxed);
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto n = ::write(wake_.get(), &one, sizeof one);
        thread_.join();
    }

    /// The first address that it listens at, with the real port.
    [[nodiscard]] const address& bound() const noexcept { return bound_; }

private:
    static constexpr std::chrono::milliseconds farewell{
        1'000}; // to send the reason of a failure to all ranks that come
    static constexpr std::chrono::milliseconds accept_pause{100}; // when the process has no file descriptor to spare
    static constexpr std::size_t own_descriptors_needed = 16;     // beside one for each rank

    /// Where the host does not have the address, that is an error unless it is `dispensable`.
    TUTTI_COLD static std::shared_ptr<shared_listener> listen(const address& a, bool any_port, bool dispensable) {
        if (a.port() == 0 && !any_port)
            bootstrap_failed("rank 0 cannot listen at port 0: the others could not find it");
        auto found = shared_listener::at(a);
        if (!found && !(dispensable && (errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT)))
            bootstrap_failed("rank 0 cannot listen at " + a.text() + ": " + words_of_errno(errno),
                             "TUTTI_ADDRESS must be a free port on an address of rank 0's host");
        return found;
    }

    TUTTI_COLD void serve(rendezvous_server& server) {
        for (const auto& l : listeners_) l->enter(wake_.get());
        try {
            serve_until_done(server);
        } catch (const error&) {
            if (detail::use_of_openssl::usable()) throw;
            // The process exits, OpenSSL has ended, and no more can be said: the others see that rank 0 has gone.
        }
        for (const auto& l : listeners_) l->leave(wake_.get());
        listeners_.clear(); // later connections are refused by the system, not left waiting
        if (server.given_up()) server.tell_rank_zero();
        stderr_.finish(farewell);
    }

    TUTTI_COLD void serve_until_done(rendezvous_server& server) {
        auto end = clock::time_point::max();
        bool farewell_begun = false;
        for (;;) {
            round(server, std::max(end, server.longest_stay()));
            const auto now = clock::now();
            const bool stopping = stopping_.load(std::memory_order_relaxed);
            if (stopping && server.assembling()) server.give_up("rank 0 stopped before all ranks had come");
            if (!farewell_begun && (stopping || server.given_up())) {
                farewell_begun = true;
                end = now + (server.given_up() ? farewell : linger_);
            }
            if (!farewell_begun) continue;
            if (now >= end && now >= server.longest_stay()) return;
            if (server.given_up() ? server.all_told() : server.empty()) return;
        }
    }

    /// Sleeps until something happens or is due, and deals with it.
    TUTTI_COLD void round(rendezvous_server& server, clock::time_point end) {
        std::vector<pollfd> ready{{wake_.get(), POLLIN, 0}};
        const auto& there = server.connections();
        zero_proves_ =
            zero_proves_ && !there.empty() && there.front()->phase() == rendezvous_connection::stage::proving;
        const bool paused = clock::now() < paused_until_;
        for (const auto& l : listeners_)
            ready.push_back({paused || zero_proves_ || !l->is_turn_of(wake_.get()) ? -1 : l->get(), POLLIN, 0});
        for (const auto& g : server.connections())
            ready.push_back({g->get(), static_cast<short>(g->wants_write() ? POLLIN | POLLOUT : POLLIN), 0});
        const std::size_t of_desk = ready.size();
        if (desk_) desk_->watch(ready);
        auto until = std::min({end, server.next_deadline(), paused ? paused_until_ : end});
        if (desk_) until = std::min(until, desk_->next());
        if (!stderr_.idle()) until = std::min(until, clock::now() + stderr_writer::pause);
        ::poll(ready.data(), ready.size(), timeout_until(until));

        const auto now = clock::now();
        if (ready[0].revents != 0) {
            std::uint64_t count = 0;
            [[maybe_unused]] const auto n = ::read(wake_.get(), &count, sizeof count);
        }
        const std::size_t known = server.connections().size();
        for (std::size_t i = 0; i < known; ++i)
            if (ready[1 + listeners_.size() + i].revents != 0) server.attend_safely(*server.connections()[i], now);
        const bool stirs = std::any_of(ready.begin() + static_cast<std::ptrdiff_t>(of_desk), ready.end(),
                                       [](const pollfd& p) { return p.revents != 0; });
        if (desk_ && (stirs || now >= desk_->next()) && desk_->attend(now)) server.begin_survey(now);
        server.settle(now);
        if (const auto report = server.survey_report(now)) desk_->answer(*report);
        if (!desk_ && server.world() != 0) desk_.emplace(server.world());
        for (const auto& sentence : server.take_news()) stderr_.say(sentence);
        stderr_.flush();
        for (std::size_t i = 0; i < listeners_.size(); ++i)
            if (ready[1 + i].revents != 0 && listeners_[i]->is_turn_of(wake_.get()))
                admit(server, listeners_[i]->get(), now);
    }

    static int timeout_until(clock::time_point until) {
        const auto now = clock::now();
        if (until <= now) return 0;
        if (until - now > std::chrono::minutes(1)) return 60'000;
        return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(until - now).count());
    }

    TUTTI_COLD void admit(rendezvous_server& server, int listener, clock::time_point now) {
        for (int i = 0; i < 64; ++i) {
            auto fd = accept_from(listener);
            const int why = errno;
            if (fd) {
                // Descriptors that the process needs itself are not given to strangers.
                if (!can_spare_descriptors(fd.get())) server.drop_oldest_stranger();
                server.welcome(std::move(fd), now);
                continue;
            }
            const auto lack = shortage_in_words(why);
            if (lack && !server.drop_oldest_stranger()) {
                paused_until_ = now + accept_pause;
                server.run_out(*lack);
            }
            if (why != ECONNABORTED) return;
        }
    }

    std::chrono::milliseconds linger_;
    stderr_writer stderr_; // the thread's alone once it runs
    descriptor wake_;
    listeners listeners_; // the list is the thread's alone once it runs
    address bound_;
    std::optional<status::desk> desk_; // likewise; there once the world is
    clock::time_point paused_until_ = clock::time_point::min();
    bool zero_proves_ = false; // likewise: strangers are let in after that, since they could crowd rank 0 out
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

} // namespace tutti::transport::bootstrap
