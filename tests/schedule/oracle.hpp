// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// Long because a second opinion shares nothing with what it is held against.

#include <collectives/schedule/lowering/answers.hpp>
#include <collectives/schedule/lowering/order.hpp>
#include <collectives/schedule/program.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tutti::test {

/// A second opinion on schedules, to hold verify against: slow and simple. It shares nothing with verify but the
/// meaning of a step. Values are text, "(aXbX)" for rank a's chunk X combined with rank b's; what is ready is found by
/// comparing each pair of steps; who moves next is drawn at random; a message passes only when both ends have begun,
/// and holds up its channel until the step has run that alone reads it, if that is a reduce_many. A message is a list
/// of steps: those that are joined, and the one behind them. Its first step stands for it.
class oracle {
public:
    /// Messages wait for their receives (`nowhere`), or some of them in a buffer, so that their sends are done at once.
    enum class waiting { nowhere, in_buffers };

    /// `in_place` says so of each rank, where they differ; else the program does.
    oracle(const schedule::program& p, unsigned seed, std::vector<bool> in_place = {},
           waiting messages = waiting::nowhere)
        : p_(p), in_place_(std::move(in_place)), messages_(messages), random_(seed) {
        if (in_place_.empty()) in_place_.assign(static_cast<std::size_t>(p_.size), p_.in_place);
    }

    /// From now on who views a message writes its answer to the memory of its sender, where `answers` says so.
    void answer_in_place() {
        for (int r = 0; r < p_.size; ++r) {
            const bool in_place = in_place_[static_cast<std::size_t>(r)];
            const schedule::order o = schedule::order_of(steps(r), p_.size, p_.chunks, in_place);
            answers_.emplace_back(steps(r), p_.size, p_.chunks, in_place, o.viewed);
        }
    }
    /// How many answers brought no data.
    int answered() const { return static_cast<int>(answered_.size()); }

    /// Empty if the program does what its operation promises, else what is wrong.
    std::string judge() {
        for (int r = 0; r < p_.size; ++r)
            for (int i = 0; i < static_cast<int>(steps(r).size()); ++i)
                if (!well_formed(r, at(r, i)) || !joins_well(r, i)) return "malformed step";
        set_up();
        for (std::vector<move> moves = possible(); !moves.empty() && wrong_.empty(); moves = possible())
            make(moves[random_() % moves.size()]);
        if (!wrong_.empty()) return wrong_;
        for (const auto& rank : ranks_)
            if (std::count(rank.state.begin(), rank.state.end(), 'd') != static_cast<long>(rank.state.size()))
                return "deadlock";
        return result();
    }

    /// Whether every result that it judged right has its operands in rank order.
    bool in_rank_order() const { return in_rank_order_; }

private:
    using step = schedule::step;
    using place = schedule::place;
    using action = schedule::action;
    using spot = std::pair<int, int>; // (buffer, chunk)

    struct rank_state {
        std::map<spot, std::string> memory;
        std::vector<char> state; // 'w'aiting, 's'tarted, 'b'uffered: done but for its message, 'l'ent until that has
                                 // been read, 'd'one
        struct loan {
            int sender, step, receive;
        };
        std::vector<std::vector<loan>> reads; // the sends that lend to a step
        std::vector<std::vector<int>> after_end, after_start;
        std::map<int, std::vector<std::string>> leaving; // what a started send read, by step
    };
    struct move {
        int rank, step, peer, peer_step; // peer -1: the step starts; else a message passes
    };

    const std::vector<step>& steps(int r) const { return p_.ranks[static_cast<std::size_t>(r)]; }
    const step& at(int r, int i) const { return steps(r)[static_cast<std::size_t>(i)]; }
    rank_state& rank(int r) { return ranks_[static_cast<std::size_t>(r)]; }
    char& state(int r, int i) { return rank(r).state[static_cast<std::size_t>(i)]; }

    static bool talks(const step& s) {
        return s.what != action::copy && s.what != action::reduce && s.what != action::reduce_many;
    }
    static bool uses_from(const step& s) { return s.what != action::receive; }
    static std::vector<place> operands(const step& s) {
        if (!uses_from(s)) return {};
        std::vector<place> all{s.from};
        for (int k = 0; s.what == action::reduce_many && k < s.extra; ++k)
            all.push_back({s.more.at(static_cast<std::size_t>(k)), s.from.first, s.from.count});
        return all;
    }
    static bool uses_to(const step& s) { return s.what != action::send; }

    /// What of the user's buffers there is, spelled out from the operations' definitions.
    bool exists(int r, spot x) const {
        const auto [where, chunk] = x;
        if (chunk < 0 || chunk >= p_.chunks) return false;
        const bool mine = chunk / (p_.chunks / p_.size > 0 ? p_.chunks / p_.size : 1) == r;
        using o = schedule::operation;
        if (where > 1) return true;
        switch (p_.what) {
        case o::allreduce:
        case o::scan: return true;
        case o::reduce_scatter: return where == 0 || mine;
        case o::allgather: return where == 1 || mine;
        case o::reduce: return where == 0 || r == p_.root;
        case o::broadcast: return where == 1 || r == p_.root;
        case o::gather: return where == 0 ? mine : r == p_.root;
        case o::scatter: return where == 1 ? mine : r == p_.root;
        case o::exscan: return where == 0 || r > 0;
        case o::alltoall: return r == (where == 0 ? block_of(chunk) % p_.size : block_of(chunk) / p_.size);
        }
        return false;
    }
    bool well_formed(int r, const step& s) const {
        if (talks(s) && (s.peer < 0 || s.peer >= p_.size || s.peer == r)) return false;
        if (uses_to(s) && s.to.where == schedule::buffer::input) return false;
        const bool moves = s.what == action::send || s.what == action::receive || s.what == action::copy;
        if (!moves && only_moves()) return false;
        if (uses_from(s) && uses_to(s) && (s.from.first != s.to.first || s.from.count != s.to.count)) return false;
        if (s.what == action::reduce_many && (s.extra < 1 || s.extra > 7)) return false;
        std::vector<place> named = operands(s);
        if (uses_to(s)) named.push_back(s.to);
        for (const place& x : named) {
            if (x.count < 1 || x.count > p_.chunks) return false;
            for (int c = x.first; c < x.first + x.count; ++c)
                if (!exists(r, {static_cast<int>(x.where), c})) return false;
        }
        return true;
    }
    /// What is joined are sends to one peer, or receives from one, and none needs what another one of the message
    /// writes.
    bool joins_well(int r, int i) const {
        const step& s = at(r, i);
        if (!s.joined) return true;
        if (!talks(s) || i + 1 == static_cast<int>(steps(r).size())) return false;
        const step& t = at(r, i + 1);
        if (!talks(t) || t.peer != s.peer || (t.what == action::send) != (s.what == action::send)) return false;
        for (int j = i + 1; j < static_cast<int>(steps(r).size()); ++j) {
            if (uses_to(s) && uses_to(at(r, j)) &&
                (meet(touched(r, s, false), touched(r, at(r, j), true)) ||
                 meet(touched(r, s, true), touched(r, at(r, j), false))))
                return false;
            if (!at(r, j).joined) break;
        }
        return true;
    }
    std::vector<int> parts_of(int r, int i) const {
        std::vector<int> all{i};
        while (at(r, all.back()).joined) all.push_back(all.back() + 1);
        return all;
    }
    bool is_first(int r, int i) const { return i == 0 || !at(r, i - 1).joined; }
    void set_state(int r, int i, char now) {
        for (const int k : parts_of(r, i)) state(r, k) = now;
    }
    static bool meet(const std::set<spot>& a, const std::set<spot>& b) {
        return std::any_of(a.begin(), a.end(), [&](const spot& x) { return b.count(x) > 0; });
    }
    std::set<spot> all_touched(int r, int i, bool written) const {
        std::set<spot> all;
        for (const int k : parts_of(r, i)) all.merge(touched(r, at(r, k), written));
        return all;
    }
    bool only_moves() const {
        using o = schedule::operation;
        return p_.what == o::allgather || p_.what == o::broadcast || p_.what == o::gather || p_.what == o::scatter ||
               p_.what == o::alltoall;
    }
    /// Of an alltoall: block d * size + s is for rank d from rank s.
    int block_of(int chunk) const { return chunk / (p_.chunks / (p_.size * p_.size)); }
    bool scans() const { return p_.what == schedule::operation::scan || p_.what == schedule::operation::exscan; }
    /// Where the data of a place are: in place, the input is where the output is.
    spot memory_of(int r, const place& x, int k) const {
        const int where = static_cast<int>(x.where), chunk = x.first + k;
        if (!in_place_[static_cast<std::size_t>(r)] || where != 0) return {where, chunk};
        if (p_.what != schedule::operation::alltoall) return {1, chunk};
        const int block = block_of(chunk), pieces = p_.chunks / (p_.size * p_.size); // for rank d lies where d's will
        return {1, (r * p_.size + block / p_.size) * pieces + chunk % pieces};
    }
    std::set<spot> touched(int r, const step& s, bool written) const {
        std::set<spot> all;
        if (uses_to(s))
            for (int k = 0; k < s.to.count; ++k) all.insert(memory_of(r, s.to, k));
        if (!written)
            for (const place& x : operands(s))
                for (int k = 0; k < x.count; ++k) all.insert(memory_of(r, x, k));
        return all;
    }

    void set_up() {
        for (int r = 0; r < p_.size; ++r) {
            rank_state& now = ranks_.emplace_back();
            for (int c = 0; c < p_.chunks; ++c)
                if (exists(r, {0, c}))
                    now.memory[memory_of(r, {schedule::buffer::input, c, 1}, 0)] = {static_cast<char>('a' + r),
                                                                                    static_cast<char>('A' + c)};
            now.state.assign(steps(r).size(), 'w');
            now.reads.resize(steps(r).size());
            for (int i = 0; i < static_cast<int>(steps(r).size()); ++i) order(now, r, i);
        }
    }
    void order(rank_state& now, int r, int i) {
        auto& ends = now.after_end.emplace_back();
        auto& starts = now.after_start.emplace_back();
        if (!is_first(r, i)) return;
        const step& s = at(r, i);
        const auto used = all_touched(r, i, false), written = all_touched(r, i, true);
        for (int j = 0; j < i; ++j) {
            const step& t = at(r, j);
            if (meet(used, touched(r, t, true)) || meet(written, touched(r, t, false))) ends.push_back(j);
            const bool same_way = (s.what == action::send) == (t.what == action::send);
            if (talks(s) && talks(t) && s.peer == t.peer && same_way) starts.push_back(j);
        }
    }

    std::vector<move> possible() {
        std::vector<move> all;
        for (int r = 0; r < p_.size; ++r)
            for (int i = 0; i < static_cast<int>(steps(r).size()); ++i) {
                if (!is_first(r, i)) continue;
                if (state(r, i) == 'w' && may_start(r, i)) all.push_back({r, i, -1, -1});
                if ((state(r, i) != 's' && state(r, i) != 'b') || at(r, i).what != action::send) continue;
                const int peer = at(r, i).peer, j = first_open(peer, r, false);
                if (first_open(r, peer, true) == i && j >= 0 && state(peer, j) == 's') all.push_back({r, i, peer, j});
            }
        return all;
    }
    bool may_start(int r, int i) {
        const auto number = static_cast<std::size_t>(i);
        for (const int j : rank(r).after_end[number])
            if (state(r, j) != 'd' && state(r, j) != 'b') return false;
        for (const int j : rank(r).after_start[number])
            if (state(r, j) == 'w') return false;
        return true;
    }
    int first_open(int r, int peer, bool sending) {
        for (int i = 0; i < static_cast<int>(steps(r).size()); ++i)
            if (talks(at(r, i)) && at(r, i).peer == peer && (at(r, i).what == action::send) == sending &&
                state(r, i) != 'd')
                return i;
        return -1;
    }

    void make(const move& m) {
        if (m.peer >= 0) return pass(m);
        const step& s = at(m.rank, m.step);
        if (talks(s)) {
            set_state(m.rank, m.step, 's');
            for (const int i : parts_of(m.rank, m.step)) {
                const step& part = at(m.rank, i);
                if (s.what == action::send) rank(m.rank).leaving[i] = texts_of(m.rank, part.from);
                // Until its data are there, what a receive will overwrite is worth nothing.
                if (part.what == action::receive && written_.erase({m.rank, i}) == 0)
                    for (int k = 0; k < part.to.count; ++k) rank(m.rank).memory.erase(memory_of(m.rank, part.to, k));
            }
            if (s.what == action::send && messages_ == waiting::in_buffers && random_() % 2 == 0)
                set_state(m.rank, m.step, 'b');
            return;
        }
        for (int k = 0; k < s.from.count; ++k)
            if (s.what == action::reduce_many)
                combine_all(m.rank, s, k);
            else
                combine(m.rank, s, s.what == action::copy ? s.from : s.to, k,
                        s.what == action::copy ? "" : read(m.rank, s.from, k));
        state(m.rank, m.step) = 'd';
        for (const auto& loan : rank(m.rank).reads[static_cast<std::size_t>(m.step)]) {
            answer(m.rank, m.step, loan);
            set_state(loan.sender, loan.step, 'd');
        }
    }
    /// What step i receives may have been written where it goes.
    bool may_be_there(int r, int i) const {
        return !answers_.empty() && answers_[static_cast<std::size_t>(r)].brings(static_cast<std::size_t>(i));
    }
    /// The so many-th message of that rank, from 1.
    int receive_of(int r, int peer, int number) const {
        for (int i = 0; i < static_cast<int>(steps(r).size()); ++i) {
            const step& s = at(r, i);
            if (is_first(r, i) && talks(s) && s.what != action::send && s.peer == peer && --number == 0) return i;
        }
        return -1;
    }
    /// Writes what the step has made of a message to where that lies, if both ranks say so.
    void answer(int r, int i, const rank_state::loan& from) {
        if (answers_.empty()) return;
        const step& s = at(r, i);
        const place& there = at(from.sender, from.step).from;
        for (const schedule::answers::reply& a : answers_[static_cast<std::size_t>(r)].of(i)) {
            const auto awaited =
                answers_[static_cast<std::size_t>(from.sender)].awaited_by(static_cast<std::size_t>(from.step));
            if (a.receive != from.receive || a.message != awaited) continue;
            for (int k = 0; k < s.to.count; ++k)
                rank(from.sender).memory[memory_of(from.sender, there, k)] = rank(r).memory[memory_of(r, s.to, k)];
            answered_.insert({r, a.send});
            written_.insert({from.sender, receive_of(from.sender, r, static_cast<int>(a.message))});
        }
    }
    /// The one step that reads what step i receives, if that is a reduce_many with it as one operand; else -1.
    int reader_of(int r, int i) const {
        const place& x = at(r, i).to;
        if (at(r, i).what != action::receive || static_cast<int>(x.where) < 2 || at(r, i).joined) return -1;
        std::vector<std::set<int>> readers(static_cast<std::size_t>(x.count)); // by chunk, until it is overwritten
        for (int k = 0; k < x.count; ++k)
            for (int j = i + 1; j < static_cast<int>(steps(r).size()); ++j) {
                if (reads(r, at(r, j), memory_of(r, x, k))) readers[static_cast<std::size_t>(k)].insert(j);
                if (touched(r, at(r, j), true).count(memory_of(r, x, k)) > 0) break;
            }
        const std::set<int>& all = readers.front();
        if (all.size() != 1 || std::count(readers.begin(), readers.end(), all) != x.count) return -1;
        const int reader = *all.begin();
        const auto named = operands(at(r, reader));
        const bool once = std::count(named.begin(), named.end(), x) == 1;
        return at(r, reader).what == action::reduce_many && once ? reader : -1;
    }
    bool reads(int r, const step& s, spot x) const {
        std::vector<place> all = operands(s);
        if (s.what == action::reduce) all.push_back(s.to);
        for (const place& y : all)
            for (int k = 0; k < y.count; ++k)
                if (memory_of(r, y, k) == x) return true;
        return false;
    }
    void pass(const move& m) {
        const std::vector<int> parts = parts_of(m.rank, m.step), others = parts_of(m.peer, m.peer_step);
        const bool buffered = state(m.rank, m.step) == 'b';
        if (parts.size() != others.size()) wrong_ = "the ends of a message have different parts";
        for (std::size_t n = 0; n < parts.size() && wrong_.empty(); ++n) pass(m, parts[n], others[n], buffered);
        set_state(m.rank, m.step, 'd');
        set_state(m.peer, m.peer_step, 'd');
        if (!wrong_.empty() || parts.size() > 1) return;
        if (const int reader = reader_of(m.peer, m.peer_step); reader >= 0 && !buffered) {
            state(m.rank, m.step) = 'l';
            rank(m.peer).reads[static_cast<std::size_t>(reader)].push_back({m.rank, m.step, m.peer_step});
        }
    }
    void pass(const move& m, int i, int j, bool buffered) {
        const step &s = at(m.rank, i), &t = at(m.peer, j);
        if (s.from.first != t.to.first || s.from.count != t.to.count) wrong_ = "the ends of a message differ";
        const std::vector<std::string> message = rank(m.rank).leaving[i];
        if (!buffered && texts_of(m.rank, s.from) != message) wrong_ = "overwritten while being sent";
        for (int k = 0; k < s.from.count && wrong_.empty(); ++k) {
            const std::string incoming = message[static_cast<std::size_t>(k)];
            if (answered_.count({m.rank, i}) > 0) {
                const bool is_there = may_be_there(m.peer, j) && read(m.peer, t.to, k) == incoming;
                if (!is_there) wrong_ = "what was to be there already is not";
                continue;
            }
            if (t.what == action::receive)
                rank(m.peer).memory[memory_of(m.peer, t.to, k)] = incoming;
            else
                combine(m.peer, t, t.from, k, incoming);
        }
    }
    /// to = own with `other` on the side that the step names; with no other, to = own.
    void combine(int r, const step& s, const place& own, int k, const std::string& other) {
        const std::string mine = read(r, own, k);
        std::string& to = rank(r).memory[memory_of(r, s.to, k)];
        if (other.empty())
            to = mine;
        else
            to = s.other == schedule::side::left ? "(" + other + mine + ")" : "(" + mine + other + ")";
        if (to.size() > 1000) wrong_ = "contributions without end";
    }
    /// One bracket for all operands: to round once is not to round each time.
    void combine_all(int r, const step& s, int k) {
        std::string all = "(";
        for (const place& x : operands(s)) all += read(r, x, k);
        rank(r).memory[memory_of(r, s.to, k)] = all + ")";
        if (all.size() > 1000) wrong_ = "contributions without end";
    }
    std::string read(int r, const place& x, int k) {
        const auto found = rank(r).memory.find(memory_of(r, x, k));
        if (found != rank(r).memory.end()) return found->second;
        wrong_ = "reads nothing";
        return "?";
    }
    std::vector<std::string> texts_of(int r, const place& x) {
        std::vector<std::string> all;
        for (int k = 0; k < x.count; ++k) all.push_back(read(r, x, k));
        return all;
    }

    std::string result() {
        std::map<int, std::string> sums; // by chunk: what the first rank that has it holds
        for (int r = 0; r < p_.size; ++r)
            for (int c = 0; c < p_.chunks; ++c) {
                if (!exists(r, {1, c})) continue;
                const std::string found = rank(r).memory[{1, c}];
                if (const int source = source_of(c); source >= 0) {
                    if (found != std::string{static_cast<char>('a' + source), static_cast<char>('A' + c)})
                        return "wrong data";
                    continue;
                }
                const int operands = !scans() ? p_.size : p_.what == schedule::operation::scan ? r + 1 : r;
                if (!has_first(operands, found, c)) return "wrong contributions";
                if (scans()) continue;
                if (sums.emplace(c, found).first->second != found) return "different bits";
            }
        return {};
    }
    /// Whose input chunk c of the output is; -1: everybody's.
    int source_of(int c) const {
        using o = schedule::operation;
        if (p_.what == o::broadcast || p_.what == o::scatter) return p_.root;
        if (p_.what == o::alltoall) return block_of(c) % p_.size;
        return only_moves() ? c / (p_.chunks / p_.size) : -1;
    }
    /// The inputs of the first ranks, once each; of a scan in rank order.
    bool has_first(int operands, std::string text, int c) {
        const auto is_bracket = [](char x) { return x == '(' || x == ')'; };
        text.erase(std::remove_if(text.begin(), text.end(), is_bracket), text.end());
        std::string once;
        for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
            once += text[i];
            if (text[i + 1] != static_cast<char>('A' + c)) return false;
        }
        const bool sorted = std::is_sorted(once.begin(), once.end());
        if (scans() && !sorted) return false;
        in_rank_order_ = in_rank_order_ && sorted;
        std::sort(once.begin(), once.end());
        return once == std::string("abcdefghijklmnopqrstuvwxyz").substr(0, static_cast<std::size_t>(operands));
    }

    const schedule::program& p_;
    std::vector<bool> in_place_; ///< by rank
    waiting messages_;
    std::minstd_rand random_;
    std::vector<rank_state> ranks_;
    std::vector<schedule::answers> answers_; ///< by rank; empty: messages bring all data
    std::set<std::pair<int, int>> answered_; ///< sends (rank, step) whose data are there already
    std::set<std::pair<int, int>> written_;  ///< receives (rank, step) that have not begun, but whose data are there
    std::string wrong_;
    bool in_rank_order_ = true;
};

} // namespace tutti::test
