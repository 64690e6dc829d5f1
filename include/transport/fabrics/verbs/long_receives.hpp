// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transport.hpp"
#include "connection.hpp"
#include "long_messages.hpp"
#include "resources.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace tutti::transport::detail::verbs {

/// The long messages of one peer that this rank reads: each in pieces, many in flight, in turn with the others.
class long_receives {
public:
    explicit long_receives(resources& all) noexcept : all_(all) {}

    /// The receive of an announcement, for a receive of a long message.
    [[nodiscard]] incoming& expect(context where, std::uint32_t number, transfer& x) {
        x.status = transfer_status::pending;
        x.moved = 0;
        incoming& m = all_of_it_.emplace_back();
        m.where = where;
        m.number = number;
        m.message = &x;
        m.length = x.bytes;
        m.to = m.image.data();
        m.bytes = announcement_bytes;
        m.signature = announced_signature(x.signature, x.bytes);
        m.owner = &heard_;
        m.ticket = early_ticket(where, number);
        return m;
    }

    /// An announcement has come for that message, whose receive has started or not. Returns false if a receive has
    /// started that is of a short message: then the announcement is to be refused.
    [[nodiscard]] bool announced(context where, std::uint32_t number, std::uint64_t ticket, bool started) {
        if (!started) {
            early_[{where, number}] = ticket;
            return true;
        }
        for (incoming& m : all_of_it_)
            if (m.where == where && m.number == number && m.message) {
                m.ticket = ticket;
                return true;
            }
        return false;
    }
    /// The ticket of an announcement that came before its receive, which is forgotten.
    [[nodiscard]] std::optional<std::uint64_t> early_ticket(context where, std::uint32_t number) {
        if (early_.empty()) return std::nullopt;
        const auto found = early_.find({where, number});
        if (found == early_.end()) return std::nullopt;
        const std::uint64_t ticket = found->second;
        early_.erase(found);
        return ticket;
    }
    /// The receive of an announced message is of a short one.
    void refused(std::uint64_t ticket) { withdrawn_.erase(ticket); }

    /// Goes on with the announcements that have met their receives. `refuse(ticket)` is called for those that do not
    /// match.
    template <class Refuse>
    void begin_heard(Refuse&& refuse) {
        while (transfer* const x = heard_.pop()) {
            auto& m = static_cast<incoming&>(*x);
            if (m.status == transfer_status::mismatched) {
                transfer* const message = std::exchange(m.message, nullptr);
                if (m.ticket) refuse(*m.ticket);
                forget(m);
                if (!message) continue;
                message->moved = message->bytes; // the announcement does not tell another length from another call
                complete(*message, transfer_status::mismatched);
                continue;
            }
            m.from = decode(m.image);
            m.ticket = m.from.ticket;
            m.stopped = withdrawn_.erase(m.from.ticket) > 0 || !begin(m);
        }
    }

    [[nodiscard]] bool wants() const noexcept { return !wanting_.empty(); }

    /// Asks for pieces as far as the rails allow, a piece of each message in turn. False if the device refuses.
    [[nodiscard]] bool ask(connection& by) {
        in_flight_.resize(by.pairs().size());
        for (std::size_t waiting = 0; waiting < wanting_.size();) {
            const auto rail = free_rail(by);
            if (!rail) return true;
            incoming& m = *wanting_.front();
            wanting_.pop_front();
            std::optional<std::uint32_t> place;
            if (m.message->reduce) place = all_.places->take();
            if (m.message->reduce && !place) { // other links hold them all, and give them back
                wanting_.push_back(&m);
                ++waiting;
                continue;
            }
            if (!ask(by, *rail, m, place)) return false;
            waiting = 0;
            if (m.asked < m.length) wanting_.push_back(&m);
        }
        return true;
    }

    /// A request has completed on a rail, and with it all before it. `good`: what was read is there. `answer(kind,
    /// ticket)` tells the sender of messages that are over.
    template <class Answer>
    void completed(std::size_t rail, std::uint64_t request, bool good, Answer&& answer) {
        if (rail >= in_flight_.size()) return;
        auto& flight = in_flight_[rail];
        while (!flight.empty() && flight.front().request <= request) {
            const read r = flight.front();
            flight.pop_front();
            r.of->pieces[r.piece - r.of->first].done = true;
            r.of->stopped = r.of->stopped || !good;
            settle(*r.of, answer);
        }
    }

    /// The sender takes a message back. `answer(kind, ticket)` is called once nothing of it is being read.
    template <class Answer>
    void withdraw(std::uint64_t ticket, Answer&& answer) {
        for (const auto& [where, early] : early_)
            if (early == ticket) withdrawn_.insert(ticket);
        for (incoming& m : all_of_it_)
            if (m.ticket == ticket && m.from.ticket == ticket) {
                stop(m);
                m.withdrawn = true;
                if (m.pieces.empty()) answer(packet_kind::withdrawn, ticket);
                return;
            }
        answer(packet_kind::withdrawn, ticket);
    }

    /// No memory of that context is touched any more once closing(k) is over. To be called when the multiplexer has
    /// forgotten it.
    void close(context k) {
        for (auto it = early_.lower_bound({k, 0}); it != early_.end() && it->first.first == k; it = early_.erase(it))
            withdrawn_.erase(it->second);
        for (auto next = all_of_it_.begin(); next != all_of_it_.end();) {
            incoming& m = *next++;
            if (m.where != k) continue;
            stop(m);
            m.message = nullptr;
            if (m.pieces.empty()) forget(m);
        }
    }
    [[nodiscard]] bool closing(context k) const noexcept {
        return std::any_of(all_of_it_.begin(), all_of_it_.end(),
                           [k](const incoming& m) { return m.where == k && !m.message; });
    }
    /// The queue pairs have failed: nothing more is asked for.
    void end() noexcept {
        for (incoming& m : all_of_it_) stop(m);
    }

private:
    struct read {
        std::uint64_t request;
        incoming* of;
        std::uint64_t piece;
    };

    /// False, with all.refused, if the system does not register where it goes.
    [[nodiscard]] bool begin(incoming& m) {
        if (!m.message->reduce) {
            m.lease = all_.memory->acquire(m.message->to, m.length, true);
            if (!m.lease) {
                all_.refused[m.where] = all_.memory->refusal();
                return false;
            }
        }
        m.delivering.begin(*m.message);
        wanting_.push_back(&m);
        return true;
    }

    /// Asks for the next piece of a message. False if the device refuses.
    [[nodiscard]] bool ask(connection& by, std::size_t rail, incoming& m, std::optional<std::uint32_t> place) {
        const std::size_t most =
            place ? landing::place_bytes : std::min(all_.limits.piece_bytes, all_.rails[rail]->most_bytes());
        const std::size_t bytes = std::min(m.length - m.asked, most);
        std::byte* const to = place ? all_.places->at(*place) : m.message->to + m.asked;
        const std::uint32_t local = place ? all_.places->key(rail) : m.lease.local(rail);
        if (!by.read(rail, to, local, m.from.address + m.asked, m.from.keys[rail], bytes)) {
            if (place) all_.places->give_back(*place);
            return false;
        }
        in_flight_[rail].push_back({by.pair(rail).last_posted(), &m, m.first + m.pieces.size()});
        m.pieces.push_back({bytes, place});
        m.asked += bytes;
        return true;
    }

    [[nodiscard]] std::optional<std::size_t> free_rail(connection& by) const noexcept {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < in_flight_.size(); ++i) {
            const bool room =
                in_flight_[i].size() < static_cast<std::size_t>(by.most_reads(i)) && by.pair(i).has_room();
            if (room && (!best || in_flight_[i].size() < in_flight_[*best].size())) best = i;
        }
        return best;
    }

    /// Delivers the pieces that have come in order, and ends the message after the last one.
    template <class Answer>
    void settle(incoming& m, Answer&& answer) {
        while (!m.pieces.empty() && m.pieces.front().done) {
            const incoming::piece p = m.pieces.front();
            m.pieces.pop_front();
            ++m.first;
            if (!m.stopped) deliver(m, p);
            if (p.place) all_.places->give_back(*p.place);
        }
        if (!m.pieces.empty()) return;
        if (m.withdrawn) answer(packet_kind::withdrawn, m.from.ticket);
        m.withdrawn = false;
        if (!m.message) return forget(m);
        if (m.stopped || m.arrived < m.length) return;
        transfer& x = *m.message;
        answer(packet_kind::taken, m.from.ticket);
        m.delivering.end();
        forget(m);
        complete(x);
    }
    void deliver(incoming& m, const incoming::piece& p) {
        m.arrived += p.bytes;
        if (p.place)
            m.delivering.take(std::span<const std::byte>(all_.places->at(*p.place), p.bytes));
        else
            m.delivering.placed(p.bytes);
    }

    void stop(incoming& m) noexcept {
        m.stopped = true;
        m.delivering.end();
        std::erase(wanting_, &m);
    }
    void forget(const incoming& m) {
        all_of_it_.remove_if([&m](const incoming& each) { return &each == &m; });
    }

    resources& all_;
    std::list<incoming> all_of_it_;
    transfer_queue heard_;                                             // announcements that have met their receives
    std::map<std::pair<context, std::uint32_t>, std::uint64_t> early_; // tickets of those that have not
    std::set<std::uint64_t> withdrawn_;                                // of these
    std::deque<incoming*> wanting_;                                    // pieces, in turn
    std::vector<std::deque<read>> in_flight_;                          // by rail
};

} // namespace tutti::transport::detail::verbs
