// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// Long because a rank comes, stays and goes by the same lists.

#include "../../base/linkage.hpp"
#include "../contract/members.hpp"
#include "../sockets/watched_socket.hpp"
#include "assembly.hpp"
#include "coordinator.hpp"
#include "frame_stream.hpp"
#include "member_codec.hpp"
#include "notice_codec.hpp"
#include "rendezvous_connection.hpp"
#include "rendezvous_desk.hpp"
#include "rendezvous_doors.hpp"
#include "rendezvous_thread.hpp"
#include "stderr_writer.hpp"
#include "survey.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// The rendezvous, where ranks meet: seats them, sends the table when all have come, then carries notices between them
/// and the coordinator. lose() hears of a rank whose connection has ended.
/// Coroutines of one io_context. Strangers are bounded in number and time; what one sends ends its own connection
/// alone.
///
/// A rank that has proven to know the secret and cannot be seated ends the start of all at once, since without it there
/// is no world. A wrong secret does not: anyone may come with one. It is told to the user of rank 0, and to all when
/// the time is up. Once all have come, a process that has had its part and comes again wants the next world: it is told
/// to come later, since that of rank 0 may still be on its way. Any other that claims its rank is one too many.
///
/// One thread, but for stop(). A coroutine looks after each wait at what may have gone meanwhile. The destructor ends
/// all of them, so none outlives what it uses.
class rendezvous_server {
public:
    /// Beside a world's ranks so many may be proving themselves, and so many have yet to ask; the oldest is dropped.
    static constexpr std::size_t max_strangers = 128;
    using stage = rendezvous_connection::stage;
    using guest = std::shared_ptr<rendezvous_connection>;
    using listeners = rendezvous_doors<rendezvous_server>::listeners;

    TUTTI_COLD rendezvous_server(int size, secret key, std::string place, const rendezvous_thread::settings& how,
                                 stderr_writer voice = stderr_writer())
        : key_(std::move(key)), how_(how), voice_(std::move(voice)), clock_(in_), limit_(in_),
          assembly_(size, std::move(place), how.timeout, how.first_word), coordinator_(size),
          by_rank_(static_cast<std::size_t>(size)) {
        begin(in_, keep_time());
    }
    rendezvous_server(const rendezvous_server&) = delete;
    rendezvous_server& operator=(const rendezvous_server&) = delete;
    ~rendezvous_server() { close(); }

    /// Before serve(): where ranks come in. `zero`: the other end of rank 0's own connection, which strangers could
    /// crowd out: they are let in once it is proven. Throws std::system_error.
    TUTTI_COLD void open(listeners at, descriptor zero) {
        doors_.emplace(in_, std::move(at), *this);
        if (zero)
            welcome(std::move(zero), true);
        else
            doors_->open();
    }
    /// Serves until all ranks have left, or until there will be no world and all know; then all connections end.
    TUTTI_COLD void serve() {
        const closer closes{*this};
        while (!is_over_) serve_until_woken();
        doors_->close();
        // Rank 0 hears last why there is no world: its process may end at once, and this server with it.
        if (given_up_ && by_rank_[0]) by_rank_[0]->stream.send(frame_type::refused, refusal_);
    }
    /// Any thread: rank 0 has left.
    void stop() noexcept {
        // The flag orders nothing but itself: serve() shares no other data that changes with who calls this.
        stopping_.store(true, std::memory_order_relaxed);
        in_.stop();
    }

    /// Does what is to do, and waits for nothing.
    TUTTI_COLD void poll() {
        in_.restart();
        in_.poll();
    }
    TUTTI_COLD void welcome(descriptor socket, bool is_zero = false) {
        const guest g = strangers_.emplace_back(std::make_shared<rendezvous_connection>(in_, std::move(socket)));
        begin(in_, attend(g, is_zero));
        const auto proving = count(stage::proving);
        if (proving <= room_ / 2) room_ = by_rank_.size() + max_strangers;
        if (proving > room_) drop_oldest();
    }
    /// There may not be more strangers than now, until half of them are gone. A few may always prove themselves.
    TUTTI_COLD void limit_strangers() { room_ = std::min(room_, std::max(few_strangers, count(stage::proving))); }
    /// Drops the oldest connection of strangers that is no further; false if there is none.
    TUTTI_COLD bool drop_oldest(stage p = stage::proving) {
        const auto it = std::ranges::find_if(strangers_, [p](const guest& g) { return g->phase == p; });
        if (it == strangers_.end()) return false;
        const guest kept = *it;
        leave(*kept);
        return true;
    }
    /// Rank 0's process lacks what it needs to let all ranks in: there will be no world. Once there is one, nobody who
    /// still comes is needed.
    TUTTI_COLD void run_out(const std::string& of_what) {
        if (!assembling()) return;
        abandon("rank 0 cannot let all " + std::to_string(assembly_.seats.size()) + " ranks in: " + of_what, 0);
        settle();
    }

    /// serve() would end.
    [[nodiscard]] bool is_over() const noexcept { return is_over_; }
    [[nodiscard]] bool assembling() const noexcept { return !started_ && !given_up_; }
    [[nodiscard]] std::size_t count(stage p) const {
        const auto is = [p](const guest& g) { return g && g->phase == p; };
        return static_cast<std::size_t>(std::ranges::count_if(strangers_, is) + std::ranges::count_if(by_rank_, is));
    }

private:
    static constexpr std::chrono::milliseconds farewell{1'000}; ///< to send the reason of a failure to all that come

    struct closer {
        rendezvous_server& of;
        ~closer() {
            of.close();
            of.voice_.finish(farewell);
        }
    };

    /// Until stop(), or until another world has left a door to this one.
    TUTTI_COLD void serve_until_woken() {
        in_.restart();
        if (stopping_.load(std::memory_order_relaxed)) settle();
        if (doors_) doors_->look();
        if (!is_over_) in_.run();
    }
    TUTTI_COLD void close() {
        is_over_ = true;
        if (doors_) doors_->close();
        if (desk_) desk_->close();
        for (const auto* all : {&strangers_, &by_rank_})
            for (const guest& g : *all)
                if (g) g->leave();
        clock_.cancel();
        limit_.end();
        poll();
    }

    TUTTI_COLD task<> keep_time() {
        while (!is_over_) {
            clock_.expires_at(next_deadline());
            co_await clock_.async_wait(in_task);
            if (!is_over_) settle();
        }
    }
    /// When settle() is wanted at the latest.
    TUTTI_COLD [[nodiscard]] clock::time_point next_deadline() const {
        auto next = std::min(coordinator_.next_tick(), survey_.next());
        if (assembling()) next = std::min({next, assembly_.deadline(), assembly_.next_word()});
        if (has_end_) next = std::min(next, std::max(end_, coordinator_.longest_stay()));
        return voice_.idle() ? next : std::min(next, clock::now() + stderr_writer::pause);
    }
    /// What is due, and the delivery of the coordinator's notices; after whatever has happened.
    TUTTI_COLD void settle() {
        const auto now = clock::now();
        const bool stopping = stopping_.load(std::memory_order_relaxed);
        if (assembling() && stopping) hear_all(); // rank 0 may have said why
        if (assembling() && stopping) give_up("rank 0 stopped before all ranks had come");
        if (assembling() && assembly_.deadline() <= now)
            give_up(assembly_.missing_sentence(now), assembly_.only_missing());
        if (assembling() && assembly_.next_word() <= now) voice_.say(assembly_.waiting_sentence(now));
        if (coordinator_.next_tick() <= now) hear_all();
        coordinator_.tick(now);
        deliver();
        ask(survey_.due(now));
        if (survey_.is_open() && survey_.is_over(now)) report(now);
        for (const auto& c : coordinator_.complaints()) voice_.say(c);
        voice_.flush();
        if (!has_end_ && (stopping || given_up_)) {
            has_end_ = true;
            end_ = now + (given_up_ ? farewell : how_.linger);
        }
        is_over_ =
            has_end_ && (now >= std::max(end_, coordinator_.longest_stay()) || (given_up_ ? all_told() : empty()));
        if (is_over_)
            in_.stop();
        else if (next_deadline() < clock_.expiry())
            clock_.cancel();
    }
    /// All but rank 0 know why there is no world; those who may still be on their way, too.
    [[nodiscard]] bool all_told() const {
        return untold_.empty() &&
               std::ranges::none_of(by_rank_, [](const guest& g) { return g && g->stream.wants_write(); });
    }
    /// No member is connected any more but such as the others have waited for in vain, which have been told.
    [[nodiscard]] bool empty() const {
        return std::ranges::all_of(by_rank_, [this](const guest& g) {
            return !g || (coordinator_.is_silent(g->claims.rank) && !g->stream.wants_write());
        });
    }

    TUTTI_COLD task<> attend(guest g, bool is_zero) {
        co_await prove(g);
        if (is_over_) co_return;
        if (is_zero) doors_->open();
        settle();
        while (g->phase != stage::gone) {
            co_await g->waits->readable();
            if (is_over_) co_return;
            if (!g->waits->is_watched()) leave(*g); // its time is up
            if (g->phase == stage::gone) co_return;
            hear_safely(g);
            settle();
        }
    }
    /// What goes wrong within ends that connection alone.
    TUTTI_COLD task<> prove(guest g) {
        const auto early = [this](const hello& h) { return !assembling() && assembly_.seats.has_met(h.rank, h.world); };
        try {
            handshake proof = handshake::accepting(key_, hello_rules{.too_early = early});
            g->waits->ignore_after(how_.stranger_time);
            co_await shake_hands(*g->waits, proof, &limit_, assembling() ? handshake_limit::at_once : 0);
            if (is_over_ || g->phase == stage::gone) co_return;
            g->claims = proof.theirs();
            if (proof.wrong_secret() && assembling())
                if (const auto told = assembly_.suspect(g->claims.rank)) voice_.say(*told);
            if (!proof.accepted()) co_return leave(*g);
            g->stream.protect(proof.release());
            g->phase = stage::asking;
            g->waits->ignore_after(how_.stranger_time);
            if (count(stage::asking) > by_rank_.size() + max_strangers) drop_oldest(stage::asking);
        } catch (const std::exception&) {
            leave(*g);
        }
    }
    /// Before a decision: what ranks have said by now counts, however many are still to be read.
    TUTTI_COLD void hear_all() {
        auto all = strangers_;
        all.insert(all.end(), by_rank_.begin(), by_rank_.end());
        for (const guest& g : all)
            if (g && (g->phase == stage::asking || g->phase == stage::member)) hear_safely(g, 1000);
    }
    /// So many records, before others have their turn.
    TUTTI_COLD void hear_safely(const guest& g, int most_records = 16) {
        try {
            hear(g, most_records);
        } catch (const std::exception& e) { // no memory, or a library that is gone because the process exits
            lose(*g, e.what());
        }
    }
    TUTTI_COLD void hear(const guest& g, int most_records) {
        for (int i = 0; i < most_records && g->stream.read(); ++i) {
        }
        while (g->phase != stage::gone) {
            const auto f = g->stream.next();
            if (!f) break;
            if (g->phase == stage::asking)
                take_request(g, *f);
            else
                take_notice(*g, *f);
        }
        if (!g->stream.ended() || g->phase == stage::gone) return;
        if (g->stream.how() == stream_end::forged && assembling()) return tell_of_forgery(g);
        lose(*g, g->stream.why());
    }

    TUTTI_COLD void take_request(const guest& g, const frame& f) {
        tutti::detail::byte_reader r(f.body);
        if (f.type == frame_type::refused) return take_farewell(*g, r.text(max_text_bytes));
        const auto m = read_member(r);
        const std::chrono::milliseconds timeout(r.integer<std::uint32_t>());
        const bool encrypts = r.integer<std::uint8_t>() != 0;
        if (f.type != frame_type::join || !r.finished() || m.rank != g->claims.rank) return leave(*g);
        if (given_up_) return turn_away(g);
        if (encrypts != how_.encrypted) return object(g, of_unlike_encryption(m.rank));
        if (const auto objection = assembly_.seats.admit(m)) return object(g, *objection);
        seat(g);
        assembly_.seats.meet(m.rank, g->claims.world);
        assembly_.shorten(timeout);
        if (assembly_.seats.complete()) start();
    }
    TUTTI_COLD void seat(const guest& g) {
        g->phase = stage::member;
        g->waits->ignore_never();
        by_rank_[static_cast<std::size_t>(g->claims.rank)] = g;
        std::erase(strangers_, g);
    }

    /// One that has proven itself cannot be seated. Once there is a world, that is its own trouble alone.
    TUTTI_COLD void object(const guest& g, const std::string& objection) {
        if (started_) {
            g->stream.send(frame_type::refused, refusal_of(objection, g->claims.rank));
            return leave(*g);
        }
        abandon(objection, g->claims.rank);
        turn_away(g);
    }
    /// A rank says, before it has joined, that it will not.
    TUTTI_COLD void take_farewell(rendezvous_connection& g, const std::string& why) {
        const auto who = "rank " + std::to_string(g.claims.rank);
        if (assembling()) abandon(who + " gave up before it had joined: " + why, g.claims.rank);
        untold_.erase(g.claims.rank);
        leave(g);
    }
    /// A rank's frames were changed on the way. It would not help if that rank came again. It hears so by TLS's alert.
    TUTTI_COLD void tell_of_forgery(const guest& g) {
        const auto who = "rank " + std::to_string(g->claims.rank);
        abandon("what " + who + " says to rank 0 at " + assembly_.place() +
                    " is changed on the way: somebody stands between them",
                g->claims.rank);
        turn_away(g);
    }

    /// There will be no world: everyone who came is told why, and which rank is at fault, if one is. So is who still
    /// comes; rank 0 is told last, by serve().
    TUTTI_COLD void give_up(const std::string& why, int at_fault = -1) {
        refusal_ = refusal_of(why, at_fault);
        for (std::size_t r = 1; r < by_rank_.size(); ++r)
            if (const guest g = by_rank_[r]) {
                g->stream.send(frame_type::refused, refusal_);
                write_rest(g);
            }
        given_up_ = true;
    }
    /// Ends the start of all at once.
    TUTTI_COLD void abandon(const std::string& why, int at_fault) {
        const auto missing = assembly_.seats.missing();
        untold_.insert(missing.begin(), missing.end());
        give_up(why, at_fault);
    }
    /// Rank 0 waits until the others are told, also where it comes after the refusal.
    TUTTI_COLD void turn_away(const guest& g) {
        untold_.erase(g->claims.rank);
        assembly_.seats.meet(g->claims.rank, g->claims.world);
        if (g->claims.rank == 0 && !by_rank_[0]) return seat(g);
        g->stream.send(frame_type::refused, refusal_);
        leave(*g);
    }
    [[nodiscard]] static std::vector<std::byte> refusal_of(const std::string& why, int at_fault) {
        std::vector<std::byte> body;
        tutti::detail::byte_writer w(body);
        w.text(why, max_text_bytes);
        w.integer(std::int32_t{at_fault});
        return body;
    }
    [[nodiscard]] std::string of_unlike_encryption(int rank) const {
        const std::string that = "rank " + std::to_string(rank), zero = "rank 0";
        return (how_.encrypted ? zero : that) + " encrypts its data, " + (how_.encrypted ? that : zero) +
               " does not: set TUTTI_ENCRYPT alike on all ranks";
    }

    /// All ranks have come: sends the table to all. All streams share the same bytes.
    TUTTI_COLD void start() {
        while (world_ == 0) draw(std::as_writable_bytes(std::span(&world_, 1)));
        survey_ = survey(world_table{world_, assembly_.seats.members()}.nodes());
        const auto table = share(assembly_.table_frames(world_));
        // Nothing was said to a member before, so that there is room in all streams or in none.
        started_ = std::ranges::all_of(by_rank_, [&](const guest& to) { return to->stream.send(table); });
        if (!started_)
            give_up("the table of " + std::to_string(assembly_.seats.size()) + " ranks has " +
                    std::to_string(table->size()) + " bytes, more than the " +
                    std::to_string(frame_stream::max_unsent_bytes) + " that one connection may hold");
        for (const guest& g : by_rank_) write_rest(g);
        if (started_) desk_.emplace(in_, world_, [this] { begin_survey(); });
    }
    TUTTI_COLD void take_notice(rendezvous_connection& g, const frame& f) {
        const auto n = f.type == frame_type::talk ? decode_notice(f.body) : std::nullopt;
        if (!n) return lose(g, "it sent what is no notice");
        if (!started_) return;
        if (n->kind == notice_kind::state) return survey_.take(g.claims.rank, *n, clock::now());
        coordinator_.take(g.claims.rank, *n, clock::now());
        if (n->kind == notice_kind::left) leave(g);
    }

    /// A connection ends; who uses it holds it as well.
    TUTTI_COLD void leave(rendezvous_connection& g) {
        g.leave();
        const auto is = [&g](const guest& other) { return other.get() == &g; };
        if (const auto found = std::ranges::find_if(by_rank_, is); found != by_rank_.end()) found->reset();
        std::erase_if(strangers_, is);
    }
    TUTTI_COLD void lose(rendezvous_connection& g, const std::string& why) {
        const bool was_member = g.phase == stage::member;
        leave(g);
        if (!was_member) return;
        if (started_)
            coordinator_.lost(g.claims.rank, why, clock::now());
        else if (!given_up_)
            assembly_.seats.withdraw(g.claims.rank);
    }

    TUTTI_COLD void deliver() {
        for (auto pending = coordinator_.drain(); !pending.empty(); pending = coordinator_.drain()) {
            std::vector<shared_frames> frames; // each written once, however many ranks hear it
            for (const auto& o : pending) frames.push_back(frame_of(o.what));
            // Rank 0 last: the notice may end its process, and this server with it.
            for (const bool zero : {false, true})
                for (std::size_t i = 0; i < pending.size(); ++i)
                    for (const int to : pending[i].to)
                        if ((to == 0) == zero) hand_over(to, frames[i]);
        }
    }
    TUTTI_COLD void ask(const std::vector<survey::question>& all) {
        for (const auto& q : all) hand_over(q.to, frame_of(survey::notice_of(q)));
    }
    [[nodiscard]] static shared_frames frame_of(const notice& n) {
        std::vector<std::byte> frame;
        append_frame(frame, frame_type::talk, encode(n));
        return share(std::move(frame));
    }
    TUTTI_COLD void hand_over(int rank, const shared_frames& frame) {
        const guest g = by_rank_[static_cast<std::size_t>(rank)];
        if (!g) return;
        if (g->stream.send(frame))
            write_rest(g);
        else
            lose(*g, "it does not read what it is told");
    }
    /// What the socket has not taken goes on when it does.
    TUTTI_COLD void write_rest(const guest& g) {
        if (g->stream.wants_write() && !std::exchange(g->is_written, true)) begin(in_, write_on(g));
    }
    TUTTI_COLD task<> write_on(guest g) {
        while (g->phase != stage::gone && g->stream.wants_write()) {
            co_await g->waits->writable();
            if (g->phase != stage::gone) g->stream.flush();
        }
        g->is_written = false;
        if (!is_over_) settle();
    }

    TUTTI_COLD void begin_survey() {
        ask(survey_.begin(clock::now(), [this](int r) { return by_rank_[static_cast<std::size_t>(r)] != nullptr; }));
        settle();
    }
    TUTTI_COLD void report(clock::time_point now) {
        survey_.end();
        const auto standing = [this](int r) { return coordinator_.standing_of(r); };
        desk_->answer(survey_.report(world_, assembly_.seats.members(), standing, now));
    }

    std::unique_ptr<asio::io_context> context_ = made_context();
    asio::io_context& in_ = *context_;
    secret key_;
    rendezvous_thread::settings how_;
    stderr_writer voice_;
    timer clock_;
    handshake_limit limit_;
    assembly assembly_;
    coordinator coordinator_;
    std::vector<std::byte> refusal_;                     // why there is no world, for all ranks that come
    std::set<int> untold_;                               // ranks that may come and have not been told so
    std::vector<guest> strangers_;                       // in the order in which they came
    std::vector<guest> by_rank_;                         // members that are connected
    std::size_t room_ = by_rank_.size() + max_strangers; // for those that prove themselves
    bool started_ = false, given_up_ = false, is_over_ = false;
    bool has_end_ = false;
    clock::time_point end_{}; // when it is over at the latest, but for ranks that are leaving
    std::uint64_t world_ = 0; // until all have come
    survey survey_;
    std::optional<rendezvous_doors<rendezvous_server>> doors_; // none in tests
    std::optional<rendezvous_desk> desk_;                      // there once the world is
    std::atomic<bool> stopping_{false};
};

} // namespace tutti::transport::bootstrap
