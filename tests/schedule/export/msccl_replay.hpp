// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "msccl_reader.hpp"

#include <cstdint>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace msccl_test {

/// Which chunk of the data it is, and how often it has each rank's contribution: four bits a rank, up to 16 ranks.
struct value {
    int chunk = -1;
    std::uint64_t times = 0;
    friend bool operator==(const value&, const value&) = default;
};

/// How the interpreter happens to run: which of the blocks that can go on does, and whether a message waits for its
/// receive or is stored.
struct weather {
    unsigned seed = 0; ///< 0: always the first block; 1: always the last; others: any
    bool stored = false;
};

/// Runs an algorithm on symbols.
class replay {
public:
    replay(const algorithm& a, const weather& w) : a_(a), stored_(w.stored) {
        const auto size = a.gpus.size();
        channels_.resize(size * size);
        for (std::size_t r = 0; r < size; ++r) {
            ranks_.push_back(memory_of(static_cast<int>(r)));
            for (std::size_t b = 0; b < a.gpus[r].blocks.size(); ++b) runners_.push_back({r, b});
        }
        std::mt19937 dice(w.seed);
        while (run_one(w.seed, dice)) {
        }
        for (const runner& x : runners_)
            if (x.next < steps(x).size())
                fail("rank " + std::to_string(x.rank) + " is stuck in block " + std::to_string(x.block));
        for (const auto& c : channels_)
            if (!c.empty()) fail("a message that nobody receives");
    }

    /// What the output of a rank holds.
    [[nodiscard]] std::vector<value> output(int rank) const {
        const memory& m = ranks_[static_cast<std::size_t>(rank)];
        const auto first = m.cells.begin() + m.starts.at('o');
        return {first, first + a_.gpus[static_cast<std::size_t>(rank)].chunks.at('o')};
    }

private:
    struct memory {
        std::vector<value> cells;
        std::map<char, int> starts;
    };
    struct runner {
        std::size_t rank, block, next = 0;
    };
    struct message {
        std::vector<value> data;
        const step* sent;
        bool taken = false;
    };

    [[noreturn]] static void fail(const std::string& why) { throw std::runtime_error(why); }
    [[nodiscard]] const std::vector<step>& steps(const runner& x) const {
        return a_.gpus[x.rank].blocks[x.block].steps;
    }
    [[nodiscard]] int shard(int rank) const { return rank * (a_.chunks / static_cast<int>(a_.gpus.size())); }
    /// Buffers as a call of NCCL has them: in place, the smaller one of input and output is the rank's part of the
    /// other.
    [[nodiscard]] memory memory_of(int rank) const {
        const std::map<char, int>& chunks = a_.gpus[static_cast<std::size_t>(rank)].chunks;
        const int input = chunks.at('i'), output = chunks.at('o');
        const bool gathers = a_.collective == "allgather" || a_.collective == "gather";
        const bool shares = a_.collective == "reducescatter" || a_.collective == "scatter";
        const int skip_in = a_.in_place && gathers && output > 0 ? shard(rank) : 0;
        const int skip_out = a_.in_place && shares && input > 0 ? shard(rank) : 0;
        memory m;
        m.starts = {{'i', skip_in}, {'o', skip_out + (a_.in_place ? 0 : input)}, {'s', input + output}};
        m.cells.resize(static_cast<std::size_t>(input + output + chunks.at('s')));
        const int first_id = gathers ? shard(rank) : 0;
        for (int c = 0; c < input; ++c)
            m.cells[static_cast<std::size_t>(m.starts['i'] + c)] = {first_id + c, std::uint64_t{1} << (4 * rank)};
        return m;
    }

    bool run_one(unsigned seed, std::mt19937& dice) {
        const std::size_t count = runners_.size(), from = seed > 1 ? dice() % count : 0;
        for (std::size_t k = 0; k < count; ++k) {
            runner& x = runners_[seed == 1 ? count - 1 - k : (from + k) % count];
            if (x.next < steps(x).size() && run(x, steps(x)[x.next])) return true;
        }
        return false;
    }
    /// One step, if it can go on; a send that waits for its receive is seen a second time.
    bool run(runner& x, const step& s) {
        if (s.block >= 0 && !ended(x.rank, s)) return false;
        if (s.type == "s") return send(x, s);
        if (s.type == "r" || s.type == "rrc") {
            const auto from = static_cast<std::size_t>(a_.gpus[x.rank].blocks[x.block].receive);
            std::deque<message>& c = channels_[from * a_.gpus.size() + x.rank];
            if (c.empty() || c.front().taken) return false;
            receive(x, s, c.front());
            stored_ ? c.pop_front() : void(c.front().taken = true);
        } else if (s.type != "nop") {
            for (int k = 0; k < s.count; ++k) {
                value& to = at(x.rank, s.target, s.target_offset + k);
                const value from = read(x.rank, s.source, s.source_offset + k);
                to = s.type == "re" ? sum(read(x.rank, s.target, s.target_offset + k), from) : from;
            }
        }
        ++x.next;
        return true;
    }
    bool send(runner& x, const step& s) {
        const auto to = static_cast<std::size_t>(a_.gpus[x.rank].blocks[x.block].send);
        std::deque<message>& c = channels_[x.rank * a_.gpus.size() + to];
        if (!stored_ && !c.empty()) {
            if (!c.front().taken) return false;
            c.pop_front();
            ++x.next;
            return true;
        }
        c.push_back({{}, &s});
        for (int k = 0; k < s.count; ++k) c.back().data.push_back(read(x.rank, s.source, s.source_offset + k));
        if (stored_) ++x.next;
        return true;
    }
    void receive(const runner& x, const step& s, const message& m) {
        const step& sent = *m.sent;
        if (sent.target != s.target || sent.target_offset != s.target_offset || sent.count != s.count)
            fail("a send names another target than its receive");
        if (s.type == "r" && (sent.source != s.source || sent.source_offset != s.source_offset))
            fail("a receive names another source than its send");
        for (int k = 0; k < s.count; ++k) {
            const value incoming = m.data[static_cast<std::size_t>(k)];
            at(x.rank, s.target, s.target_offset + k) =
                s.type == "r" ? incoming : sum(read(x.rank, s.source, s.source_offset + k), incoming);
        }
    }
    [[nodiscard]] bool ended(std::size_t rank, const step& s) const {
        for (const runner& x : runners_)
            if (x.rank == rank && x.block == static_cast<std::size_t>(s.block))
                return x.next > static_cast<std::size_t>(s.step);
        return false;
    }
    value& at(std::size_t rank, char buffer, int offset) {
        memory& m = ranks_[rank];
        return m.cells.at(static_cast<std::size_t>(m.starts[buffer] + offset));
    }
    value read(std::size_t rank, char buffer, int offset) {
        const value v = at(rank, buffer, offset);
        if (v.times == 0) fail("rank " + std::to_string(rank) + " reads what nobody has written");
        return v;
    }
    static value sum(const value& a, const value& b) {
        if (a.chunk != b.chunk) fail("two chunks are added");
        return {a.chunk, a.times + b.times};
    }

    const algorithm& a_;
    bool stored_;
    std::vector<memory> ranks_;
    std::vector<runner> runners_;
    std::vector<std::deque<message>> channels_; ///< by (from, to)
};

/// What a rank's output must be.
[[nodiscard]] inline std::vector<value> promised(const algorithm& a, int rank, int root) {
    const int size = static_cast<int>(a.gpus.size()), width = a.chunks / size;
    const auto own = [](int r) { return std::uint64_t{1} << (4 * r); };
    std::uint64_t all = 0;
    for (int r = 0; r < size; ++r) all += own(r);
    std::vector<value> output;
    if ((a.collective == "reduce" || a.collective == "gather") && rank != root) return output;
    const bool shares = a.collective == "reducescatter" || a.collective == "scatter";
    const bool from_root = a.collective == "broadcast" || a.collective == "scatter";
    for (int c = 0; c < a.chunks; ++c) {
        if (shares && c / width != rank) continue;
        if (a.collective == "alltoall") {
            output.push_back({rank * width + c % width, own(c / width)});
            continue;
        }
        const bool gathers = a.collective == "allgather" || a.collective == "gather";
        output.push_back({c, gathers ? own(c / width) : from_root ? own(root) : all});
    }
    return output;
}

/// Runs it in several orders, with messages stored and not; throws if any result is not as promised.
inline void prove(const algorithm& a, int root) {
    for (unsigned seed = 0; seed < 4; ++seed)
        for (const bool stored : {false, true}) {
            const replay r(a, {seed, stored});
            for (int rank = 0; rank < static_cast<int>(a.gpus.size()); ++rank)
                if (r.output(rank) != promised(a, rank, root))
                    throw std::runtime_error("rank " + std::to_string(rank) + " has another result");
        }
}

} // namespace msccl_test
