// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../cost.hpp"
#include "expression.hpp"
#include "fault.hpp"
#include "replay.hpp"

#include "../../../base/language.hpp"

#include <span>

namespace tutti::schedule::detail {

/// Runs a program with symbolic values and without any buffering: a send completes when its receive has begun, and if
/// that may be viewed, only when its reader has run; until then no other message of the channel moves. Since channels
/// are ordered and steps deterministic, one execution stands for all: a program that completes here also does where
/// sends complete earlier. Shapes must have been checked.
class symbolic_execution {
public:
    TUTTI_CONSTEXPR explicit symbolic_execution(const program& p)
        : program_(p), values_(p.size), orders_(orders_of(p)),
          walk_(p, [this](int r) -> const order& { return order_at(r); }),
          lent_(static_cast<std::size_t>(p.size) * static_cast<std::size_t>(p.size), 0) {
        for (int r = 0; r < p.size; ++r) add_rank(r);
    }

    symbolic_execution(const symbolic_execution&) = delete; // the walk has addresses of the orders
    symbolic_execution& operator=(const symbolic_execution&) = delete;

    constexpr finding run() {
        for (int r = 0; r < program_.size; ++r)
            for (int i = 0; i < walk_.steps(r); ++i)
                if (walk_.free(r, i)) ready_.push_back({r, i});
        while (!ready_.empty()) {
            const ticket t = ready_.back();
            ready_.pop_back();
            if (const finding f = start(t.rank, t.step); f.what != flaw::none) return f;
        }
        return stuck();
    }

    [[nodiscard]] constexpr const expressions& values() const noexcept { return values_; }
    [[nodiscard]] TUTTI_CONSTEXPR int value(int rank, place x) const {
        return at(rank).value[index(rank, x.where, x.first)];
    }
    [[nodiscard]] TUTTI_CONSTEXPR int writer(int rank, place x) const {
        return at(rank).writer[index(rank, x.where, x.first)];
    }
    /// The expressions that a rank's step has sent, by chunk. Precondition: a send that has been received.
    [[nodiscard]] TUTTI_CONSTEXPR std::span<const int> sent_by(int rank, int step) const {
        const rank_state& s = at(rank);
        return std::span(s.carried).subspan(
            s.first_carried[static_cast<std::size_t>(step)],
            static_cast<std::size_t>(width((*s.steps)[static_cast<std::size_t>(step)])));
    }
    [[nodiscard]] TUTTI_CONSTEXPR const order& order_at(int rank) const {
        return orders_[static_cast<std::size_t>(rank)];
    }
    [[nodiscard]] TUTTI_CONSTEXPR cost measured() const;

private:
    struct ticket {
        int rank, step;
    };
    struct arrival {
        int depth, from;
    };
    struct rank_state {
        TUTTI_CONSTEXPR rank_state(const std::vector<step>& list, const program& p, const position& at)
            : steps(&list), numbers(p.what, at, p.chunks, list) {}

        const std::vector<step>* steps;
        place_numbers numbers;
        std::vector<char> finished;
        std::vector<int> value, depth, writer; ///< per place: expression (-1 nothing), message depth, last writing step
        std::vector<arrival> arrivals;
        std::vector<int> carried;               ///< the expressions that were sent, message by message
        std::vector<std::size_t> first_carried; ///< by step: where its message begins
        long long sent = 0, received = 0;
        int deepest = 0;
    };

    [[nodiscard]] TUTTI_CONSTEXPR rank_state& at(int r) { return ranks_[static_cast<std::size_t>(r)]; }
    [[nodiscard]] TUTTI_CONSTEXPR const rank_state& at(int r) const { return ranks_[static_cast<std::size_t>(r)]; }
    [[nodiscard]] constexpr std::size_t channel(int from, int to) const {
        return static_cast<std::size_t>(from) * static_cast<std::size_t>(program_.size) + static_cast<std::size_t>(to);
    }
    /// The last message of a channel lies with its sender until its reader has run.
    [[nodiscard]] TUTTI_CONSTEXPR char& lent(int from, int to) { return lent_[channel(from, to)]; }
    [[nodiscard]] static constexpr std::vector<order> orders_of(const program& p) {
        std::vector<order> all;
        for (int r = 0; r < p.size; ++r) all.push_back(order_of(p, r));
        return all;
    }
    [[nodiscard]] TUTTI_CONSTEXPR std::size_t index(int r, buffer b, int chunk) const {
        return at(r).numbers.of(b, chunk);
    }

    /// Takes a step that waits for nothing any more.
    [[nodiscard]] constexpr auto freed() {
        return [this](int r, int i) { ready_.push_back({r, i}); };
    }

    TUTTI_CONSTEXPR void add_rank(int r) {
        rank_state s(program_.ranks[static_cast<std::size_t>(r)], program_, program_.at(r));
        s.finished.assign(s.steps->size(), 0);
        s.first_carried.assign(s.steps->size(), 0);
        s.value.assign(s.numbers.size(), -1);
        s.depth.assign(s.numbers.size(), 0);
        s.writer.assign(s.numbers.size(), -1);
        window(program_.what, program_.at(r), buffer::input, program_.chunks).each([&](int c) {
            s.value[s.numbers.of(buffer::input, c)] = r;
        });
        ranks_.push_back(static_cast<rank_state&&>(s));
    }

    TUTTI_CONSTEXPR finding start(int r, int i) {
        const step& x = walk_.at(r, i);
        walk_.start(r, i, freed());
        if (!communicates(x)) {
            for (int k = 0; k < x.from.count; ++k)
                if (const finding f = apply(r, i, k, -1, 0); f.what != flaw::none) return f;
            finish(r, i);
            return release_viewed(r, i);
        }
        return sends(x) ? meet(r, x.peer) : meet(x.peer, r);
    }

    /// Moves the next messages of the channel, as many as have started at both ends.
    TUTTI_CONSTEXPR finding meet(int from, int to) {
        while (!lent(from, to) && walk_.started(from, walk_.next_send(from, to)) &&
               walk_.started(to, walk_.next_receive(from, to))) {
            const int i = walk_.next_send(from, to), j = walk_.next_receive(from, to);
            if (const finding f = deliver(from, i, to, j); f.what != flaw::none) return f;
            lent(from, to) = order_at(to).viewed.reader_of(j) >= 0;
            if (!lent(from, to)) finish(from, i);
            finish(to, j);
        }
        return {};
    }

    /// A reader has run: the sends of its viewed operands complete.
    TUTTI_CONSTEXPR finding release_viewed(int r, int i) {
        for (const views::operand& x : order_at(r).viewed.of(i)) {
            const int peer = walk_.at(r, x.receive).peer;
            lent(peer, r) = 0;
            finish(peer, walk_.next_send(peer, r));
            if (const finding f = meet(peer, r); f.what != flaw::none) return f;
        }
        return {};
    }

    /// All parts of a message, whose first ones are the steps i and j.
    TUTTI_CONSTEXPR finding deliver(int from, int i, int to, int j) {
        const std::vector<step>&sent = *at(from).steps, &received = *at(to).steps;
        const auto parts = static_cast<int>(parts_from(sent, static_cast<std::size_t>(i)));
        int depth = 1;
        for (int k = 0; k < parts; ++k) {
            const step &s = sent[static_cast<std::size_t>(i + k)], &t = received[static_cast<std::size_t>(j + k)];
            if (s.from.first != t.to.first || s.from.count != t.to.count || s.joined != t.joined)
                return {flaw::length_mismatch, from, i + k, to, j + k, s.from.first};
            const int before = deepest(from, s.from);
            depth = before + 1 > depth ? before + 1 : depth;
        }
        for (int k = 0; k < parts; ++k)
            if (const finding f = deliver_part(from, i + k, to, j + k, depth); f.what != flaw::none) return f;
        rank_state& t = at(to);
        t.deepest = depth > t.deepest ? depth : t.deepest;
        t.arrivals.push_back({depth, from});
        return {};
    }
    [[nodiscard]] constexpr int deepest(int r, const place& x) const {
        int most = 0;
        for (int k = 0; k < x.count; ++k) {
            const int depth = at(r).depth[index(r, x.where, x.first + k)];
            most = depth > most ? depth : most;
        }
        return most;
    }
    TUTTI_CONSTEXPR finding deliver_part(int from, int i, int to, int j, int depth) {
        rank_state& s = at(from);
        const place source = (*s.steps)[static_cast<std::size_t>(i)].from;
        s.first_carried[static_cast<std::size_t>(i)] = s.carried.size();
        for (int k = 0; k < source.count; ++k) {
            const int value = s.value[index(from, source.where, source.first + k)];
            if (value < 0) return {flaw::reads_nothing, from, i, -1, -1, source.first + k};
            s.carried.push_back(value);
            if (const finding f = apply(to, j, k, value, depth); f.what != flaw::none) return f;
        }
        s.sent += source.count;
        at(to).received += source.count;
        return {};
    }

    /// Does the step on the k-th of its chunks. `incoming` and its depth are those of the message, if it receives.
    TUTTI_CONSTEXPR finding apply(int r, int i, int k, int incoming, int depth) {
        rank_state& s = at(r);
        const step& x = (*s.steps)[static_cast<std::size_t>(i)];
        const std::size_t to = index(r, x.to.where, x.to.first + k);
        if (x.what == action::reduce_many) return apply_many(r, i, k);
        if (x.what == action::receive) {
            s.value[to] = incoming;
            s.depth[to] = depth;
        } else {
            const std::size_t from = index(r, x.from.where, x.from.first + k);
            const int own = x.what == action::reduce ? s.value[to] : s.value[from];
            const int other = x.what == action::reduce ? s.value[from] : incoming;
            if (own < 0 || (other < 0 && x.what != action::copy))
                return {flaw::reads_nothing, r, i, -1, -1, x.from.first + k};
            const int before = x.what == action::reduce && s.depth[to] > s.depth[from] ? s.depth[to] : s.depth[from];
            s.depth[to] = before > depth ? before : depth;
            s.value[to] = x.what == action::copy  ? own
                          : x.other == side::left ? values_.combine(other, own, r, i)
                                                  : values_.combine(own, other, r, i);
        }
        s.writer[to] = i;
        return {};
    }

    /// The same for a step of many operands.
    TUTTI_CONSTEXPR finding apply_many(int r, int i, int k) {
        rank_state& s = at(r);
        const step& x = (*s.steps)[static_cast<std::size_t>(i)];
        int value = -1, depth = 0;
        for (int n = 0; n < sources(x); ++n) {
            const std::size_t from = index(r, source(x, n).where, x.from.first + k);
            if (s.value[from] < 0) return {flaw::reads_nothing, r, i, -1, -1, x.from.first + k};
            const bool last = n + 1 == sources(x);
            value = n == 0 ? s.value[from] : values_.combine(value, s.value[from], r, i, last);
            depth = s.depth[from] > depth ? s.depth[from] : depth;
        }
        const std::size_t to = index(r, x.to.where, x.to.first + k);
        s.value[to] = value;
        s.depth[to] = depth;
        s.writer[to] = i;
        return {};
    }

    TUTTI_CONSTEXPR void finish(int r, int i) {
        rank_state& s = at(r);
        for (std::size_t k = parts_from(*s.steps, static_cast<std::size_t>(i)); k-- > 0;)
            s.finished[static_cast<std::size_t>(i) + k] = 1;
        walk_.finish(r, i, freed());
    }

    /// Names an unfinished step and its peer, if there is any.
    constexpr finding stuck() const {
        for (int r = 0; r < program_.size; ++r)
            for (int i = 0; i < walk_.steps(r); ++i)
                if (!at(r).finished[static_cast<std::size_t>(i)]) return why_stuck(r, i);
        return {};
    }
    TUTTI_CONSTEXPR finding why_stuck(int r, int i) const {
        // The first unfinished step has started: it is a message that waits for its peer. Rather name a step that waits
        // to overwrite what a started send still needs, if there is one, since that explains the most.
        for (int j = i; j < walk_.steps(r); ++j) {
            const step& x = walk_.at(r, j);
            const auto number = static_cast<std::size_t>(j);
            if (!sends(x) || !walk_.started(r, j) || at(r).finished[number]) continue;
            for (const std::uint32_t f : order_at(r).followers_of(static_cast<std::uint32_t>(j)))
                return {flaw::deadlock, r, static_cast<int>(f), r, j, x.from.first, 0, 0, "", true};
        }
        const step& x = walk_.at(r, i);
        finding f{flaw::deadlock, r, i, communicates(x) ? x.peer : -1, -1, width(x) > 0 ? x.from.first : -1};
        f.unmatched = unmatched(r, i);
        return f;
    }
    /// The step waits for an other end of its message, of which the peer's list has no more.
    [[nodiscard]] TUTTI_CONSTEXPR bool unmatched(int r, int i) const {
        const step& x = walk_.at(r, i);
        if (sends(x))
            return walk_.next_send(r, x.peer) == i && walk_.next_receive(r, x.peer) < 0 && !lent_[channel(r, x.peer)];
        return receives(x) && walk_.next_send(x.peer, r) < 0;
    }

    const program& program_;
    expressions values_;
    std::vector<order> orders_; ///< by rank
    replay walk_;
    std::vector<char> lent_; ///< by (from, to)
    std::vector<rank_state> ranks_;
    std::vector<ticket> ready_;
};

/// All of the cost but its rounds.
TUTTI_CONSTEXPR cost symbolic_execution::measured() const {
    cost most;
    for (const rank_state& s : ranks_) {
        most.sent = s.sent > most.sent ? s.sent : most.sent;
        most.received = s.received > most.received ? s.received : most.received;
        most.depth = s.deepest > most.depth ? s.deepest : most.depth;
        // Count distinct senders by depth: a pair (depth, sender) counts once.
        std::vector<std::vector<int>> senders(static_cast<std::size_t>(s.deepest) + 1, std::vector<int>{});
        std::vector<int> last(static_cast<std::size_t>(program_.size), -1);
        for (const arrival& a : s.arrivals) senders[static_cast<std::size_t>(a.depth)].push_back(a.from);
        for (int depth = 1; depth <= s.deepest; ++depth) {
            int distinct = 0;
            for (int from : senders[static_cast<std::size_t>(depth)]) {
                if (last[static_cast<std::size_t>(from)] == depth) continue;
                last[static_cast<std::size_t>(from)] = depth;
                ++distinct;
            }
            most.fan_in = distinct > most.fan_in ? distinct : most.fan_in;
        }
    }
    return most;
}

} // namespace tutti::schedule::detail
