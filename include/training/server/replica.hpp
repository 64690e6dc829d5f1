// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "shard.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// One server's copy of a segment, in a chain of copies. The head, the first one alive, numbers the updates. Each
/// server applies them in that order, and passes them on. The last one acknowledges them, which goes back up the chain.
/// A worker has its answer when all copies have its update. Source: van Renesse and Schneider, Chain Replication, OSDI
/// 2004; between servers as in Li et al., Scaling Distributed Machine Learning with the Parameter Server, OSDI 2014.
///
/// The chain is the first servers alive of the segment's order. When a server gets another one behind it, it sends it
/// all of the segment, which one that is new needs, and which holds what the other may have missed.
///
/// `Output` sends: forward(server, packet), acknowledge(server, segment, number), reply(worker, request, status).
template <update_rule Rule, class Output>
class replica {
public:
    /// `order` has server indexes, `self` among them; the first `copies` of them are the chain.
    replica(Output& out, std::uint32_t segment, std::vector<int> order, std::size_t copies, int self,
            std::size_t workers, shard<Rule> content)
        : out_(out), segment_(segment), order_(std::move(order)), copies_(copies), self_(self), clock_(workers),
          content_(std::move(content)) {}

    [[nodiscard]] shard<Rule>& content() noexcept { return content_; }
    [[nodiscard]] const shard<Rule>& content() const noexcept { return content_; }
    [[nodiscard]] bool is_head() const noexcept { return order_.front() == self_; }
    /// Some updates are not on all servers behind, as far as this one knows.
    [[nodiscard]] bool is_busy() const noexcept { return !unacknowledged_.empty(); }

    /// A worker's update, at the head. Those of a worker come in order; one that comes again, since its answer was
    /// lost, is not applied again.
    void update(packet&& p) {
        auto& known = clock_[static_cast<std::size_t>(p.head.worker)];
        const reply_to to{p.head.worker, p.head.number};
        if (p.head.sequence > known + 1) return out_.reply(to.worker, to.request, answer::again);
        if (p.head.sequence <= known) {
            if (unacknowledged_.empty()) return out_.reply(to.worker, to.request, answer::done);
            return unacknowledged_.back().waiting.push_back(to); // it is there at the latest
        }
        issue(std::move(p), {to});
    }
    /// A bulk synchronous clock ends, at the head.
    void close() { issue({{.what = action::close, .segment = segment_, .worker = -1}}, {}); }

    /// An update from the server before this one. False: some before it are missing.
    [[nodiscard]] bool forwarded(packet&& p, int from) {
        if (p.head.number == last_ + 1) take(std::move(p), from, {});
        return p.head.number <= last_; // an older one is late, from a server that is lost
    }
    /// All of the segment, from a server that is new before this one. False: it does not fit.
    [[nodiscard]] bool adopt(const packet& p, int from) {
        if (p.head.number <= last_ && !is_new_) {
            out_.acknowledge(from, segment_, std::min(p.head.number, acknowledged_));
            for (entry& e : unacknowledged_) e.from = from;
            return true;
        }
        const std::span<const std::uint64_t> numbers(p.keys);
        if (numbers.size() < clock_.size() || !content_.read_all(numbers.subspan(clock_.size()), p.values))
            return false;
        std::copy_n(numbers.begin(), clock_.size(), clock_.begin());
        is_new_ = false;
        last_ = p.head.number;
        if (successor() >= 0) send_all(successor());
        note({last_, from, {}});
        return true;
    }
    /// It has nothing yet but what adopt() will bring.
    void be_new() noexcept { is_new_ = true; }

    /// All servers behind have the updates up to this one.
    void acknowledged(std::uint64_t number) {
        acknowledged_ = std::max(acknowledged_, number);
        while (!unacknowledged_.empty() && unacknowledged_.front().number <= number) {
            const entry e = std::move(unacknowledged_.front());
            unacknowledged_.pop_front();
            conclude(e);
        }
    }
    /// A server is gone. Another one may come behind this one.
    void lose(int server) {
        const int old = successor();
        std::erase(order_, server);
        if (successor() == old) return;
        successor() < 0 ? acknowledged(last_) : send_all(successor());
    }
    /// Nothing is passed on any more.
    void finish() {
        copies_ = 0;
        acknowledged(last_);
    }

private:
    struct reply_to {
        int worker;
        std::uint64_t request;
    };
    /// An update that not all servers behind have.
    struct entry {
        std::uint64_t number;
        int from; ///< the server that waits for its acknowledgement; -1 at the head
        std::vector<reply_to> waiting;
    };

    [[nodiscard]] int successor() const noexcept {
        const auto next = static_cast<std::size_t>(std::find(order_.begin(), order_.end(), self_) - order_.begin()) + 1;
        return next < std::min(copies_, order_.size()) ? order_[next] : -1;
    }
    void send_all(int to) {
        packet p{{.what = action::state, .segment = segment_, .number = last_}, clock_};
        content_.write(p);
        out_.forward(to, make_packet(p.head, std::move(p.keys), std::move(p.values)));
    }
    void issue(packet&& p, std::vector<reply_to> waiting) {
        p.head.number = last_ + 1;
        take(std::move(p), -1, std::move(waiting));
    }
    void take(packet&& p, int from, std::vector<reply_to> waiting) {
        ++last_;
        if (p.head.worker >= 0) clock_[static_cast<std::size_t>(p.head.worker)] = p.head.sequence;
        content_.apply(p);
        if (successor() >= 0) out_.forward(successor(), make_packet(p.head, std::move(p.keys), std::move(p.values)));
        note({last_, from, std::move(waiting)});
    }
    /// It is acknowledged when the servers behind have it.
    void note(entry e) {
        if (successor() >= 0) return unacknowledged_.push_back(std::move(e));
        acknowledged_ = last_;
        conclude(e);
    }
    void conclude(const entry& e) {
        if (e.from >= 0) out_.acknowledge(e.from, segment_, e.number);
        for (const reply_to& to : e.waiting) out_.reply(to.worker, to.request, answer::done);
    }

    Output& out_;
    std::uint32_t segment_;
    std::vector<int> order_; ///< servers that are alive, as far as this one knows
    std::size_t copies_;
    int self_;
    /// The vector clock: by worker, the number of its last update. It travels with each update.
    std::vector<std::uint64_t> clock_;
    shard<Rule> content_;
    std::uint64_t last_ = 0;         ///< number of the last update
    std::uint64_t acknowledged_ = 0; ///< of the last one that all servers behind have
    std::deque<entry> unacknowledged_;
    bool is_new_ = false;
};

} // namespace tutti::training::server::detail
