// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "socket_options.hpp"

#include "../contract/transport.hpp"
#include "../sockets/address.hpp"
#include "../sockets/errors.hpp"
#include "../sockets/handshake.hpp"
#include "../sockets/jitter.hpp"
#include "../sockets/proven_socket.hpp"
#include "../sockets/watched_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
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
    /// New guests, before others have the time to prove themselves.
    static constexpr int at_once = 32;
    /// Without descriptors for new connections the port is not looked at for so long.
    static constexpr std::chrono::milliseconds pause{100};
    /// No more than half of those that there is room for come in so long: time enough for a proof, mostly.
    static constexpr std::chrono::milliseconds breath{10};
    using welcome = std::function<void(bootstrap::proven_socket&&, const bootstrap::hello&)>;

    /// A socket that listens, on the first free port of a range, or on one that the kernel chooses. Throws a bootstrap
    /// error.
    [[nodiscard]] static socket open(const bootstrap::address& where, bootstrap::port_range ports) {
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

    /// Who comes waits until begin(). The context does nothing more when the listener has gone. `timeout`: for a proof.
    TUTTI_COLD listener(bootstrap::asio::io_context& in, socket listening,
                        std::chrono::milliseconds timeout = std::chrono::seconds{5})
        : in_(in), port_(std::move(listening)), place_(bootstrap::place_of(bootstrap::local_address(port_.get()))),
          timeout_(timeout), pause_(in), limit_(in) {}
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return place_.port; }
    /// The resource that this process lacks for new connections, with the limit and the remedy; empty while it lacks
    /// none.
    [[nodiscard]] const std::optional<std::string>& shortage() const noexcept { return shortage_; }

    /// Accepted connections are handed to `use`.
    TUTTI_COLD void begin(const bootstrap::secret& s, bootstrap::hello_rules rules, welcome use) {
        key_ = s;
        rules_ = std::move(rules);
        rules_.at = place_;
        use_ = std::move(use);
        waits_ = std::make_shared<bootstrap::watched_socket>(in_, port_.get());
        bootstrap::begin(in_, let_in());
    }

private:
    struct guest {
        guest(bootstrap::asio::io_context& in, socket&& s, bootstrap::handshake&& h)
            : connected(std::move(s)), talk(std::move(h)),
              waits(std::make_shared<bootstrap::watched_socket>(in, connected.get())) {}
        ~guest() { waits->ignore(); }
        socket connected;
        bootstrap::handshake talk;
        std::shared_ptr<bootstrap::watched_socket> waits;
    };

    TUTTI_COLD bootstrap::task<> let_in() {
        for (int starved = 0;;) {
            try {
                if (deaf_until_ <= clock::now()) {
                    co_await waits_->readable();
                    admit(clock::now());
                } else {
                    pause_.expires_at(deaf_until_);
                    co_await pause_.async_wait(bootstrap::in_task);
                }
                starved = 0;
            } catch (const std::bad_alloc&) { // who comes is asked again
                if (++starved > bootstrap::most_starved) throw;
                deaf_until_ = clock::now() + pause;
            }
        }
    }
    TUTTI_COLD void admit(clock::time_point now) {
        if (now - breath_began_ >= breath) {
            breath_began_ = now;
            came_ = 0;
        }
        if (guests_.size() <= room_ / 2) room_ = least_guests + static_cast<std::size_t>(std::max(rules_.size, 0));
        bool made_room = false; // for the next, and in vain if there is still none
        for (int i = 0; i < at_once && deaf_until_ <= now; ++i) {
            auto arrived = bootstrap::accept_from(port_.get());
            const int why = errno;
            if (!arrived && bootstrap::is_for_now(why)) break;
            if (!arrived && why == ECONNABORTED) continue;
            auto lack = arrived ? std::nullopt : bootstrap::shortage_in_words(why);
            made_room = lack && !made_room && drop_one();
            if (made_room) continue;
            shortage_ = std::move(lack);
            if (!arrived) deaf_until_ = now + pause;
            if (!arrived) continue;
            // Descriptors that the process needs itself are not given to strangers.
            if (!bootstrap::can_spare_descriptors(arrived.get()))
                room_ = std::min(room_, std::max(bootstrap::few_strangers, guests_.size()));
            if (guests_.size() >= room_) drop_one();
            take_in(std::move(arrived));
            if (++came_ > room_ / 2) deaf_until_ = std::max(deaf_until_, breath_began_ + breath);
        }
    }
    /// A rank has greeted by now, if not proven itself. It must not be taken for one of the silent when the next makes
    /// room.
    TUTTI_COLD void take_in(socket&& arrived) {
        try {
            tune(arrived);
            auto g = std::make_shared<guest>(in_, std::move(arrived), bootstrap::handshake::accepting(key_, rules_));
            std::string why;
            if (bootstrap::shake(g->connected.get(), g->talk, why) == bootstrap::shaking::over && !g->talk.accepted())
                return;
            guests_.push_back(g);
            bootstrap::begin(in_, prove(g));
        } catch (const std::exception&) { // no memory: this connection ends
        }
    }
    TUTTI_COLD bootstrap::task<> prove(std::shared_ptr<guest> g) {
        g->waits->ignore_after(timeout_);
        try {
            co_await bootstrap::shake_hands(*g->waits, g->talk, &limit_);
        } catch (const std::bad_alloc&) { // this connection ends
        }
        std::erase(guests_, g);
        if (!g->talk.accepted() || !g->waits->is_watched()) co_return;
        g->waits->ignore();
        use_({std::move(g->connected), g->talk.release()}, g->talk.theirs());
    }
    /// Makes room for a new guest; false if there is none.
    TUTTI_COLD bool drop_one() {
        if (guests_.empty()) return false;
        auto one = std::ranges::find_if(guests_, [](const auto& g) { return !g->talk.greeted(); });
        if (one == guests_.end()) one = guests_.begin() + static_cast<std::ptrdiff_t>(random_.below(guests_.size()));
        (*one)->waits->ignore();
        (*one)->connected.reset();
        guests_.erase(one);
        return true;
    }

    bootstrap::asio::io_context& in_;
    socket port_;
    bootstrap::place place_; // that connections must want
    std::chrono::milliseconds timeout_;
    bootstrap::timer pause_;
    bootstrap::handshake_limit limit_;
    std::shared_ptr<bootstrap::watched_socket> waits_;
    bootstrap::secret key_;
    bootstrap::hello_rules rules_;
    welcome use_;
    std::vector<std::shared_ptr<guest>> guests_; // that have proven nothing; the oldest first
    clock::time_point breath_began_{};
    std::size_t came_ = 0;            // in this breath
    std::size_t room_ = least_guests; // no more than there were when descriptors lacked, until half are gone
    bootstrap::jitter random_;
    clock::time_point deaf_until_ = clock::time_point::min();
    std::optional<std::string> shortage_;
};

} // namespace tutti::transport::detail::connections
