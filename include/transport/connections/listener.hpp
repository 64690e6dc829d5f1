// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "introduction.hpp"

#include "../contract/transport.hpp"
#include "../sockets/address.hpp"
#include "../sockets/errors.hpp"
#include "../sockets/handshake.hpp"
#include "../sockets/jitter.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::detail::connections {

/// This rank's data port: accepts connections that prove the secret. Strangers, slow and silent ones cost only their
/// own connection: unproven ones are bounded in number, and none may take longer than the deadline.
///
/// When there are too many, the oldest silent one is dropped first, and only then a random one of those that have sent
/// a whole greeting. A rank greets at once, so a flood of silent connections never drops one. Among strangers that
/// greet too, a rank is dropped as seldom as any, and comes again.
class listener {
public:
    static constexpr std::size_t least_guests = 512; ///< at a time, and as many more as there are ranks
    static constexpr std::chrono::seconds timeout{5};
    /// New guests a step, so that a flood of strangers leaves others the time to prove themselves.
    static constexpr int at_once = 32;
    /// Without descriptors for new connections the port is not looked at for so long.
    static constexpr std::chrono::milliseconds pause{100};
    /// No more than half of those that there is room for come in so long: time enough for a proof, mostly.
    static constexpr std::chrono::milliseconds breath{10};

    /// Listens at once, on the first free port of a range, or on one that the kernel chooses.
    /// Throws a bootstrap error.
    explicit listener(const bootstrap::address& where, bootstrap::port_range ports = {})
        : port_(open(where, ports)), place_(bootstrap::place_of(bootstrap::local_address(port_.get()))) {}

    /// Listens nowhere: nobody will come.
    listener() : deaf_until_(clock::time_point::max()) {}

    [[nodiscard]] std::uint16_t port() const noexcept { return place_.port; }
    [[nodiscard]] int descriptor() const noexcept { return port_.get(); }

    /// Takes in new connections, goes on with the pending ones, and hands accepted ones to
    /// `welcome(bootstrap::proven_socket&&, const bootstrap::hello&)`. True if anything moved.
    template <class Welcome>
    bool step(const bootstrap::secret& s, bootstrap::hello_rules rules, clock::time_point now, Welcome&& welcome) {
        rules.at = place_;
        bool moved = accept(s, rules, now, welcome);
        look();
        for (auto each = silent_.begin(); each != silent_.end();) {
            const auto next = std::next(each);
            moved |= attend(*each, welcome);
            if (is_over(*each, now))
                silent_.erase(each);
            else if (each->talk.greeted())
                greeted_.splice(greeted_.end(), silent_, each);
            each = next;
        }
        for (auto each = greeted_.begin(); each != greeted_.end();) {
            moved |= attend(*each, welcome);
            each = is_over(*each, now) ? greeted_.erase(each) : std::next(each);
        }
        return moved;
    }

    /// Calls `use(descriptor, events)` for whatever may wake it.
    template <class Use>
    void descriptors(clock::time_point now, Use&& use) {
        if (deaf_until_ <= now) use(descriptor(), POLLIN);
        for (auto* pending : {&silent_, &greeted_})
            for (pending_connection& g : *pending) use(g.talk.descriptor(), g.talk.events());
    }

    /// When step() is needed though nothing came.
    [[nodiscard]] clock::time_point due(clock::time_point now) const {
        auto first = deaf_until_ > now ? deaf_until_ : clock::time_point::max();
        for (const auto* pending : {&silent_, &greeted_})
            if (!pending->empty()) first = std::min(first, pending->front().until);
        return first;
    }

    /// Why no connection can be taken in, with the remedy: this process lacks a resource. Empty while it does not.
    [[nodiscard]] const std::optional<std::string>& shortage() const noexcept { return shortage_; }

private:
    struct pending_connection {
        introduction talk;
        clock::time_point until;
        bool ready = true;
        bool welcomed = false; ///< and its socket handed over, even if that threw
    };

    static socket open(const bootstrap::address& where, bootstrap::port_range ports) {
        socket s = bootstrap::listen_on(where, ports);
        if (s) return s;
        const int why = errno;
        const auto lack = bootstrap::shortage_in_words(why);
        if (lack) bootstrap::bootstrap_failed("this rank cannot listen for data: " + *lack);
        if (why == EADDRINUSE && ports.last != 0)
            bootstrap::bootstrap_failed("all ports of TUTTI_PORTS=" + ports.text() + " are in use at " + where.host(),
                                        "TUTTI_PORTS needs a port for each rank of this host and each world it holds");
        const auto range = ports.last == 0 ? std::string() : ", ports " + ports.text() + " of TUTTI_PORTS";
        bootstrap::bootstrap_failed("cannot listen for data at " + where.host() + range + ": " +
                                        bootstrap::words_of_errno(why),
                                    "TUTTI_INTERFACE chooses another address, TUTTI_PORTS other ports");
    }

    template <class Welcome>
    bool accept(const bootstrap::secret& s, const bootstrap::hello_rules& rules, clock::time_point now,
                Welcome&& welcome) {
        bool any = false;
        const std::size_t most = least_guests + static_cast<std::size_t>(std::max(rules.size, 0));
        if (now - breath_began_ >= breath) {
            breath_began_ = now;
            came_ = 0;
            room_ = most;
        }
        bool made_room = false; // for the next, and in vain if there is still none
        for (int i = 0; i < at_once && deaf_until_ <= now; ++i) {
            auto arrived = bootstrap::accept_any(descriptor());
            const int why = errno;
            if (!arrived && bootstrap::is_for_now(why)) break;
            if (!arrived && why == ECONNABORTED) continue;
            auto lack = arrived ? std::nullopt : bootstrap::shortage_in_words(why);
            made_room = lack && !made_room && drop_one();
            if (made_room) continue;
            shortage_ = std::move(lack);
            if (!arrived) deaf_until_ = now + pause;
            if (!arrived) continue;
            tune(arrived);
            // Descriptors that the process needs itself are not given to strangers.
            if (!bootstrap::can_spare_descriptors(arrived.get())) room_ = std::min(room_, pending_connections());
            if (pending_connections() >= room_) drop_one();
            silent_.push_back(
                {introduction(std::move(arrived), bootstrap::handshake::accepting(s, rules)), now + timeout});
            // A rank has greeted by now, if not proven itself. It must not be taken for one of the silent when the
            // next makes room.
            const auto newest = std::prev(silent_.end());
            attend(*newest, welcome);
            if (is_over(*newest, now))
                silent_.erase(newest);
            else if (newest->talk.greeted())
                greeted_.splice(greeted_.end(), silent_, newest);
            if (++came_ > room_ / 2) deaf_until_ = std::max(deaf_until_, breath_began_ + breath);
            any = true;
        }
        return any;
    }

    [[nodiscard]] std::size_t pending_connections() const noexcept { return silent_.size() + greeted_.size(); }

    /// Makes room for a new guest; false if there is none.
    bool drop_one() {
        if (!silent_.empty()) {
            silent_.pop_front();
            return true;
        }
        if (greeted_.empty()) return false;
        greeted_.erase(std::next(greeted_.begin(), static_cast<std::ptrdiff_t>(random_.below(greeted_.size()))));
        return true;
    }

    /// Finds out in one system call which connections have data.
    void look() {
        polled_.clear();
        for (auto* pending : {&silent_, &greeted_})
            for (pending_connection& g : *pending) polled_.push_back({g.talk.descriptor(), g.talk.events(), 0});
        if (polled_.empty()) return;
        ::poll(polled_.data(), polled_.size(), 0);
        auto at = polled_.cbegin();
        for (auto* pending : {&silent_, &greeted_})
            for (pending_connection& g : *pending) g.ready = (at++)->revents != 0;
    }
    template <class Welcome>
    bool attend(pending_connection& g, Welcome&& welcome) {
        const bool moved = g.ready && g.talk.step();
        if (g.talk.accepted() && !std::exchange(g.welcomed, true)) welcome(g.talk.release(), g.talk.theirs());
        return moved;
    }
    [[nodiscard]] static bool is_over(const pending_connection& g, clock::time_point now) {
        return g.talk.accepted() || g.talk.failed() || g.until <= now;
    }

    socket port_;
    bootstrap::place place_;                // that connections must want
    std::list<pending_connection> silent_;  // have not said a whole greeting; the oldest first
    std::list<pending_connection> greeted_; // are proving themselves
    clock::time_point breath_began_{};
    std::size_t came_ = 0; // in this breath
    std::size_t room_ = least_guests;
    std::vector<pollfd> polled_;
    bootstrap::jitter random_;
    clock::time_point deaf_until_ = clock::time_point::min();
    std::optional<std::string> shortage_;
};

} // namespace tutti::transport::detail::connections
