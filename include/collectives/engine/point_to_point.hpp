// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/notice.hpp"
#include "group.hpp"
#include "message_link.hpp"
#include "self_messages.hpp"
#include "timeouts.hpp"
#include "world_status.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::engine {

/// The sends and receives of one rank on a communicator, on two contexts behind those of collectives. No plan, no
/// slot and no number of a call: messages meet by rank and tag alone. Driven by one thread.
class point_to_point {
public:
    using clock = transport::clock;
    using link = message_link;

    point_to_point(transport::any& t, group& g, const world_status& known, completion_signal& ended,
                   transport::status::call_line& line)
        : t_(t), group_(g), known_(known), all_(ended, line), self_(all_), links_(g.members.size()) {}
    point_to_point(const point_to_point&) = delete;
    point_to_point& operator=(const point_to_point&) = delete;

    /// The contexts of a communicator's messages.
    [[nodiscard]] static transport::context packets_of(const group& g) noexcept { return {g.id, slot_count}; }
    [[nodiscard]] static transport::context bodies_of(const group& g) noexcept { return {g.id, slot_count + 1}; }

    /// Starts a send or a receive, which may be over on return.
    void start(message& m) {
        all_.add(m);
        m.cost = 0;
        m.source = any_rank;
        if (m.way == message::direction::receive) m.number = ++receives_;
        if (m.peer == any_rank) return receive_from_any(m);
        m.world_peer = group_.members[static_cast<std::size_t>(m.peer)];
        const bool sends = m.way == message::direction::send;
        if (m.peer == group_.rank)
            sends ? self_.send(m, link::eager_bytes, link::window) : self_.receive(m);
        else if (link& with = link_to(m.peer); sends)
            send(with, m);
        else
            with.receive(m);
        take_completed();
        if (!all_.empty()) listen_to_all();
    }

    /// Ends a receive that no message has met. False: it is none, or others have been told that this rank waits.
    [[nodiscard]] bool withdraw(message& m) {
        if (m.way == message::direction::send || reported_.sent) return false;
        const bool was = m.peer == any_rank      ? all_.from_any().remove(m)
                         : m.peer == group_.rank ? self_.withdraw(m)
                                                 : link_to(m.peer).withdraw(m);
        if (was) all_.withdraw(m);
        if (idle()) reported_ = {};
        return was;
    }

    /// Goes on with what the transport has completed. False: there was nothing to do.
    bool advance() {
        if (done_.empty()) return false;
        take_completed();
        return true;
    }

    /// Nothing is under way.
    [[nodiscard]] bool idle() const noexcept { return all_.empty(); }
    [[nodiscard]] const std::optional<messages_under_way::trouble>& trouble() const noexcept { return all_.noted(); }
    /// A deadline was set.
    void note_deadline(const message& m) noexcept { all_.note_deadline(m); }
    /// The communicator has failed, and its contexts are closed: ends all that is under way.
    void fail(const std::shared_ptr<const fault>& why) { all_.fail(why); }

    // For diagnoses, as plan_run has it. A "step" is a rank of the communicator.
    static constexpr bool has_steps = false;
    [[nodiscard]] group& members() const noexcept { return group_; }
    [[nodiscard]] std::uint64_t request() const noexcept { return transport::no_number; }
    [[nodiscard]] std::string words() const { return idle() ? std::string() : in_words(*to_tell()) + group_.name; }
    [[nodiscard]] clock::time_point deadline() const noexcept { return all_.deadline(); }
    [[nodiscard]] bool is_wanted(clock::time_point now) const noexcept {
        for (const message* m = all_.first(); m; m = m->later)
            if (m->is_wanted(now)) return true;
        return false;
    }
    [[nodiscard]] int waiting_step() const noexcept {
        const int peer = idle() ? -1 : other_end(*to_tell());
        if (peer != any_rank) return peer;
        for (int r = 0; r < group_.size(); ++r)
            if (may_come_from(r)) return r;
        return -1;
    }
    /// A receive from any rank is under way.
    [[nodiscard]] bool waits_for_any() const noexcept { return !all_.from_any().empty(); }
    /// The world's rank; -1 of this rank itself.
    [[nodiscard]] int peer_of(int rank) const {
        return rank < 0 || rank == group_.rank ? -1 : group_.members[static_cast<std::size_t>(rank)];
    }
    [[nodiscard]] int step_waiting_for(int world_rank) const {
        for (const message* m = all_.first(); m; m = m->later)
            if (const int peer = other_end(*m); peer != any_rank && peer_of(peer) == world_rank) return peer;
        return -1;
    }
    /// Those for which the program waits, if it waits for any; first the one that is told of.
    [[nodiscard]] std::vector<std::int32_t> peers_waited_for(std::size_t most) const {
        std::vector<std::int32_t> all;
        if (idle()) return all;
        const auto now = coarse_now(t_);
        const message* const told = to_tell();
        add_peer(all, *told);
        for (const message* m = all_.first(); m && all.size() < most; m = m->later)
            if (m->is_wanted(now) || !told->is_wanted(now)) add_peer(all, *m);
        return all;
    }
    /// Those of all messages.
    [[nodiscard]] std::vector<std::int32_t> peers_under_way() const {
        std::vector<std::int32_t> all;
        for (const message* m = all_.first(); m; m = m->later) add_peer(all, *m);
        return all;
    }
    [[nodiscard]] std::uint64_t bytes_done() const noexcept {
        std::uint64_t sum = 0;
        for (const message* m = all_.first(); m; m = m->later) sum += m->parts > 0 ? m->body.moved : 0;
        return sum;
    }
    [[nodiscard]] static run_state state() noexcept { return run_state::running; }
    [[nodiscard]] static int mismatched_step() noexcept { return -1; }
    [[nodiscard]] static std::size_t in_hand() noexcept { return 0; }
    [[nodiscard]] call_report& reported() noexcept { return reported_; }
    [[nodiscard]] const call_report& reported() const noexcept { return reported_; }

    bool is_listed = false; ///< among those that the driver looks at

private:
    void add_peer(std::vector<std::int32_t>& all, const message& m) const {
        const int peer = other_end(m);
        for (int r = 0; peer == any_rank && r < group_.size(); ++r)
            if (may_come_from(r)) add_peer(all, r);
        add_peer(all, peer);
    }
    /// The message of a receive from any rank: from whom has not left, as long as there is one.
    [[nodiscard]] bool may_come_from(int rank) const noexcept {
        const auto has_left = [this](int m) { return known_.of(m) == world_status::presence::left; };
        const auto stays = [&](int m) { return m != t_.rank() && !has_left(m); };
        return rank != group_.rank &&
               (!has_left(peer_of(rank)) || std::none_of(group_.members.begin(), group_.members.end(), stays));
    }
    /// Of a receive from any rank that of its message, once it has met one.
    [[nodiscard]] static int other_end(const message& m) noexcept { return m.peer == any_rank ? m.source : m.peer; }
    void add_peer(std::vector<std::int32_t>& all, int rank) const {
        const int peer = peer_of(rank);
        if (peer >= 0 && std::find(all.begin(), all.end(), peer) == all.end()) all.push_back(peer);
    }
    [[nodiscard]] link& link_to(int rank) {
        auto& known = links_[static_cast<std::size_t>(rank)];
        if (known) return *known;
        quiet_.reserve(quiet_.size() + 1);
        known = std::make_unique<link>(t_, packets_of(group_), rank, peer_of(rank), all_, done_);
        quiet_.push_back(known.get());
        return *known;
    }

    /// From the rank whose turn it is among those that have sent before, so that none waits for ever.
    void receive_from_any(message& m) {
        const int size = group_.size();
        m.world_peer = any_rank;
        for (int r = 0; r < size; ++r)
            if (r != group_.rank) static_cast<void>(link_to(r));
        listen_to_all();
        take_completed();
        for (int k = 1; k <= size; ++k) {
            const int r = (last_source_ + k) % size;
            const bool taken = r == group_.rank ? self_.take_unexpected(m, r)
                                                : links_[static_cast<std::size_t>(r)]->take_unexpected(m);
            if (!taken) continue;
            last_source_ = r;
            return take_completed();
        }
        all_.from_any().push(m);
    }
    void send(link& with, message& m) {
        if (with.lacks_credits(m)) { // which may lie in the transport
            with.listen();
            take_completed();
        }
        with.send(m);
    }

    /// While a call waits, packets of all peers that this rank has met are taken: their sends may hold up others.
    void listen_to_all() {
        for (link* const quiet : quiet_) quiet->listen();
        quiet_.clear();
    }

    void take_completed() {
        while (transport::transfer* const done = done_.pop()) {
            auto& x = static_cast<message_transfer&>(*done);
            link& with = *links_[static_cast<std::size_t>(x.peer)];
            if (x.status == transport::transfer_status::mismatched)
                all_.note({cause::mismatch, x.peer, "what came is no message of this library's version"});
            else if (with.completed(x))
                quiet_.push_back(&with);
        }
        if (idle()) reported_ = {};
    }

    /// The one under way that is told of: the first deadline's, of those that the program waits for if there are any.
    [[nodiscard]] const message* to_tell() const {
        const auto now = coarse_now(t_);
        const message* best = all_.first();
        for (const message* m = best; m; m = m->later) {
            const bool wanted = m->is_wanted(now), best_wanted = best->is_wanted(now);
            if (wanted != best_wanted ? wanted : m->deadline() < best->deadline()) best = m;
        }
        return best;
    }

    transport::any& t_;
    group& group_;
    const world_status& known_;
    messages_under_way all_;
    self_messages self_;
    std::vector<std::unique_ptr<link>> links_; ///< by rank; null for those that this rank has not met
    std::vector<link*> quiet_;                 ///< those that take no packets
    transport::transfer_queue done_;
    call_report reported_;
    std::uint64_t receives_ = 0; ///< how many have started
    int last_source_ = 0;        ///< of a receive from any rank that took a message which had come before it
};

} // namespace tutti::engine
