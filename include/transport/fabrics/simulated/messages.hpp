// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../world/receive_reduce.hpp"
#include "desk.hpp"
#include "hardware.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

/// The messages of a simulated world: they wait for a port, travel, and find their receives.
class simulated_messages {
public:
    /// All must outlive it.
    simulated_messages(scheduler& time, const simulated_options& o, std::vector<simulated_desk>& desks,
                       simulated_pools& pools)
        : hardware(o), time_(time), options_(o), desks_(desks), pools_(pools) {}
    simulated_messages(const simulated_messages&) = delete;
    simulated_messages& operator=(const simulated_messages&) = delete;

    /// Throws what hardware.price() throws; then nothing has begun.
    void send(int rank, simulated_channel& c, transfer& x) {
        const message_price price = hardware.price(rank, c.peer, x.bytes);
        const message_pointer m = pools_.messages.take();
        m->from = rank;
        m->to = c.peer;
        m->side = c.side;
        m->line = c.line.get();
        m->lent = begin(c, x);
        m->bytes = x.bytes;
        m->signature = x.signature;
        m->price = price;
        of(rank).to_send.push(m);
        send_next(rank);
    }
    void receive(simulated_channel& c, transfer& x) {
        c.waiting.push(begin(c, x));
        receive_next(c);
    }
    /// Completes what is due for a rank; true if anything was.
    bool complete_due(int rank) {
        auto& due = of(rank).due;
        const bool any = !due.empty();
        while (!due.empty()) {
            const simulated_completion c = std::move(due.front());
            due.pop_front(); // before a reducer lets others go on, which may kill this rank
            finish(c);
        }
        return any;
    }
    /// The rank goes on, now, if it waits.
    void wake(int rank) {
        simulated_desk& d = of(rank);
        if (!d.waits || std::exchange(d.wakes, true)) return;
        time_.at(time_.now(), [this, rank] {
            of(rank).wakes = false;
            go_on(rank);
        });
    }
    void go_on(int rank) {
        if (std::exchange(of(rank).waits, false)) time_.resume(static_cast<std::size_t>(rank));
    }

    simulated_hardware hardware;

private:
    [[nodiscard]] simulated_desk& of(int rank) noexcept { return desks_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] job_pointer begin(simulated_channel& c, transfer& x) {
        job_pointer j = pools_.jobs.take();
        c.begin(j, x);
        return j;
    }
    void note(int rank, simulated_completion c) {
        if (of(rank).is == simulated_desk::standing::killed) return;
        of(rank).due.push_back(std::move(c));
        wake(rank);
    }

    /// Lets begin the sends of a rank whose turn on the port has come.
    void send_next(int rank) {
        simulated_desk& d = of(rank);
        while (!d.to_send.empty() && !d.asked_for_port) {
            const auto when = hardware.may_send(rank, time_.now());
            if (when > time_.now()) {
                d.asked_for_port = true;
                return time_.at(when, [this, rank] {
                    of(rank).asked_for_port = false;
                    send_next(rank);
                });
            }
            const message_pointer m = d.to_send.pop();
            if (!m->is_withdrawn()) send_now(m);
        }
    }
    void send_now(const message_pointer& m) {
        simulated_way& way = m->line->ways[m->side];
        const auto [begins, done] = hardware.send(m->from, m->price, time_.now());
        if (way.used_credit + credit_of(*m) <= options_.eager_bytes) {
            job_pointer j = m->lent;
            m->keep(j->what->from, pools_.bytes);
            ++way.kept_messages;
            way.kept_bytes += m->bytes;
            way.used_credit += credit_of(*m);
            time_.at(done, [this, rank = m->from, job = std::move(j)] { note(rank, {job, {}}); });
        }
        if (!m->line->closed[1 - m->side]) way.messages.push(m); // else it goes to nowhere
        const line_pointer line(*m->line);
        if (!hardware.is_far(m->from, m->to))
            return time_.at(begins + m->price.header, [this, m, line] { take_in(m, line); });
        m->parts_under_way = 2;
        time_.at(begins, [this, m, line] { go_through_network(m, line); });
    }
    /// Its first byte comes early, and is taken in with the others; it is there when the last one has come.
    void go_through_network(const message_pointer& m, const line_pointer& on) {
        const auto header = hardware.enters_network(m->from, time_.now()) + m->price.header;
        time_.at(time_.now() + header, [this, m, on] { take_in(m, on); });
        time_.at(time_.now() + m->price.stream, [this, m, on] {
            time_.at(hardware.leaves_adapter(m->from, time_.now()), [this, m, on] {
                const auto carried = hardware.leaves_network(m->from, time_.now());
                time_.at(carried + m->price.header, [this, m, on] { arrive(m, on); });
            });
        });
    }
    void take_in(const message_pointer& m, const line_pointer& on) {
        time_.at(hardware.take_in(m->from, m->to, m->price, time_.now()), [this, m, on] { arrive(m, on); });
    }
    void arrive(const message_pointer& m, const line_pointer& on) {
        if (--m->parts_under_way > 0) return;
        if (simulated_channel* const c = on->ways[m->side].receiver) receive_next(*c);
    }
    /// Messages are received in the order in which they left, each when it is there and its receive waits for it.
    void receive_next(simulated_channel& c) {
        simulated_way& way = c.in();
        while (!c.waiting.empty() && !way.messages.empty() && way.messages.front().parts_under_way == 0) {
            simulated_completion next{c.waiting.pop(), way.messages.pop()};
            ++c.being_received;
            const message_price& p = next.message->price;
            const int rank = next.message->to;
            const auto done = hardware.work(rank, time_.now(), next.what->what->reduce ? p.busy + p.reduce : p.busy);
            time_.at(done, [this, next = std::move(next)] { note(next.message->to, next); });
        }
    }

    void finish(const simulated_completion& c) {
        if (!c.what->what) return; // its context has been closed
        transfer& x = *c.what->what;
        if (!c.message) {
            x.moved = x.bytes;
            c.what->of->finish(c.what);
            return complete(x);
        }
        simulated_channel& channel = *c.what->of;
        --channel.being_received;
        if (c.message->is_withdrawn()) return; // nothing comes after it: the receive waits until its context is closed
        auto status = transfer_status::done;
        if (accepts(x, c.message->bytes, c.message->signature))
            hand_over(x, *c.message);
        else
            status = transfer_status::mismatched;
        free_sender(*c.message);
        channel.finish(c.what);
        complete(x, status);
    }
    /// A functor may compute: others go on then, and the sender may take its memory back.
    void hand_over(transfer& x, simulated_message& m) {
        if (!m.lent || !x.reduce || !x.reduce->is_functor || m.bytes == 0) return deliver(x, m.data());
        auto copy = pools_.bytes.take(m.bytes);
        std::copy_n(m.data(), m.bytes, copy.get());
        deliver(x, copy.get());
        pools_.bytes.give_back(std::move(copy), m.bytes);
    }
    void free_sender(const simulated_message& m) {
        if (m.lent) return note(m.from, {m.lent, {}});
        simulated_way& way = m.line->ways[m.side];
        --way.kept_messages;
        way.kept_bytes -= m.bytes;
        way.used_credit -= credit_of(m);
        if (of(m.from).lingers) wake(m.from);
    }
    /// Short ones count as well, so that not too many are kept.
    [[nodiscard]] static std::size_t credit_of(const simulated_message& m) noexcept {
        constexpr std::size_t least = 64;
        return std::max(m.bytes, least);
    }

    scheduler& time_;
    const simulated_options& options_;
    std::vector<simulated_desk>& desks_;
    simulated_pools& pools_;
};

} // namespace tutti::transport::detail
