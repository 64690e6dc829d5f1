// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Random worlds of simulated ranks with several communicators and one fault each. Every failure that a rank gets, on
// whatever communicator, must name the rank whose fault it is.

#include <transport/control/coordinator.hpp>

#include "support/catch.hpp"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>

using namespace tutti;
using namespace tutti::transport;
using bootstrap::coordinator;
using namespace std::chrono_literals;

namespace {

enum class mishap { killed, stopped, left, idle, other_call };
constexpr int mishaps = 5;

/// What a rank does when its program has been told of a failure.
enum class sequel { leaves, dies, stays_outside, answers };

/// One call of a communicator: all its members make it, in this order among all calls of the world.
struct planned_call {
    std::uint64_t communicator;
    std::uint64_t number; // on it
    std::vector<int> members;
    bool in_a_ring;  // each waits for its left neighbour, else for all who have not come
    bool background; // not waited for before the end
};

bool takes_part(int rank, const planned_call& c) {
    return std::find(c.members.begin(), c.members.end(), rank) != c.members.end();
}

struct scenario {
    explicit scenario(unsigned seed) : random(seed) {
        ranks = 2 + below(6);
        std::vector<std::vector<int>> groups{all_ranks()};
        for (int k = below(4); k > 0; --k) groups.push_back(some_ranks());
        std::vector<std::uint64_t> made(groups.size(), 0);
        for (int k = 4 + below(12); k > 0; --k) {
            const auto g = static_cast<std::size_t>(below(static_cast<int>(groups.size())));
            calls.push_back({100 + g, made[g]++, groups[g], below(2) == 0, below(4) == 0});
        }
        what = static_cast<mishap>(below(mishaps));
        victim = below(ranks);
        if (what == mishap::other_call) calls.push_back({100, made[0], groups[0], false, false});
        do where = below(static_cast<int>(calls.size()));
        while (what == mishap::other_call && !takes_part(victim, calls[static_cast<std::size_t>(where)]));
    }
    int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
    std::vector<int> all_ranks() const {
        std::vector<int> all;
        for (int r = 0; r < ranks; ++r) all.push_back(r);
        return all;
    }
    std::vector<int> some_ranks() {
        std::vector<int> some;
        while (some.size() < 2) {
            some.clear();
            for (int r = 0; r < ranks; ++r)
                if (below(2) == 0) some.push_back(r);
        }
        return some;
    }

    std::mt19937 random;
    int ranks = 0;
    std::vector<planned_call> calls;
    mishap what{};
    int victim = 0, where = 0; // before that call the victim has its mishap, or makes another one in its place
};

class world_of_ranks {
public:
    explicit world_of_ranks(scenario& s) : s_(s), book_(s.ranks), ranks_(static_cast<std::size_t>(s.ranks)) {
        for (auto& r : ranks_) {
            r.after = static_cast<sequel>(s.below(4));
            r.patience = std::chrono::milliseconds(300 + s.below(200));
        }
    }

    /// Until nothing happens any more.
    void run() {
        for (int ms = 0; ms < 4000; ++ms) {
            now_ += 1ms;
            for (int r = 0; r < s_.ranks; ++r) live(r);
            book_.tick(now_);
            deliver();
        }
        for (int r = 0; r < s_.ranks; ++r)
            if (of(r).present && !of(r).outside) CHECK(of(r).under_way.empty());
    }
    [[nodiscard]] int failures() const { return failures_; }

private:
    struct call_under_way {
        std::size_t which;
        clock::time_point deadline;
        bool reported = false;
        clock::time_point reported_at{};
    };
    struct letter {
        clock::time_point due;
        notice what;
    };
    struct rank {
        std::size_t next = 0; // call of the plan
        std::deque<call_under_way> under_way;
        std::vector<std::size_t> done;
        std::map<std::uint64_t, notice> failed; // communicators, and why they cannot be used
        std::set<int> gone;                     // ranks that have left
        std::deque<letter> mail;
        bool present = true;  // its process runs, and its connection is there
        bool outside = false; // it takes no part any more
        bool mute = false;    // and does not answer
        bool told = false;    // the coordinator of its first failure
        sequel after{};
        std::chrono::milliseconds patience{};
    };
    [[nodiscard]] rank& of(int r) { return ranks_[static_cast<std::size_t>(r)]; }
    [[nodiscard]] const planned_call& plan(std::size_t k) const { return s_.calls[k]; }
    [[nodiscard]] bool is_odd(int r, std::size_t k) const {
        return s_.what == mishap::other_call && r == s_.victim && k == static_cast<std::size_t>(s_.where);
    }

    [[nodiscard]] bool has_begun(int r, std::size_t k) {
        return of(r).next > k; // all of its calls before `next` have begun or are none of its own
    }
    /// For whom a rank waits in a call that it has begun; nobody: then it is done.
    [[nodiscard]] std::vector<std::int32_t> waited_for(int r, std::size_t k) {
        const auto& m = plan(k).members;
        if (s_.what == mishap::other_call && k == static_cast<std::size_t>(s_.where)) {
            // The odd one waits for somebody, those of odd number for it, and the others have what they need.
            if (r == s_.victim) return {m.front() == r ? m.back() : m.front()};
            if (r % 2 == 1 || m.size() == 2) return {s_.victim};
            return {};
        }
        std::vector<std::int32_t> missing;
        for (const int other : m)
            if (!has_begun(other, k)) missing.push_back(other);
        if (missing.empty() || !plan(k).in_a_ring) {
            if (missing.size() > most_peers) missing.resize(most_peers);
            return missing;
        }
        const auto at = std::find(m.begin(), m.end(), r) - m.begin();
        return {m[static_cast<std::size_t>((at + static_cast<std::ptrdiff_t>(m.size()) - 1)) % m.size()]};
    }

    void live(int r) {
        if (!of(r).present) return;
        if (!of(r).mute) read_mail(r);
        if (!of(r).outside) advance(r);
        if (!of(r).outside) look_at_deadlines(r);
    }

    void advance(int r) {
        rank& me = of(r);
        finish_calls(r);
        while (me.next < s_.calls.size() && !blocked_by(r)) {
            const std::size_t k = me.next;
            if (r == s_.victim && k == static_cast<std::size_t>(s_.where) && have_mishap(r)) return;
            ++me.next;
            if (!takes_part(r, plan(k))) continue;
            if (me.failed.count(plan(k).communicator) > 0) {
                tell_failure(r, me.failed.at(plan(k).communicator));
                return stop(r);
            }
            me.under_way.push_back({k, now_ + me.patience});
            finish_calls(r);
        }
    }
    void finish_calls(int r) {
        rank& me = of(r);
        std::erase_if(me.under_way, [&](const call_under_way& c) {
            const bool over = waited_for(r, c.which).empty();
            if (over) me.done.push_back(c.which);
            return over;
        });
    }
    /// The call that its program waits for.
    [[nodiscard]] std::optional<std::size_t> blocked_by(int r) {
        const bool at_the_end = of(r).next == s_.calls.size();
        for (const auto& c : of(r).under_way)
            if (at_the_end || !plan(c.which).background) return c.which;
        return {};
    }

    /// True if the rank takes no part any more.
    bool have_mishap(int r) {
        if (s_.what == mishap::other_call) return false;
        of(r).outside = true;
        of(r).mute = s_.what != mishap::idle;
        if (s_.what == mishap::killed) die(r);
        if (s_.what == mishap::left) leave(r);
        return true;
    }
    void die(int r) {
        of(r).present = false;
        book_.lost(r, "its connection was closed", now_);
        deliver();
    }
    void leave(int r) {
        of(r).present = false;
        tell(r, {.kind = notice_kind::left, .call = {}, .text = {}, .calls = {}, .waits = {}});
    }

    void tell(int r, const notice& n) {
        book_.take(r, n, now_);
        deliver();
    }
    void deliver() {
        for (const auto& o : book_.drain())
            for (const int to : o.to)
                if (of(to).present) of(to).mail.push_back({now_ + std::chrono::milliseconds(s_.below(4)), o.what});
    }

    void read_mail(int r) {
        while (of(r).present && !of(r).mail.empty() && of(r).mail.front().due <= now_) {
            const notice n = std::move(of(r).mail.front().what);
            of(r).mail.pop_front();
            if (n.kind == notice_kind::inquiry) answer(r, n);
            if (of(r).outside) continue;
            if (n.kind == notice_kind::departed) of(r).gone.insert(n.rank);
            if (n.kind == notice_kind::lost) hear_of_loss(r, n);
            if (n.kind == notice_kind::verdict) fail(r, n.communicator, n);
        }
    }
    void hear_of_loss(int r, const notice& n) {
        for (std::size_t k = 0; k < s_.calls.size(); ++k) {
            const bool concerns = takes_part(n.rank, plan(k)) && takes_part(r, plan(k));
            if (concerns && of(r).present && !of(r).outside) fail(r, plan(k).communicator, n);
        }
    }

    void answer(int r, const notice& asked) {
        notice n = about(r, notice_kind::waiting, asked.communicator);
        for (const auto& c : s_.calls)
            if (c.communicator == asked.communicator && takes_part(r, c))
                n.members = static_cast<int>(c.members.size());
        const auto add = [&](std::size_t k) {
            n.calls.push_back({plan(k).communicator, plan(k).number, 10 * plan(k).number + is_odd(r, k), words(r, k)});
        };
        for (const std::size_t k : of(r).done) add(k);
        for (const auto& c : of(r).under_way) add(c.which);
        tell(r, n);
    }
    [[nodiscard]] notice about(int r, notice_kind kind, std::uint64_t communicator) {
        notice n;
        n.kind = kind;
        n.communicator = communicator;
        n.members = 0;
        const auto blocks = of(r).outside ? std::nullopt : blocked_by(r);
        for (const auto& c : of(r).under_way)
            n.waits.push_back({plan(c.which).communicator, plan(c.which).number, blocks == c.which,
                               waited_for(r, c.which), words(r, c.which)});
        return n;
    }
    [[nodiscard]] std::string words(int r, std::size_t k) const {
        return (is_odd(r, k) ? "odd call " : "call ") + std::to_string(plan(k).number) + " on " +
               std::to_string(plan(k).communicator);
    }

    void look_at_deadlines(int r) {
        for (auto& c : of(r).under_way) {
            const auto peers = waited_for(r, c.which);
            const bool in_vain =
                std::any_of(peers.begin(), peers.end(), [&](int p) { return of(r).gone.count(p) > 0; });
            if (c.reported) CHECK(now_ - c.reported_at < 850ms);
            if (c.reported || (now_ < c.deadline && !in_vain)) continue;
            c.reported = true;
            c.reported_at = now_;
            notice n = about(r, notice_kind::timeout, plan(c.which).communicator);
            n.members = static_cast<int>(plan(c.which).members.size());
            n.request = plan(c.which).number;
            n.peer = peers.front();
            n.call = words(r, c.which);
            return tell(r, n); // which may change the list
        }
    }

    void fail(int r, std::uint64_t communicator, const notice& why) {
        rank& me = of(r);
        if (!me.failed.emplace(communicator, why).second) return;
        const auto on_it = [&](const call_under_way& c) { return plan(c.which).communicator == communicator; };
        if (std::none_of(me.under_way.begin(), me.under_way.end(), on_it)) return; // it shows in the next call
        const auto blocks = blocked_by(r);
        tell_failure(r, why);
        std::erase_if(me.under_way, on_it);
        if (blocks && plan(*blocks).communicator == communicator) stop(r);
    }
    void tell_failure(int r, const notice& why) {
        if (r != s_.victim) expect_right(r, why);
        if (std::exchange(of(r).told, true)) return;
        notice n;
        n.kind = notice_kind::failed;
        n.why = why.why;
        n.peer = why.peer;
        n.text = why.text;
        tell(r, n);
    }
    void stop(int r) {
        rank& me = of(r);
        me.outside = true;
        me.under_way.clear();
        me.mute = me.after != sequel::answers;
        if (me.after == sequel::leaves) leave(r);
        if (me.after == sequel::dies) die(r);
    }

    void expect_right(int r, const notice& why) {
        ++failures_;
        INFO("rank " << r << " was told of rank " << why.peer << ": " << why.text);
        const std::string victim = "rank " + std::to_string(s_.victim);
        CHECK(why.text.find(victim) != std::string::npos);
        if (s_.what == mishap::other_call) {
            CHECK(name_of(why.why) == name_of(cause::mismatch));
            CHECK(why.text.find("odd call") != std::string::npos);
        } else {
            CHECK(why.peer == s_.victim);
            const bool gone = s_.what == mishap::killed || s_.what == mishap::left;
            CHECK(name_of(why.why) == name_of(gone ? cause::lost_peer : cause::timeout));
        }
    }

    scenario& s_;
    coordinator book_;
    clock::time_point now_{};
    std::vector<rank> ranks_;
    int failures_ = 0;
};

} // namespace

TEST_CASE("whatever one rank does, on whatever communicators the others wait: it is named in all failures",
          "[coordinator]") {
    int failures = 0;
    std::array<int, mishaps> faults{};
    for (unsigned seed = 1; seed <= 2000; ++seed) {
        scenario s(seed);
        CAPTURE(seed, s.ranks, static_cast<int>(s.what), s.victim, s.where);
        world_of_ranks w(s);
        w.run();
        failures += w.failures();
        faults[static_cast<std::size_t>(s.what)] += w.failures() > 0;
    }
    CHECK(failures > 2000);
    for (const int f : faults) CHECK(f > 100);
}
