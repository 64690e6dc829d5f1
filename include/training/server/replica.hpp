// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "shard.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// One server's copy of a segment, in a chain of copies. The head, the first one alive, numbers the updates. Each
/// server applies them in that order, and passes them on. The last one acknowledges them, which goes back up the chain.
/// A worker has its answer when all copies have its update. Source: van Renesse and Schneider, Chain Replication, OSDI
/// 2004; between servers as in Li et al., Scaling Distributed Machine Learning with the Parameter Server, OSDI 2014.
///
/// `Output` sends: forward(server, packet), acknowledge(server, segment, number), reply(worker, request, status).
template <update_rule Rule, class Output>
class replica {
public:
    /// `chain` has server indexes, `self` among them.
    replica(Output& out, std::uint32_t segment, std::vector<int> chain, int self, std::size_t workers,
            shard<Rule> content)
        : out_(out), segment_(segment), chain_(std::move(chain)), self_(self), clock_(workers),
          content_(std::move(content)) {}

    [[nodiscard]] shard<Rule>& content() noexcept { return content_; }
    [[nodiscard]] const shard<Rule>& content() const noexcept { return content_; }
    [[nodiscard]] bool is_head() const noexcept { return chain_.front() == self_; }

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
    void close() {
        packet p;
        p.head.what = action::close;
        p.head.segment = segment_;
        p.head.worker = -1;
        issue(std::move(p), {});
    }

    /// An update from the server before this one. False: some before it are missing.
    [[nodiscard]] bool forwarded(packet&& p, int from) {
        const std::uint64_t number = p.head.number;
        if (number > last_ + 1) return false;
        if (number == last_ + 1) {
            take(std::move(p), from, {});
        } else if (unacknowledged_.empty() || number < unacknowledged_.front().what->head.number) {
            out_.acknowledge(from, segment_, number); // again: the server that was told of it is lost
        } else {
            unacknowledged_[number - unacknowledged_.front().what->head.number].from = from;
        }
        return true;
    }
    /// All servers behind have the updates up to this one.
    void acknowledged(std::uint64_t number) {
        while (!unacknowledged_.empty() && unacknowledged_.front().what->head.number <= number) {
            const entry e = std::move(unacknowledged_.front());
            unacknowledged_.pop_front();
            conclude(e);
        }
    }
    /// A server is gone. The one behind it gets again what may not have reached it.
    void lose(int server) {
        const auto at = std::find(chain_.begin(), chain_.end(), server);
        if (at == chain_.end()) return;
        const int old = successor();
        chain_.erase(at);
        if (old != server) return;
        if (successor() < 0) return acknowledged(last_);
        for (const entry& e : unacknowledged_) out_.forward(successor(), e.what);
    }

private:
    struct reply_to {
        int worker;
        std::uint64_t request;
    };
    /// An update that not all servers behind have.
    struct entry {
        std::shared_ptr<const packet> what;
        int from; ///< the server that waits for its acknowledgement; -1 at the head
        std::vector<reply_to> waiting;
    };

    [[nodiscard]] int successor() const noexcept {
        const auto next = std::find(chain_.begin(), chain_.end(), self_) + 1;
        return next == chain_.end() ? -1 : *next;
    }
    void issue(packet&& p, std::vector<reply_to> waiting) {
        p.head.number = last_ + 1;
        take(std::move(p), -1, std::move(waiting));
    }
    void take(packet&& p, int from, std::vector<reply_to> waiting) {
        ++last_;
        if (p.head.worker >= 0) clock_[static_cast<std::size_t>(p.head.worker)] = p.head.sequence;
        content_.apply(p);
        entry e{make_packet(p.head, std::move(p.keys), std::move(p.values)), from, std::move(waiting)};
        if (successor() < 0) return conclude(e);
        out_.forward(successor(), e.what);
        unacknowledged_.push_back(std::move(e));
    }
    void conclude(const entry& e) {
        if (e.from >= 0) out_.acknowledge(e.from, segment_, e.what->head.number);
        for (const reply_to& to : e.waiting) out_.reply(to.worker, to.request, answer::done);
    }

    Output& out_;
    std::uint32_t segment_;
    std::vector<int> chain_; ///< servers that are alive, as far as this one knows
    int self_;
    /// The vector clock: by worker, the number of its last update. It travels with each update.
    std::vector<std::uint64_t> clock_;
    shard<Rule> content_;
    std::uint64_t last_ = 0; ///< number of the last update
    std::deque<entry> unacknowledged_;
};

} // namespace tutti::training::server::detail
