// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../delivery.hpp"
#include "channel.hpp"
#include "control.hpp"
#include "hardware.hpp"
#include "world.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

/// A simulated world, as its ranks see it.
class simulated_ranks final : public simulated_world, public std::enable_shared_from_this<simulated_ranks> {
public:
    using job = std::shared_ptr<simulated_job>;
    using parcel = std::shared_ptr<simulated_message>;
    enum class standing : std::uint8_t { absent, present, killed, left };

    explicit simulated_ranks(simulated_options o)
        : options(std::move(o)), begin(clock::now()), time(begin), hardware(options),
          control(time, options.size, [this](int rank) { ring(rank); }),
          desks_(static_cast<std::size_t>(options.size)) {}

    /// What a rank finds when it looks.
    struct completion {
        job what;
        parcel message; ///< null for a send
        simulated_way* way = nullptr;
    };
    /// A channel that is closed, or a rank that leaves; messages that it has sent may still be under way.
    struct left_behind {
        int peer;
        std::size_t side;
        std::shared_ptr<simulated_line> line;
        [[nodiscard]] std::size_t bytes() const noexcept {
            return line->closed[1 - side] ? 0 : line->ways[side].kept_bytes;
        }
    };
    struct desk {
        standing is = standing::absent;
        std::deque<job> to_send;     ///< sends that wait for the port
        bool asked_for_port = false; ///< send_next() is called when it is free
        std::deque<completion> due;  ///< transfers whose time has come
        bool rung = false, waits = false, wakes = false;
        clock::time_point timer = clock::time_point::max(); ///< the next look at whether a wait is over
        clock::time_point until{};                          ///< of that wait
        std::vector<left_behind> to_take;                   ///< where peers may not have received all that was sent
        bool lingers = false;                               ///< until they have
    };
    [[nodiscard]] desk& of(int rank) noexcept { return desks_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] bool is_gone(int rank) noexcept {
        return of(rank).is == standing::left || of(rank).is == standing::killed;
    }
    [[nodiscard]] bool is_alive(int rank) noexcept { return of(rank).is == standing::present; }

    /// A rank takes its place, once.
    void join(int rank) {
        if (rank < 0 || rank >= options.size)
            reject("simulated", "rank " + std::to_string(rank) + " in a world of " + std::to_string(options.size));
        if (of(rank).is != standing::absent) reject("simulated", "rank " + std::to_string(rank) + " has been taken");
        of(rank).is = standing::present;
    }
    /// A rank, all of whose channels are closed, goes.
    void leave(int rank) {
        if (!is_alive(rank)) return;
        of(rank).is = standing::left;
        notice n;
        n.kind = notice_kind::left;
        control.tell(rank, n);
        ring_all();
    }
    void kill(int rank) {
        if (!is_alive(rank)) return;
        of(rank).is = standing::killed;
        of(rank).to_send.clear();
        of(rank).due.clear();
        control.lose(rank, "it was killed");
        ring_all();
    }

    [[nodiscard]] std::shared_ptr<simulated_line> connect(context k, int self, int peer) {
        auto& found = lines_[key(k, self, peer)];
        if (!found || found->closed[self < peer ? 0 : 1]) found = std::make_shared<simulated_line>();
        return found;
    }
    /// One side of the line is closed.
    void disconnect(context k, int self, int peer, const std::shared_ptr<simulated_line>& used) {
        const auto found = lines_.find(key(k, self, peer));
        if (found != lines_.end() && found->second == used && (is_gone(peer) || used->closed[self < peer ? 1 : 0]))
            lines_.erase(found);
    }

    void note_left_behind(int rank, simulated_channel& c) {
        auto& all = of(rank).to_take;
        std::erase_if(all, [this](const left_behind& l) { return l.bytes() == 0 || is_gone(l.peer); });
        if (c.out().kept_bytes > 0) all.push_back({c.peer, c.side, c.line});
    }
    /// Until peers have received what a rank has sent, but for those that are gone; else until that time.
    std::vector<untaken> linger(int rank, clock::time_point until) {
        desk& d = of(rank);
        d.lingers = true;
        for (;;) {
            std::erase_if(d.to_take, [this](const left_behind& l) { return l.bytes() == 0 || is_gone(l.peer); });
            if (d.to_take.empty() || d.is != standing::present || time.now() >= until) break;
            wait(rank, std::min(until, time.now() + linger_interval));
        }
        std::vector<untaken> found;
        for (const left_behind& l : d.to_take) found.push_back({l.peer, l.bytes()});
        return found;
    }

    void send(int rank, job j) {
        of(rank).to_send.push_back(std::move(j));
        send_next(rank);
    }
    void receive(int rank, simulated_channel& c, job j) {
        c.waiting.push_back(std::move(j));
        receive_next(rank, c);
    }

    /// Until something is due, or the rank is rung; else until that time, or some time before. It takes a while even
    /// when nothing is waited for, so that a program that looks again and again gets on.
    void wait(int rank, clock::time_point until) {
        desk& d = of(rank);
        const bool takes = d.is == standing::present && !d.lingers; // else nobody asks for what is due, or for mail
        if (!d.rung && !(takes && !d.due.empty())) {
            if (takes && control.has_mail(rank)) until = time.now(); // which it may leave there
            d.until = std::clamp(until, time.now() + shortest_wait, time.now() + longest_wait);
            d.waits = true;
            if (d.until < d.timer) time.at(d.timer = d.until, [this, rank] { look(rank); });
            time.suspend();
        }
        d.rung = false;
    }
    void ring(int rank) {
        of(rank).rung = true;
        wake(rank);
    }
    /// The rank looks again, if it waits.
    void wake(int rank) {
        desk& d = of(rank);
        if (!d.waits || std::exchange(d.wakes, true)) return;
        time.at(time.now(), [this, rank] {
            of(rank).wakes = false;
            go_on(rank);
        });
    }

    const simulated_options options;
    const clock::time_point begin;
    scheduler time;
    simulated_hardware hardware;
    simulated_control control;

private:
    static constexpr clock::duration shortest_wait = std::chrono::microseconds{1};
    static constexpr clock::duration longest_wait = std::chrono::hours{1};
    static constexpr clock::duration linger_interval = std::chrono::seconds{1};
    static constexpr std::size_t least_kept = 64; ///< what an empty message counts for, so that not too many are kept
    using line_key = std::tuple<context, int, int>;

    [[nodiscard]] static line_key key(context k, int a, int b) { return {k, std::min(a, b), std::max(a, b)}; }
    [[nodiscard]] static std::size_t counted(std::size_t bytes) noexcept { return std::max(bytes, least_kept); }

    void ring_all() {
        for (int r = 0; r < options.size; ++r) ring(r);
    }
    void go_on(int rank) {
        if (std::exchange(of(rank).waits, false)) time.resume(static_cast<std::size_t>(rank));
    }
    void look(int rank) {
        desk& d = of(rank);
        if (d.timer > time.now()) return; // a later one has been asked for, or an earlier one came
        d.timer = clock::time_point::max();
        if (!d.waits) return;
        if (d.until <= time.now()) return go_on(rank);
        time.at(d.timer = d.until, [this, rank] { look(rank); });
    }
    void note(int rank, completion c) {
        of(rank).due.push_back(std::move(c));
        wake(rank);
    }

    /// Lets begin the sends of a rank whose turn on the port has come.
    void send_next(int rank) {
        desk& d = of(rank);
        while (!d.to_send.empty() && !d.asked_for_port) {
            const auto when = hardware.may_send(rank, time.now());
            if (when > time.now()) {
                d.asked_for_port = true;
                return time.at(when, [this, rank] {
                    of(rank).asked_for_port = false;
                    send_next(rank);
                });
            }
            const job j = std::move(d.to_send.front());
            d.to_send.pop_front();
            if (j->what) send_now(rank, j);
        }
    }
    void send_now(int rank, const job& j) {
        const transfer& x = *j->what;
        const auto line = j->of->line;
        simulated_way& way = j->of->out();
        const int peer = j->of->peer;
        const auto m = std::make_shared<simulated_message>();
        m->bytes = x.bytes;
        m->signature = x.signature;
        m->price = hardware.price(rank, peer, x.bytes);
        const auto [done, header] = hardware.send(rank, peer, m->price, time.now());
        if (way.kept_bytes + counted(x.bytes) <= options.eager_bytes) {
            if (x.bytes > 0) m->kept.assign(x.from, x.from + x.bytes);
            way.kept_bytes += counted(x.bytes);
            time.at(done, [this, rank, j] { note(rank, {j, nullptr}); });
        } else {
            m->lent = j;
        }
        const std::size_t to = j->of->side == 0 ? 1 : 0;
        if (!line->closed[to]) way.messages.push_back(m); // else it goes to nowhere
        time.at(header, [this, rank, peer, line, &way, m] { take_in(rank, peer, line, way, m); });
    }
    void take_in(int from, int to, const std::shared_ptr<simulated_line>& line, simulated_way& way, const parcel& m) {
        // The line is kept until its messages have come.
        time.at(hardware.take_in(from, to, m->price, time.now()), [this, to, line, &way, m] {
            m->is_here = true;
            if (way.receiver) receive_next(to, *way.receiver);
        });
    }

    /// Messages are received in the order in which they left, each when it is there and its receive waits for it.
    void receive_next(int rank, simulated_channel& c) {
        simulated_way& way = c.in();
        while (!c.waiting.empty() && !way.messages.empty() && way.messages.front()->is_here) {
            completion next{std::move(c.waiting.front()), std::move(way.messages.front()), &way};
            c.waiting.pop_front();
            way.messages.pop_front();
            ++c.being_received;
            const message_price& p = next.message->price;
            const auto work = next.what->what->reduce ? p.busy + p.reduce : p.busy;
            const auto done = hardware.work(rank, time.now(), work);
            time.at(done, [this, rank, line = c.line, next] { note(rank, next); });
        }
    }

public:
    /// Completes what is due; true if anything was.
    bool complete_due(int rank) {
        auto& due = of(rank).due;
        if (due.empty()) return false;
        for (; !due.empty(); due.pop_front()) finish(due.front());
        return true;
    }

private:
    void finish(const completion& c) {
        if (!c.what->what) return; // its context has been closed
        if (c.message) --c.what->of->being_received;
        transfer& x = *c.what->what;
        auto status = transfer_status::done;
        if (!c.message) {
            x.moved = x.bytes;
        } else if (c.message->is_withdrawn()) {
            return; // nothing comes after it: the receive waits until its context is closed
        } else if (accepts(x, c.message->bytes, c.message->signature)) {
            deliver(x, c.message->data());
        } else {
            status = transfer_status::mismatched;
        }
        if (c.message) free_kept(c);
        if (c.message && c.message->lent) note(c.what->of->peer, {c.message->lent, nullptr});
        c.what->of->finish(*c.what);
        complete(x, status);
    }
    void free_kept(const completion& c) {
        if (c.message->lent) return;
        c.way->kept_bytes -= counted(c.message->bytes);
        if (of(c.what->of->peer).lingers) wake(c.what->of->peer);
    }

    std::map<line_key, std::shared_ptr<simulated_line>> lines_;
    std::vector<desk> desks_;
};

} // namespace tutti::transport::detail
