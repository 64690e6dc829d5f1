// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../connections/manager.hpp"
#include "../connections/sleeper.hpp"
#include "../contract/fabric.hpp"
#include "../control/session.hpp"
#include "backoff.hpp"
#include "fabrics.hpp"
#include "wait_set.hpp"
#include "world.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#if !defined(TUTTI_COMPILED)
void tutti_one_source_must_include_tutti_transport_network_hpp();
#endif

namespace tutti::transport::detail {

/// One rank's control plane, its fabrics, and the one place where it waits for them; stays where it is.
template <class... Described>
class world_endpoint {
    static_assert(
        (fabric<Described> && ...),
        "tutti: a member is missing in one of this world's fabrics F; static_assert(tutti::transport::fabric<F>) "
        "in your own code makes the compiler say which, and docs/own-fabric.md says what it does");
    static_assert((reaches_devices<Described> && ...) || !(reaches_devices<Described> || ...),
                  "tutti: one fabric of this world carries messages in memory of a GPU, another cannot: make that one "
                  "staged_fabric<F, cuda_runtime>, as transport::cuda_routed does with tcp's");
    static constexpr std::size_t count = sizeof...(Described);
    static constexpr bool connects = (Described::needs_sockets || ...);
    /// The only fabric has a way to sleep of its own.
    static constexpr bool sleeps_its_way =
        count == 1 && !connects && (sleeping_fabric<typename Described::fabric> && ...);

public:
    using channel = typename fabric_list<Described...>::channel;

    template <class... Limits>
    explicit world_endpoint(bootstrap::identity me, const Limits&... how) : session_(std::move(me)), fabrics_(how...) {
#if !defined(TUTTI_COMPILED)
        tutti_one_source_must_include_tutti_transport_network_hpp(); // else this name is what the linker misses
#endif
        if constexpr (!sleeps_its_way)
            fabrics_.each([](auto& f) {
                if constexpr (requires { f.sleep_by_descriptor(); }) f.sleep_by_descriptor();
            });
        auto where = session_.data_address();
        fabrics_.each([&](auto& f) {
            if constexpr (requires { f.locate(std::string()); }) f.locate(where.host());
        });
        if constexpr (connects)
            if (session_.who().size > 1) {
                sockets_.emplace(where, session_.who().ports);
                where.set_port(sockets_->port());
            }
        const auto& table = session_.join(where, fabrics_.cards());
        const auto& who = session_.who();
        ways_ = fabrics_.ways(who.rank, table);
        const auto processor = table.processor_of(who.rank);
        crowded_ = !processor;
        pause_ = backoff(crowded_, processor);
        if constexpr (!sleeps_its_way) sleeper_.emplace();
        if (sockets_) sockets_->join(*sleeper_, who.rank, who.key, table, count);
        std::uint8_t number = 0;
        fabrics_.each([&](auto& f) {
            f.join(joined_world{who.rank, number++, table, sockets_ ? &*sockets_ : nullptr});
        });
        session_.publish_page();
    }
    world_endpoint(const world_endpoint&) = delete;
    world_endpoint& operator=(const world_endpoint&) = delete;
    // Before `left` is said: a rank that hears of it may assume that all data have arrived.
    ~world_endpoint() {
        try {
            if (!leaving_) static_cast<void>(leave(clock::now() + std::chrono::seconds{1}));
        } catch (const std::exception&) { // no memory: it goes at once
        }
        if (sleeper_) sleeper_->forget();
    }

    [[nodiscard]] bootstrap::session& session() noexcept { return session_; }
    [[nodiscard]] bool crowded() const noexcept { return crowded_; }
    [[nodiscard]] status::page* status_page() noexcept { return session_.status_page(); }

    [[nodiscard]] channel& open(context k, int peer) {
        if constexpr (count == 1) {
            return *fabrics_.first().open(k, peer);
        } else {
            const auto known = channels_.find({k, peer});
            if (known != channels_.end()) return known->second;
            const std::size_t way = way_to_peer(peer);
            void* const end = fabrics_.at(way, [&](auto& f) -> void* { return f.open(k, peer); });
            return channels_.emplace(std::pair{k, peer}, channel{way, end}).first->second;
        }
    }
    void send(channel& c, transfer& x) {
        pause_.news();
        fabrics_.on(c, [&](auto& f, auto& end) { f.send(end, x); });
    }
    void receive(channel& c, transfer& x) {
        pause_.news();
        fabrics_.on(c, [&](auto& f, auto& end) { f.receive(end, x); });
    }
    [[nodiscard]] const std::byte* look(channel& c, const transfer& x) {
        return fabrics_.on(c, [&](auto& f, auto& end) -> const std::byte* {
            if constexpr (requires { f.look(end, x); }) return f.look(end, x);
            return nullptr;
        });
    }
    [[nodiscard]] bool release(channel& c) {
        return fabrics_.on(c, [&](auto& f, auto& end) {
            if constexpr (requires { f.release(end); }) return f.release(end);
            return false;
        });
    }
    [[nodiscard]] bool answer(channel& c, std::size_t offset, const std::byte* from, std::size_t bytes) {
        return fabrics_.on(c, [&](auto& f, auto& end) {
            if constexpr (requires { f.answer(end, offset, from, bytes); }) return f.answer(end, offset, from, bytes);
            return false;
        });
    }
    void close(context k) {
        fabrics_.each([&](auto& f) { f.close(k); });
        const auto first = channels_.lower_bound({k, 0});
        auto last = first;
        while (last != channels_.end() && last->first.first == k) ++last;
        channels_.erase(first, last);
    }
    [[nodiscard]] std::optional<std::string> broken(int peer) {
        return fabrics_.at(way_to_peer(peer), [&](auto& f) { return f.broken(peer); });
    }
    [[nodiscard]] peer_name name_of(int peer) {
        const auto& m = session_.table().members[static_cast<std::size_t>(peer)];
        return {m.host, fabrics_.at(way_to_peer(peer), [&](auto& f) { return f.name_of(m); }), m.group, m.global_rank};
    }
    [[nodiscard]] std::string way_to(int peer) {
        if (peer == session_.who().rank) {
            const auto& mine = session_.table().members[static_cast<std::size_t>(peer)].may_use;
            return "this rank, " + bootstrap::in_words(mine.processors, crowded_);
        }
        static constexpr std::array<const char*, count> names{Described::name...};
        const auto& m = session_.table().members[static_cast<std::size_t>(peer)];
        const std::size_t way = way_to_peer(peer);
        const auto& self = session_.table().members[static_cast<std::size_t>(session_.who().rank)];
        return fabrics_.at(way, [&](auto& f) -> std::string {
            if constexpr (requires { f.way_to(peer); }) return names[way] + (", " + f.way_to(peer));
            return names[way] + (", " + f.name_of(m));
        }) + fabrics_.why_not(self, m, way);
    }
    [[nodiscard]] culprit blamed_by(int peer) {
        return fabrics_.at(way_to_peer(peer), [&](auto& f) -> culprit {
            if constexpr (requires { f.blamed_by(peer); }) return f.blamed_by(peer);
            return {};
        });
    }
    [[nodiscard]] std::optional<std::string> shortage(int peer) {
        auto of_fabric = fabrics_.at(way_to_peer(peer), [](auto& f) -> std::optional<std::string> {
            if constexpr (requires { f.shortage(); }) return f.shortage();
            return std::nullopt;
        });
        if (of_fabric) return of_fabric;
        return sockets_ ? sockets_->shortage(peer, awaits_connections()) : std::nullopt;
    }
    /// Memory of the first fabric that has such; others may adopt it.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) {
        std::shared_ptr<std::byte> made;
        fabrics_.each([&](auto& f) {
            if constexpr (requires { f.adopt(made, bytes); })
                if (made) {
                    fabrics_.each([](auto& other) {
                        if constexpr (requires { other.pin(); }) other.pin();
                    });
                    return void(made = f.adopt(std::move(made), bytes));
                }
            if constexpr (requires { f.allocate(bytes); })
                if (!made) made = f.allocate(bytes);
        });
        return made;
    }

    void register_memory(std::byte* p, std::size_t bytes) {
        fabrics_.each([&](auto& f) {
            if constexpr (requires { f.register_memory(p, bytes); }) f.register_memory(p, bytes);
        });
    }

    [[nodiscard]] bool is_on_device(const std::byte* p) {
        bool is = false;
        fabrics_.each([&](auto& f) {
            if constexpr (requires { f.is_on_device(p); }) is = is || f.is_on_device(p);
        });
        return is;
    }

    bool progress() {
        bool moved = false;
        fabrics_.each([&](auto& f) { moved = f.progress() || moved; });
        if (moved) pause_.news();
        return look_at_connections() || moved;
    }

    /// Spinning looks at all fabrics. Then there is one sleep for all there is to wait for: no fabric waits for a
    /// timer of another, no core burns, and what comes ends it at once. A time that is up ends it within a millisecond.
    void wait(clock::time_point until) {
        constexpr unsigned looks_a_clock = 16; // the clock takes as long as several looks
        pause_.begin();
        for (unsigned looks = 1;; ++looks) {
            if (stirred()) return;
            if (looks % looks_a_clock == 0 && clock::now() >= until) return;
            if (!pause_.rest()) break;
        }
        until = std::min(until, session_.next_tick());
        if constexpr (sleeps_its_way) {
            if (!fabrics_.first().ask()) fabrics_.first().sleep(until);
        } else {
            sleep(until);
        }
        pause_.woke();
    }
    /// Any thread.
    void wake() noexcept {
        if constexpr (sleeps_its_way)
            fabrics_.first().wake();
        else
            sleeper_->wake();
        waits_.wake();
    }

    /// As the table of the concept `awaitable_transport` has it.
    /// @{
    [[nodiscard]] int descriptor() {
        using first = typename std::tuple_element_t<0, std::tuple<Described...>>::fabric;
        if constexpr (sleeps_its_way && !requires(first& f) { f.sleep_by_descriptor(); }) return -1;
        if (!waits_.is_open()) {
            waits_.open();
            fabrics_.each([&](auto& f) {
                if constexpr (sleeps_its_way && requires { f.sleep_by_descriptor(); }) f.sleep_by_descriptor();
                waits_.add(f.descriptor());
            });
            waits_.publish();
        }
        return waits_.descriptor();
    }
    [[nodiscard]] bool arm() {
        const bool gone = session_.gone();
        if (gone && !heard_the_last_) return true;
        bool ready = waits_.arm(gone ? -1 : session_.descriptor(), !gone && session_.wants_write());
        due_ = session_.next_tick();
        if (sockets_) {
            sleeper_->look();
            ready = meet() || ready;
            if (sockets_->opening()) due_ = std::min(due_, clock::now() + look_while_opening);
        }
        return fabrics_.arm(due_) || ready;
    }
    void disarm(bool to_step) noexcept {
        fabrics_.disarm();
        waits_.disarm(to_step);
    }
    [[nodiscard]] clock::time_point due() const noexcept { return due_; }
    void call(bool wanted) noexcept { waits_.call(wanted); }
    /// @}

    void tell(const notice& n) {
        session_.tell(n);
        if (n.kind == notice_kind::failed || n.kind == notice_kind::resumed) fabrics_.blame({n.peer, n.why});
        if constexpr (sleeps_its_way)
            if (n.kind == notice_kind::abort) fabrics_.first().raise_alarm();
    }
    [[nodiscard]] bool fetch(notice& n) {
        const bool any = session_.fetch(n);
        heard_the_last_ = !any && session_.gone();
        return any;
    }

    /// Peers that are gone, as the control plane says, take nothing more.
    std::vector<untaken> leave(clock::time_point until) {
        leaving_ = true;
        notice n;
        n.kind = notice_kind::leaving;
        n.rank = session_.who().rank;
        const auto stay = std::chrono::ceil<std::chrono::milliseconds>(until - std::min(until, clock::now()));
        n.request = static_cast<std::uint64_t>(stay.count());
        tell(n);
        fabrics_.each([](auto& f) { f.finish(); });
        std::vector<bool> gone(ways_.size());
        gone[static_cast<std::size_t>(n.rank)] = true;
        for (std::chrono::microseconds pause{100};; pause = std::min(2 * pause, longest_pause)) {
            auto left = fabrics_.untaken_of(ways_, gone);
            if (left.empty() || clock::now() >= until) return left;
            std::this_thread::sleep_until(std::min(until, clock::now() + pause));
            for (notice heard; fetch(heard);)
                if (heard.kind == notice_kind::lost || heard.kind == notice_kind::departed)
                    if (heard.rank >= 0 && static_cast<std::size_t>(heard.rank) < gone.size())
                        gone[static_cast<std::size_t>(heard.rank)] = true;
        }
    }

private:
    static constexpr std::chrono::microseconds longest_pause{10'000}; ///< between looks at the acknowledged bytes
    /// New connections are looked at so often, even while data moves.
    static constexpr std::uint32_t look_around = 64;
    /// An event loop cannot wait for the connections that are on their way: they are looked at so often.
    static constexpr std::chrono::milliseconds look_while_opening{1};

    [[nodiscard]] std::size_t way_to_peer(int peer) const noexcept { return ways_[static_cast<std::size_t>(peer)]; }

    /// There is something to do, or was until now.
    [[nodiscard]] bool stirred() {
        bool any = !sleeps_its_way && sleeper_->take();
        fabrics_.each([&](auto& f) {
            if constexpr (requires { f.ready(); }) {
                any = any || f.ready();
            } else if (!any && f.progress()) {
                any = true;
                pause_.news();
            }
        });
        return look_at_connections() || any;
    }

    /// Now and then, and in each round while a connection is on its way. True if anything moved.
    bool look_at_connections() {
        if constexpr (connects)
            if (sockets_ && (++rounds_ % look_around == 0 || sockets_->opening())) {
                sleeper_->look();
                return meet();
            }
        return false;
    }

    void sleep(clock::time_point until) {
        if (session_.gone() && !heard_the_last_) return;
        std::array<connections::sleeper::awaited, 1 + count> what;
        if (!session_.gone()) what[0] = {session_.descriptor(), session_.wants_write()};
        std::size_t i = 0;
        fabrics_.each([&](const auto& f) { what[++i].descriptor = f.descriptor(); });
        const disarming at_end{fabrics_};
        if (!fabrics_.arm(until)) sleeper_->sleep(until, what);
        static_cast<void>(sleeper_->take());
        if (sockets_) meet();
    }
    struct disarming {
        fabric_tuple<Described...>& all;
        ~disarming() { all.disarm(); }
    };

    /// Hands connections that have come, or cannot, to their fabrics. True if there were any.
    bool meet() {
        bool any = false;
        while (auto a = sockets_->next()) {
            any = true;
            fabrics_.at(a->fabric, [&](auto& f) {
                if constexpr (requires { f.connected(std::move(*a)); }) f.connected(std::move(*a));
            });
        }
        if (sockets_->opening()) sockets_->settle(awaits_connections());
        return any;
    }
    [[nodiscard]] bool awaits_connections() {
        bool any = false;
        fabrics_.each([&](const auto& f) {
            if constexpr (requires { f.awaits_connections(); }) any = any || f.awaits_connections();
        });
        return any;
    }

    bootstrap::session session_;
    std::optional<connections::sleeper> sleeper_;         // none where the fabric has its own way
    std::optional<connections::manager> sockets_;         // none where no fabric wants any
    fabric_tuple<Described...> fabrics_;                  // they go first
    std::vector<std::uint8_t> ways_;                      // by rank: the number of the fabric that leads to it
    std::map<std::pair<context, int>, channel> channels_; // where there are several fabrics
    wait_set waits_;                                      // of an event loop of the program's that sleeps for this rank
    clock::time_point due_{};
    std::uint32_t rounds_ = 0;
    backoff pause_{false};
    bool crowded_ = false;
    bool leaving_ = false;
    bool heard_the_last_ = false; // the control plane is gone, and fetch() has told so
};

} // namespace tutti::transport::detail
