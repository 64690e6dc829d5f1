// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/members.hpp"
#include "coordinator.hpp"
#include "notice_codec.hpp"
#include "rendezvous_connection.hpp"
#include "survey.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// The rendezvous, without polling: seats ranks, sends the table when all have come, then carries notices between ranks
/// and coordinator. Never waits. Strangers are bounded in number and time; what one sends ends its own connection
/// alone.
///
/// A rank that has proven to know the secret and cannot be seated ends the start of all at once, since without it there
/// is no world. A wrong secret does not: anyone may come with one. It is told to the user of rank 0, and to all when
/// the time is up. Once all have come, a process that has had its part and comes again wants the next world: it is told
/// to come later, since that of rank 0 may still be on its way. Any other that claims its rank is one too many.
class rendezvous_server {
public:
    /// Beside a world's ranks so many may be proving themselves, and so many have yet to ask; the oldest is dropped.
    static constexpr std::size_t max_strangers = 128;
    /// When the user is told for the first time which ranks are missing. Then again each time the wait has doubled.
    static constexpr std::chrono::seconds first_word{5};

    /// `timeout` from `now` for everyone to come. `encrypted`: all encrypt their data.
    TUTTI_COLD rendezvous_server(int size, secret key, std::string place, std::chrono::milliseconds timeout,
                                 clock::time_point now, bool encrypted = false)
        : key_(std::move(key)), place_(std::move(place)), encrypted_(encrypted), seats_(size), coordinator_(size),
          opened_(now), deadline_(now + timeout), next_word_(now + first_word),
          by_rank_(static_cast<std::size_t>(size), nullptr) {}

    TUTTI_COLD void welcome(descriptor socket, clock::time_point now) {
        auto early = [this](const hello& h) { return !assembling() && seats_.has_met(h.rank, h.world); };
        connections_.push_back(std::make_unique<rendezvous_connection>(std::move(socket), key_, early, now));
        if (count(rendezvous_connection::stage::proving) > by_rank_.size() + max_strangers) drop_oldest_stranger();
    }

    /// Rank 0's process lacks what it needs to let all ranks in: there will be no world. Once there is one, nobody who
    /// still comes is needed.
    TUTTI_COLD void run_out(const std::string& of_what) {
        if (assembling())
            abandon("rank 0 cannot let all " + std::to_string(seats_.size()) + " ranks in: " + of_what, 0);
    }

    /// Frees the place of an unproven connection; false if there is none.
    bool drop_oldest_stranger() {
        if (!send_oldest_away(rendezvous_connection::stage::proving)) return false;
        purge();
        return true;
    }

    /// poll() found the connection ready.
    TUTTI_COLD void attend(rendezvous_connection& g, clock::time_point now) {
        if (g.phase() == rendezvous_connection::stage::proving) prove(g, now);
        if (g.phase() == rendezvous_connection::stage::proving || g.phase() == rendezvous_connection::stage::gone)
            return;
        g.stream().flush();
        g.stream().read();
        while (g.phase() != rendezvous_connection::stage::gone) {
            const auto f = g.stream().next();
            if (!f) break;
            if (g.phase() == rendezvous_connection::stage::asking)
                take_request(g, *f, now);
            else
                take_notice(g, *f, now);
        }
        if (g.stream().ended() && g.phase() != rendezvous_connection::stage::gone) {
            if (g.stream().how() == stream_end::forged && assembling()) return tell_of_forgery(g);
            lose(g, g.stream().why(), now);
        }
    }

    /// The same. An exception (no memory, a library that is gone because the process exits) ends that connection alone.
    void attend_safely(rendezvous_connection& g, clock::time_point now) {
        try {
            attend(g, now);
        } catch (const std::exception& e) {
            lose(g, e.what(), now);
        }
    }

    /// Timeouts, and the delivery of the coordinator's notices. To be called after every round of attend().
    TUTTI_COLD void settle(clock::time_point now) {
        for (auto& g : connections_)
            if (g->stranger() && g->deadline() <= now) g->leave();
        if (assembling() && deadline_ <= now) give_up(missing_sentence(now), only(seats_.missing()));
        if (assembling() && next_word_ <= now) say_who_is_missing(now);
        coordinator_.tick(now);
        deliver(now);
        ask(survey_.due(now), now);
        for (auto& c : coordinator_.complaints()) news_.push_back(std::move(c));
        purge();
    }

    /// There will be no world: everyone who came is told why, and which rank is at fault, if one is. So is who still
    /// comes. Rank 0 is told last, by tell_rank_zero(): its process may end at once, and this server with it.
    TUTTI_COLD void give_up(const std::string& why, int at_fault = -1) {
        refusal_.clear();
        tutti::detail::byte_writer w(refusal_);
        w.text(why, max_text_bytes);
        w.integer(std::int32_t{at_fault});
        for (std::size_t r = 1; r < by_rank_.size(); ++r)
            if (by_rank_[r]) by_rank_[r]->stream().send(frame_type::refused, refusal_);
        given_up_ = true;
    }
    /// Precondition: given_up().
    void tell_rank_zero() {
        if (by_rank_[0]) by_rank_[0]->stream().send(frame_type::refused, refusal_);
    }

    /// Messages for the user, in whole sentences; empties the list.
    [[nodiscard]] std::vector<std::string> take_news() { return std::exchange(news_, {}); }

    /// The id of the world; 0 before all have come.
    [[nodiscard]] std::uint64_t world() const noexcept { return world_; }
    /// Asks all ranks what they do. Their answers come within survey::patience, to be told by survey_report().
    TUTTI_COLD void begin_survey(clock::time_point now) {
        ask(survey_.begin(now, [this](int r) { return by_rank_[static_cast<std::size_t>(r)] != nullptr; }), now);
    }
    /// The report, once, when the survey is over.
    [[nodiscard]] std::optional<std::vector<std::byte>> survey_report(clock::time_point now) {
        if (!survey_.is_open() || !survey_.is_over(now)) return std::nullopt;
        survey_.end();
        return survey_.report(
            world_, seats_.members(), [this](int r) { return coordinator_.standing_of(r); }, now);
    }

    [[nodiscard]] bool given_up() const noexcept { return given_up_; }
    /// All but rank 0 know why there is no world; those who may still be on their way, too.
    [[nodiscard]] bool all_told() const {
        return untold_.empty() && std::none_of(by_rank_.begin(), by_rank_.end(),
                                               [](const rendezvous_connection* g) { return g && g->wants_write(); });
    }
    [[nodiscard]] bool assembling() const noexcept { return !started_ && !given_up_; }
    /// Until when ranks that are leaving may stay.
    [[nodiscard]] clock::time_point longest_stay() const { return coordinator_.longest_stay(); }
    /// No member is connected any more but such as the others have waited for in vain, which have been told.
    [[nodiscard]] bool empty() const {
        return std::all_of(by_rank_.begin(), by_rank_.end(), [this](const rendezvous_connection* g) {
            return g == nullptr || (coordinator_.is_silent(g->rank()) && !g->wants_write());
        });
    }
    [[nodiscard]] std::vector<std::unique_ptr<rendezvous_connection>>& connections() noexcept { return connections_; }

    /// When settle() is wanted at the latest.
    TUTTI_COLD [[nodiscard]] clock::time_point next_deadline() const {
        auto next = std::min(coordinator_.next_tick(), survey_.next());
        if (assembling()) next = std::min({next, deadline_, next_word_});
        for (const auto& g : connections_) next = std::min(next, g->deadline());
        return next;
    }

private:
    [[nodiscard]] std::size_t count(rendezvous_connection::stage p) const {
        return static_cast<std::size_t>(
            std::count_if(connections_.begin(), connections_.end(), [p](const auto& g) { return g->phase() == p; }));
    }

    /// The connection stays in the list until purge(), so that loops over it stay valid.
    TUTTI_COLD bool send_oldest_away(rendezvous_connection::stage p) {
        const auto it =
            std::find_if(connections_.begin(), connections_.end(), [p](const auto& g) { return g->phase() == p; });
        if (it == connections_.end()) return false;
        (*it)->leave();
        return true;
    }

    void prove(rendezvous_connection& g, clock::time_point now) {
        g.prove(now);
        if (g.wrong_secret() && assembling()) suspect(g.claimed_rank());
        if (g.phase() != rendezvous_connection::stage::asking) return;
        if (count(rendezvous_connection::stage::asking) > by_rank_.size() + max_strangers)
            send_oldest_away(rendezvous_connection::stage::asking);
    }

    TUTTI_COLD void take_request(rendezvous_connection& g, const frame& f, clock::time_point now) {
        tutti::detail::byte_reader r(f.body);
        if (f.type == frame_type::refused) return take_farewell(g, r.text(max_text_bytes));
        const auto m = read_member(r);
        const std::chrono::milliseconds timeout(r.integer<std::uint32_t>());
        const bool encrypts = r.integer<std::uint8_t>() != 0;
        if (f.type != frame_type::join || !r.finished() || m.rank != g.claimed_rank()) return g.leave();
        if (given_up_) return turn_away(g);
        if (encrypts != encrypted_) return object(g, of_unlike_encryption(m.rank));
        if (const auto objection = seats_.admit(m)) return object(g, *objection);
        g.become_member(m.rank);
        by_rank_[static_cast<std::size_t>(m.rank)] = &g;
        seats_.meet(m.rank, g.process());
        // A rank that gives up leaves the world incomplete for all: the shortest timeout holds for all.
        deadline_ = std::min(deadline_, now + timeout);
        if (seats_.complete()) start();
    }

    /// One that has proven itself cannot be seated. Once there is a world, that is its own trouble alone.
    TUTTI_COLD void object(rendezvous_connection& g, const std::string& objection) {
        if (started_) {
            std::vector<std::byte> body;
            tutti::detail::byte_writer w(body);
            w.text(objection, max_text_bytes);
            w.integer(std::int32_t{g.claimed_rank()});
            g.stream().send(frame_type::refused, body);
            return g.leave();
        }
        abandon(objection, g.claimed_rank());
        turn_away(g);
    }

    /// A rank says, before it has joined, that it will not.
    void take_farewell(rendezvous_connection& g, const std::string& why) {
        const auto who = "rank " + std::to_string(g.claimed_rank());
        if (assembling()) abandon(who + " gave up before it had joined: " + why, g.claimed_rank());
        untold_.erase(g.claimed_rank());
        g.leave();
    }

    /// A rank's frames were changed on the way. It would not help if that rank came again.
    TUTTI_COLD void tell_of_forgery(rendezvous_connection& g) {
        const auto who = "rank " + std::to_string(g.claimed_rank());
        abandon("what " + who + " says to rank 0 at " + place_ + " is changed on the way: somebody stands between them",
                g.claimed_rank());
        turn_away(g);
    }

    /// Ends the start of all at once.
    TUTTI_COLD void abandon(const std::string& why, int at_fault) {
        const auto missing = seats_.missing();
        untold_.insert(missing.begin(), missing.end());
        give_up(why, at_fault);
    }
    /// Rank 0 waits until the others are told, also where it comes after the refusal.
    void turn_away(rendezvous_connection& g) {
        untold_.erase(g.claimed_rank());
        seats_.meet(g.claimed_rank(), g.process());
        if (g.claimed_rank() == 0 && !by_rank_[0]) {
            g.become_member(0);
            by_rank_[0] = &g;
            return;
        }
        g.stream().send(frame_type::refused, refusal_);
        dismiss(g);
    }

    /// A process that does not know the secret claims to be a rank.
    TUTTI_COLD void suspect(int rank) {
        if (!seats_.is_missing(rank) || !suspects_.insert(rank).second) return;
        news_.push_back("a process that calls itself rank " + std::to_string(rank) + " was refused at " + place_ +
                        ": it has another secret");
    }

    TUTTI_COLD void say_who_is_missing(clock::time_point now) {
        const auto waited = std::chrono::round<std::chrono::seconds>(now - opened_);
        news_.push_back("waiting for " + detail::ranks_in_words(seats_.missing()) + " of " +
                        std::to_string(seats_.size()) + " at " + place_ + ", for " + std::to_string(waited.count()) +
                        " s so far");
        next_word_ = opened_ + 2 * (now - opened_);
    }

    [[nodiscard]] std::string of_unlike_encryption(int rank) const {
        const std::string that = "rank " + std::to_string(rank), zero = "rank 0";
        return (encrypted_ ? zero : that) + " encrypts its data, " + (encrypted_ ? that : zero) +
               " does not: set TUTTI_ENCRYPT alike on all ranks";
    }

    static int only(const std::vector<int>& ranks) { return ranks.size() == 1 ? ranks.front() : -1; }

    /// All ranks have come: sends the table to all. All streams share the same bytes.
    TUTTI_COLD void start() {
        while (world_ == 0) draw(std::as_writable_bytes(std::span(&world_, 1)));
        survey_ = survey(world_table{world_, seats_.members()}.nodes());
        const auto table = table_frames();
        const auto for_all = batches_of(table);
        // Nothing was said to a member before, so that there is room in all streams or in none.
        started_ = std::all_of(by_rank_.begin(), by_rank_.end(),
                               [&](rendezvous_connection* to) { return to->stream().send(for_all); });
        if (!started_)
            give_up("the table of " + std::to_string(seats_.size()) + " ranks has " + std::to_string(table.size()) +
                    " bytes, more than the " + std::to_string(frame_stream::max_unsent_bytes) +
                    " that one connection may hold");
    }
    TUTTI_COLD [[nodiscard]] std::vector<std::byte> table_frames() const {
        std::vector<std::byte> table, body;
        for (const auto& m : seats_.members()) {
            body.clear();
            tutti::detail::byte_writer w(body);
            write_member(w, m);
            append_frame(table, frame_type::member, body);
        }
        body.clear();
        tutti::detail::byte_writer(body).integer(world_);
        append_frame(table, frame_type::start, body);
        return table;
    }

    TUTTI_COLD void take_notice(rendezvous_connection& g, const frame& f, clock::time_point now) {
        const auto n = f.type == frame_type::talk ? decode_notice(f.body) : std::nullopt;
        if (!n) return lose(g, "it sent what is no notice", now);
        if (!started_) return;
        if (n->kind == notice_kind::state) return survey_.take(g.rank(), *n, now);
        coordinator_.take(g.rank(), *n, now);
        if (n->kind == notice_kind::left) dismiss(g);
    }

    TUTTI_COLD void ask(const std::vector<survey::question>& all, clock::time_point now) {
        for (const auto& q : all) hand_over(q.to, batch_of(survey::notice_of(q)), now);
    }

    void dismiss(rendezvous_connection& g) {
        if (g.phase() == rendezvous_connection::stage::member) by_rank_[static_cast<std::size_t>(g.rank())] = nullptr;
        g.leave();
    }

    TUTTI_COLD void lose(rendezvous_connection& g, const std::string& why, clock::time_point now) {
        const bool was_member = g.phase() == rendezvous_connection::stage::member;
        dismiss(g);
        if (!was_member) return;
        if (started_)
            coordinator_.lost(g.rank(), why, now);
        else if (!given_up_)
            seats_.withdraw(g.rank());
    }

    void deliver(clock::time_point now) {
        for (auto pending = coordinator_.drain(); !pending.empty(); pending = coordinator_.drain()) {
            std::vector<std::vector<frame_batch>> frames; // each written once, however many ranks hear it
            for (const auto& o : pending) frames.push_back(batch_of(o.what));
            // Rank 0 last: the notice may end its process, and this server with it.
            for (const bool zero : {false, true})
                for (std::size_t i = 0; i < pending.size(); ++i)
                    for (const int to : pending[i].to)
                        if ((to == 0) == zero) hand_over(to, frames[i], now);
        }
    }
    [[nodiscard]] static std::vector<frame_batch> batch_of(const notice& n) {
        std::vector<std::byte> frame;
        append_frame(frame, frame_type::talk, encode(n));
        return batches_of(frame);
    }
    void hand_over(int rank, std::span<const frame_batch> frame, clock::time_point now) {
        rendezvous_connection* g = by_rank_[static_cast<std::size_t>(rank)];
        if (g && !g->stream().send(frame)) lose(*g, "it does not read what it is told", now);
    }

    TUTTI_COLD [[nodiscard]] std::string missing_sentence(clock::time_point now) const {
        const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(now - opened_).count();
        return detail::ranks_in_words(seats_.missing()) + " never came to the rendezvous at " + place_ + "; " +
               std::to_string(seats_.present()) + " of " + std::to_string(seats_.size()) + " ranks came within " +
               std::to_string(waited / 1000) + "." + std::to_string(waited / 100 % 10) + " s" + suspicion();
    }
    [[nodiscard]] std::string suspicion() const {
        std::vector<int> claimed;
        std::copy_if(suspects_.begin(), suspects_.end(), std::back_inserter(claimed),
                     [this](int r) { return seats_.is_missing(r); });
        if (claimed.empty()) return {};
        return "; who called itself " + detail::ranks_in_words(claimed) + " had another secret";
    }

    void purge() {
        std::erase_if(connections_, [](const auto& g) { return g->phase() == rendezvous_connection::stage::gone; });
    }

    secret key_;
    std::string place_;
    bool encrypted_;
    roll_call seats_;
    coordinator coordinator_;
    clock::time_point opened_;
    clock::time_point deadline_;
    clock::time_point next_word_;
    std::vector<std::string> news_;
    std::set<int> suspects_;                                          // ranks that were claimed with another secret
    std::vector<std::byte> refusal_;                                  // why there is no world, for all ranks that come
    std::set<int> untold_;                                            // ranks that may come and have not been told so
    std::vector<std::unique_ptr<rendezvous_connection>> connections_; // in the order in which they came
    std::vector<rendezvous_connection*> by_rank_;                     // members that are connected
    bool started_ = false, given_up_ = false;
    std::uint64_t world_ = 0; // until all have come
    survey survey_;
};

} // namespace tutti::transport::bootstrap
