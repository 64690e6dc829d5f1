// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/members.hpp"
#include "../contract/notice.hpp"
#include "../contract/transport.hpp"
#include "../join/addresses.hpp"
#include "../sockets/wait_ready.hpp"
#include "dial.hpp"
#include "frame_stream.hpp"
#include "member_codec.hpp"
#include "notice_codec.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// A rank's connection to the rendezvous, for its whole life. Every rank has one, rank 0 too. Used by one thread at a
/// time. First join(), which blocks; after that nothing blocks but the destructor, for a bounded time.
class control {
public:
    /// How long after a report the rendezvous may say nothing at all before rank 0 is taken for lost: its process may
    /// be stopped, and then its connections look well.
    static constexpr std::chrono::milliseconds silence{750};
    static constexpr std::chrono::milliseconds farewell{1'000}; ///< the longest time that the destructor takes

    /// Connects to the rendezvous and proves that it knows the secret, retrying until me.timeout has passed. Rank 0
    /// passes a connection to its own. Throws a bootstrap error.
    TUTTI_COLD explicit control(const identity& me, bootstrap::descriptor own = {})
        : me_(me), until_(clock::now() + me.timeout), stream_(reach(me, std::move(own), until_)) {}

    control(const control&) = delete;
    control& operator=(const control&) = delete;

    /// Says `left` and waits until the rendezvous has heard it, `farewell` at most. A rank that has not asked to
    /// join says that it will not: the others need not wait for it.
    TUTTI_COLD ~control() {
        if (!asked_to_join_) give_up("its own message says why");
        if (!joined_ || stream_.ended()) return;
        if (!said_left_) say_left();
        const auto end = clock::now() + (unanswered_ ? std::chrono::milliseconds(0) : farewell);
        // The rendezvous closes when it has read the farewell; to close first could destroy it on its way.
        while (!stream_.ended() && go_on(end))
            while (stream_.next()) {
            }
    }

    /// Tells the others, through the rendezvous, that this rank will not join, and why. For a rank that cannot go on.
    void give_up(const std::string& why) {
        std::vector<std::byte> body;
        tutti::detail::byte_writer(body).text(why, max_text_bytes);
        stream_.send(frame_type::refused, body);
        asked_to_join_ = true;
    }

    /// The local address of the connection, with port 0.
    [[nodiscard]] address route() const {
        auto a = local_address(stream_.get());
        a.set_port(0);
        return a;
    }

    /// Joins as `mine` (rank and size are filled in) and waits for everyone. Throws a bootstrap error: with the reason
    /// of the rendezvous, which names the ranks that never came, or when it is gone or silent.
    const world_table& join(member mine) {
        mine.rank = me_.rank;
        mine.size = me_.size;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - clock::now()).count();
        std::vector<std::byte> body;
        tutti::detail::byte_writer w(body);
        write_member(w, mine);
        w.integer(static_cast<std::uint32_t>(std::clamp<long long>(left, 0, 0xffffffff)));
        w.integer(static_cast<std::uint8_t>(me_.encrypt));
        stream_.send(frame_type::join, body);
        asked_to_join_ = true;
        table_.encrypted = me_.encrypt;
        // The rendezvous gives up at this rank's deadline at the latest and says why; it is waited for a little longer.
        while (!gather())
            if (!go_on(until_ + std::chrono::seconds(2)))
                fail("the rendezvous at " + me_.rendezvous.text() + " did not bring all ranks together", 0);
        hear_frames(); // frames that were read together with the table: no later read need come
        return table_;
    }

    [[nodiscard]] const world_table& table() const noexcept { return table_; }

    /// Hands a notice to the coordinator. Never blocks; when the rendezvous is gone or does not read, it is dropped.
    TUTTI_COLD void tell(const notice& n) {
        if (n.kind == notice_kind::left) said_left_ = true;
        stream_.send(frame_type::talk, encode(n));
        const bool wants_answer = n.kind == notice_kind::timeout || n.kind == notice_kind::mismatch;
        if (wants_answer && asked_ == clock::time_point::max()) asked_ = clock::now();
    }

    /// Takes the next notice; false if there is none. Never blocks, but is a system call where none was heard before.
    /// When the connection ends, or the rendezvous is silent after a report, it yields once that rank 0 is lost, unless
    /// rank 0 had departed.
    TUTTI_COLD bool fetch(notice& n) {
        stream_.flush();
        if (heard_.empty()) listen();
        if (heard_.empty()) suspect();
        if (heard_.empty()) return false;
        n = std::move(heard_.front());
        heard_.pop_front();
        return true;
    }

    /// Awaited for reading, and for writing while wants_write(). Stays readable once the rendezvous is gone: see
    /// gone().
    [[nodiscard]] int descriptor() const noexcept { return stream_.get(); }
    [[nodiscard]] bool wants_write() const noexcept { return stream_.wants_write(); }
    /// Nothing will be heard any more; not to be awaited.
    [[nodiscard]] bool gone() const noexcept { return stream_.ended(); }
    /// When fetch() may have something to say although nothing came.
    [[nodiscard]] clock::time_point next_tick() const {
        const bool waiting = asked_ != clock::time_point::max() && !zero_gone_ && !said_left_;
        return waiting ? asked_ + silence : clock::time_point::max();
    }

private:
    static constexpr int reads_at_once = 16; // of up to 16 KiB, so that a flood cannot hold fetch() up

    static proven_socket reach(const identity& me, bootstrap::descriptor own, clock::time_point until) {
        if (own) return introduce(me, std::move(own), until);
        return dial(
            me, [&](std::string& why) { return rendezvous_addresses(me, why, until); }, until);
    }

    /// Waits until it can read or write, and does. False where the time is up. Not by Asio, which needs descriptors.
    bool go_on(clock::time_point until) {
        if (!wait_ready(stream_.get(), stream_.wants_write() ? POLLIN | POLLOUT : POLLIN, until)) return false;
        stream_.flush();
        stream_.read();
        return true;
    }
    /// True when all have joined.
    TUTTI_COLD bool gather() {
        while (auto f = stream_.next()) {
            take(*f);
            if (joined_) return true;
        }
        if (stream_.ended()) fail("the rendezvous at " + me_.rendezvous.text() + " went away: " + stream_.why(), 0);
        return false;
    }

    TUTTI_COLD void take(const frame& f) {
        tutti::detail::byte_reader r(f.body);
        if (f.type == frame_type::refused) {
            const auto why = r.text(max_text_bytes);
            fail(why, r.integer<std::int32_t>());
        }
        if (f.type == frame_type::member) table_.members.push_back(judged(read_member(r)));
        if (f.type == frame_type::start) {
            table_.world = r.integer<std::uint64_t>();
            joined_ = true;
        }
        bool good = r.ok() && table_.members.size() <= static_cast<std::size_t>(me_.size);
        for (std::size_t i = 0; i < table_.members.size(); ++i)
            good = good && table_.members[i].rank == static_cast<std::int32_t>(i);
        if (joined_) good = good && table_.members.size() == static_cast<std::size_t>(me_.size);
        if (!good) fail("the rendezvous sent a table of ranks that makes no sense");
    }

    /// Without a secret any process of this host may have joined in a rank's place. It must not choose which addresses
    /// this rank calls.
    [[nodiscard]] member judged(member m) const {
        const auto where = address::literal(m.address, m.port);
        if (!me_.may_leave_loopback() && !(where && where->loopback()))
            refuse_to_leave_loopback("the data address \"" + m.address + "\" of rank " + std::to_string(m.rank));
        return m;
    }

    TUTTI_COLD [[noreturn]] void fail(const std::string& why, int peer = -1) const {
        bootstrap_failed("rank " + std::to_string(me_.rank) + " could not join the others: " + why,
                         "look for the first error among all ranks; TUTTI_BOOTSTRAP_TIMEOUT sets how long to wait",
                         peer);
    }

    void listen() {
        for (int i = 0; i < reads_at_once && stream_.read(); ++i) {
            asked_ = clock::time_point::max();
            hear_frames();
        }
    }
    TUTTI_COLD void hear_frames() {
        while (auto f = stream_.next()) {
            if (f->type != frame_type::talk) continue;
            if (auto n = decode_notice(f->body)) hear(std::move(*n));
        }
    }

    void hear(notice n) {
        const bool ends_zero = n.kind == notice_kind::departed || n.kind == notice_kind::lost;
        if (ends_zero && n.rank == 0) zero_gone_ = true;
        heard_.push_back(std::move(n));
    }

    TUTTI_COLD void suspect() {
        if (zero_gone_ || said_left_) return;
        const bool silent = clock::now() >= next_tick();
        if (!silent && !stream_.ended()) return;
        unanswered_ = silent;
        notice n;
        n.kind = notice_kind::lost;
        n.rank = n.peer = 0;
        n.why = cause::lost_peer;
        if (stream_.how() == stream_end::exits) {
            n.peer = me_.rank;
            n.text = stream_.why();
            return hear(std::move(n));
        }
        n.text = "rank 0 was lost: " + (stream_.ended() ? "the control connection to it ended: " + stream_.why()
                                                        : "its control plane does not answer");
        hear(std::move(n));
    }

    void say_left() {
        notice n;
        n.kind = notice_kind::left;
        n.rank = me_.rank;
        tell(n);
    }

    identity me_;
    clock::time_point until_;
    frame_stream stream_;
    world_table table_;
    std::deque<notice> heard_;
    clock::time_point asked_ = clock::time_point::max(); // the oldest report since which nothing was heard
    bool asked_to_join_ = false;                         // or has said that it will not
    bool joined_ = false;
    bool said_left_ = false;
    bool zero_gone_ = false;  // lost or departed
    bool unanswered_ = false; // the rendezvous was silent when it had to speak
};

} // namespace tutti::transport::bootstrap
