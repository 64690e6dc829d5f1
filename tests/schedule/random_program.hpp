// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/schedule/program.hpp>

#include <array>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace tutti::test {

/// Writes schedules that nobody would: each range of chunks goes up a random tree of reductions and down another one,
/// along a random path, or up the ranks as a scan, through random buffers, in messages of one part or of two, with
/// steps put in another order here and there. About as many are right as are wrong.
class random_program {
public:
    explicit random_program(unsigned seed) : random_(seed) {}

    schedule::program write() {
        const auto what = schedule::operations[static_cast<std::size_t>(below(schedule::operations.size()))];
        const int size = 2 + below(4), parts = schedule::parts_of(what, size);
        const int chunks = schedule::has_shards(what) ? parts * (1 + below(2)) : 1 + below(4);
        p_ = {what, size, schedule::has_root(what) ? below(size) : 0, below(2) == 1, chunks, {}};
        p_.ranks.resize(static_cast<std::size_t>(size));
        ordered_ = below(3) == 0;
        if (what == schedule::operation::alltoall)
            exchange();
        else if (schedule::has_shards(what))
            for (int r = 0; r < size; ++r) move({r * chunks / size, (r + 1) * chunks / size}, r);
        else
            for (int first = 0, last = 0; first < chunks; first = last) {
                last = first + 1 + below(chunks - first);
                move({first, last}, what == schedule::operation::allreduce ? below(size) : p_.root);
            }
        for (int swaps = below(3) * below(3); swaps > 0; --swaps) swap_some();
        return p_;
    }

private:
    using place = schedule::place;
    using buffer = schedule::buffer;

    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    void put(int rank, const schedule::step& s) { p_.ranks[static_cast<std::size_t>(rank)].push_back(s); }
    place in(buffer b) const { return {b, now_.first, now_.count()}; }
    buffer bank() { return schedule::scratch(below(3)); }

    /// All that is to be done with these chunks; `center` is whom they come from, or go to first.
    void move(schedule::chunk_range chunks, int center) {
        now_ = chunks;
        if (p_.what == schedule::operation::gather) return carry(center, p_.root);
        if (p_.what == schedule::operation::scatter) return carry(p_.root, center);
        if (p_.what == schedule::operation::scan) return scan();
        if (p_.what == schedule::operation::exscan) return exscan();
        if (schedule::reduces(p_.what))
            reduce_to(center);
        else if (!p_.in_place || below(8) == 0)
            put(center, schedule::copy(in(buffer::input), in(buffer::output)));
        if (p_.what == schedule::operation::reduce_scatter || p_.what == schedule::operation::reduce) return;
        std::vector<int> informed{center};
        for (const int r : shuffled(center)) {
            const int from = informed[static_cast<std::size_t>(below(static_cast<int>(informed.size())))];
            message(from, r, buffer::output, schedule::receive(from, in(buffer::output)));
            informed.push_back(r);
        }
    }

    /// Each block by itself, one after the other. In place most wait in scratch until all have been sent.
    void exchange() {
        const int pieces = p_.chunks / (p_.size * p_.size);
        staged_ = p_.in_place && below(8) > 0;
        for (int k = 0; k < p_.size; ++k)
            for (int from = 0; from < p_.size; ++from) {
                const int to = (from + k) % p_.size, block = to * p_.size + from;
                now_ = {block * pieces, (block + 1) * pieces};
                carry(from, to);
            }
        for (const auto& [rank, last] : last_copies_) put(rank, last);
        last_copies_.clear();
        staged_ = false;
    }

    /// From one rank's input to another one's output, by way of others now and then.
    void carry(int from, int to) {
        buffer where = buffer::input;
        for (const int by : shuffled(from)) {
            if (from == to || by == to || below(3) > 0) continue;
            const buffer landing = bank();
            message(from, by, where, schedule::receive(from, in(landing)));
            from = by;
            where = landing;
        }
        if (from != to) {
            const buffer landing = staged_ ? bank() : buffer::output;
            message(from, to, where, schedule::receive(from, in(landing)));
            if (staged_) last_copies_.emplace_back(to, schedule::copy(in(landing), in(buffer::output)));
        } else if (!p_.in_place || below(8) == 0) {
            put(to, schedule::copy(in(where), in(buffer::output)));
        }
    }

    /// Each rank adds its input to the sum of the lower ranks, on the wrong side now and then.
    void scan() {
        buffer sum = buffer::input;
        if (!p_.in_place || below(8) == 0) put(0, schedule::copy(in(buffer::input), in(buffer::output)));
        for (int r = 1; r < p_.size; ++r) {
            const auto side = below(10) == 0 ? schedule::side::right : schedule::side::left;
            sum = meet(r - 1, sum, r, buffer::input, side, below(2) == 0);
            if (sum != buffer::output) put(r, schedule::copy(in(sum), in(buffer::output)));
        }
    }
    void exscan() {
        buffer sum = buffer::input;
        for (int r = 1; r < p_.size; ++r) {
            const buffer lower = below(2) == 0 ? buffer::output : bank();
            message(r - 1, r, sum, schedule::receive(r - 1, in(lower)));
            sum = bank();
            const std::array more{below(10) == 0 ? lower : buffer::input};
            if (r + 1 < p_.size) put(r, schedule::reduce_many(in(lower), more, in(sum)));
            if (lower != buffer::output) put(r, schedule::copy(in(lower), in(buffer::output)));
        }
    }

    std::vector<int> shuffled(int without) {
        std::vector<int> all;
        for (int r = 0; r < p_.size; ++r)
            if (r != without) all.insert(all.begin() + below(static_cast<int>(all.size()) + 1), r);
        return all;
    }

    /// Two that have sums meet until one is left, which is `center`. Where rank order matters, neighbours meet.
    void reduce_to(int center) {
        struct holder {
            int rank;
            buffer where;
        };
        std::vector<holder> left;
        for (int r = 0; r < p_.size; ++r) left.push_back({r, buffer::input});
        while (left.size() > 1) {
            const auto count = static_cast<int>(left.size());
            int i = below(count), j = ordered_ ? i + 1 : below(count);
            if (i == j || j == count) continue;
            const auto side = ordered_ || i < j || below(4) == 0 ? schedule::side::right : schedule::side::left;
            bool into_first = below(2) == 0;
            if (left[static_cast<std::size_t>(i)].rank == center) into_first = true;
            if (left[static_cast<std::size_t>(j)].rank == center) into_first = false;
            holder &to = left[static_cast<std::size_t>(into_first ? i : j)],
                   &from = left[static_cast<std::size_t>(into_first ? j : i)];
            to.where = meet(from.rank, from.where, to.rank, to.where, into_first ? side : turned(side),
                            count == 2 || below(2) == 0);
            left.erase(left.begin() + (into_first ? j : i));
        }
        if (left[0].where != buffer::output) put(center, schedule::copy(in(left[0].where), in(buffer::output)));
    }
    static schedule::side turned(schedule::side s) {
        return s == schedule::side::left ? schedule::side::right : schedule::side::left;
    }

    /// A message. Now and then it has two joined parts, in either order, which lie apart at the sender or are not
    /// joined at one end.
    void message(int from, int to, buffer source, const schedule::step& received) {
        const int all = now_.count();
        if (all < 2 || below(3) > 0) {
            put(from, schedule::send(to, in(source)));
            return put(to, received);
        }
        const int cut = 1 + below(all - 1);
        std::array parts{place{source, now_.first, cut}, place{source, now_.first + cut, all - cut}};
        if (below(2) == 0) std::swap(parts[0], parts[1]);
        if (below(3) == 0) {
            const place elsewhere{bank(), parts[1].first, parts[1].count};
            put(from, schedule::copy(parts[1], elsewhere));
            parts[1] = elsewhere;
        }
        const bool there = below(30) > 0, here = below(30) > 0;
        for (const bool first : {true, false}) {
            const place& x = parts[first ? 0 : 1];
            schedule::step sent = schedule::send(to, x), taken = received;
            taken.from = {received.from.where, x.first, x.count};
            taken.to = {received.to.where, x.first, x.count};
            sent.joined = first && there;
            taken.joined = first && here;
            put(from, sent);
            put(to, taken);
        }
    }

    /// One message and what is done with it; says where the sum is.
    buffer meet(int from, buffer source, int to, buffer own, schedule::side incoming, bool output_if_any) {
        const bool has_output =
            schedule::window(p_.what, p_.at(to), buffer::output, p_.chunks).holds(in(buffer::output));
        const buffer sum = has_output && output_if_any ? buffer::output : bank();
        if (below(6) == 0) {
            const buffer elsewhere = bank();
            put(from, schedule::copy(in(source), in(elsewhere)));
            source = elsewhere;
        }
        const buffer landing = bank();
        switch (below(3)) {
        case 0: message(from, to, source, schedule::receive_reduce(from, in(own), in(sum), incoming)); return sum;
        case 1: {
            message(from, to, source, schedule::receive(from, in(landing)));
            const bool left = incoming == schedule::side::left;
            const std::array more{left ? own : landing};
            put(to, schedule::reduce_many(in(left ? landing : own), more, in(sum)));
            return sum;
        }
        default:
            message(from, to, source, schedule::receive(from, in(landing)));
            put(to, schedule::reduce(in(own), in(landing), turned(incoming)));
            return landing;
        }
    }

    void swap_some() {
        auto& steps = p_.ranks[static_cast<std::size_t>(below(p_.size))];
        if (steps.size() < 2) return;
        const auto i = static_cast<std::size_t>(below(static_cast<int>(steps.size()) - 1));
        std::swap(steps[i], steps[i + 1]);
    }

    std::minstd_rand random_;
    schedule::program p_;
    schedule::chunk_range now_;
    bool ordered_ = false;
    bool staged_ = false;
    std::vector<std::pair<int, schedule::step>> last_copies_; ///< rank and step
};

} // namespace tutti::test
