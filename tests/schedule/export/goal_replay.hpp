// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "goal_reader.hpp"

#include <algorithm>
#include <list>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace goal_test {

/// LogGP in nanoseconds.
struct network {
    long long L = 0, o = 0, g = 0, G = 0;
};

/// Runs GOAL as LogGOPSim does: every message eager, one processor and one network interface a rank, both of which a
/// receive occupies while its bytes arrive; a message goes to the first receive posted of its source and tag.
class replay {
public:
    replay(std::vector<rank_operations> ranks, const network& net)
        : ranks_(std::move(ranks)), net_(net), hosts_(ranks_.size()) {
        for (int r = 0; r < static_cast<int>(ranks_.size()); ++r) {
            for (int i = 0; i < static_cast<int>(ranks_[static_cast<std::size_t>(r)].size()); ++i)
                if (at(r, i).waits == 0) free_.push_back(i);
            begin_free(r);
        }
        while (!events_.empty()) {
            const event e = events_.top();
            events_.pop();
            e.message ? arrive(e) : run(e);
            begin_free(e.rank);
        }
        check();
    }
    /// When the last rank has finished.
    [[nodiscard]] long long finish_ns() const {
        long long last = 0;
        for (const host& h : hosts_) last = std::max(last, h.processor);
        return last;
    }

private:
    struct event {
        long long time = 0, number = 0; ///< the number decides between equal times, and stays when it must wait
        int rank = -1, op = -1;         ///< of a message that is on its way, where it goes and the send
        bool message = false;
        int from = -1;
        bool operator<(const event& other) const { // a queue's top is its largest
            return time != other.time ? time > other.time : number > other.number;
        }
    };
    struct waiting {
        int peer, op;
        long long tag, size;
    };
    struct host {
        long long processor = 0, sends = 0, receives = 0; ///< free again from
        std::list<waiting> posted, unexpected;
        std::size_t done = 0;
    };

    operation& at(int r, int i) { return ranks_[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)]; }
    host& on(int r) { return hosts_[static_cast<std::size_t>(r)]; }

    void run(event e) {
        const operation& x = at(e.rank, e.op);
        host& h = on(e.rank);
        if (x.what == kind::receive) return post(e.rank, e.op);
        const long long free = x.what == kind::send ? std::max(h.processor, h.sends) : h.processor;
        if (free > e.time) {
            e.time = free;
            return events_.push(e);
        }
        if (x.what == kind::calc) {
            h.processor = e.time + x.size;
        } else {
            h.processor = e.time + net_.o;
            h.sends = e.time + net_.g + (x.size - 1) * net_.G;
            events_.push({e.time + net_.o + net_.L, number_++, x.peer, e.op, true, e.rank});
        }
        release(e.rank, x.after_start);
        end(e.rank, e.op);
    }
    void post(int r, int i) {
        const operation& x = at(r, i);
        release(r, x.after_start);
        if (take(on(r).unexpected, x.peer, x.tag, x.size) >= 0) return end(r, i);
        on(r).posted.push_back({x.peer, i, x.tag, x.size});
    }
    void arrive(event e) {
        const operation& x = at(e.from, e.op);
        host& h = on(e.rank);
        if (const long long free = std::max(h.processor, h.receives); free > e.time) {
            e.time = free;
            return events_.push(e);
        }
        h.processor = e.time + net_.o + (x.size - 1) * net_.G;
        h.receives = e.time + net_.g + (x.size - 1) * net_.G;
        if (const int receive = take(h.posted, e.from, x.tag, x.size); receive >= 0) return end(e.rank, receive);
        h.unexpected.push_back({e.from, e.op, x.tag, x.size});
    }
    static int take(std::list<waiting>& list, int peer, long long tag, long long size) {
        const auto found = std::ranges::find_if(list, [&](const waiting& w) { return w.peer == peer && w.tag == tag; });
        if (found == list.end()) return -1;
        if (found->size != size) throw std::runtime_error("a send and its receive have different sizes");
        const int op = found->op;
        list.erase(found);
        return op;
    }

    void end(int r, int i) {
        ++on(r).done;
        release(r, at(r, i).after_end);
    }
    void release(int r, const std::vector<int>& list) {
        for (const int i : list)
            if (--at(r, i).waits == 0) free_.push_back(i);
    }
    /// All that an event has freed is of its rank.
    void begin_free(int r) {
        std::ranges::stable_sort(free_, {}, [&](int i) { return at(r, i).what; });
        for (const int i : free_) {
            const long long begin =
                at(r, i).what == kind::send ? std::max(on(r).processor, on(r).sends) : on(r).processor;
            events_.push({begin, number_++, r, i, false, -1});
        }
        free_.clear();
    }
    void check() const {
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            const host& h = hosts_[r];
            if (!h.unexpected.empty()) throw std::runtime_error("rank " + std::to_string(r) + " leaves a message");
            if (!h.posted.empty()) throw std::runtime_error("rank " + std::to_string(r) + " waits for a message");
            if (h.done != ranks_[r].size()) throw std::runtime_error("rank " + std::to_string(r) + " is stuck");
        }
    }

    std::vector<rank_operations> ranks_;
    network net_;
    std::vector<host> hosts_;
    std::priority_queue<event> events_;
    std::vector<int> free_;
    long long number_ = 0;
};

/// When LogGOPSim would finish; throws if it would not, or could not read the text.
[[nodiscard]] inline long long finish_ns(const std::string& text, const network& net = {1000, 0, 0, 1}) {
    return replay(reader(text).ranks(), net).finish_ns();
}

} // namespace goal_test
