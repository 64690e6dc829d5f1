// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "consistency.hpp"
#include "key_lists.hpp"
#include "replica.hpp"
#include "segment_files.hpp"
#include "server_port.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::server {

/// How a server serves. `how` must be the same on all servers.
struct server_options {
    consistency how = asynchronous; ///< how far workers may be apart
    std::string checkpoint{};       ///< client::save() writes `checkpoint.index`; empty: refused
    std::chrono::nanoseconds silence = std::chrono::hours(24); ///< a worker that says nothing for longer is lost
    std::size_t key_lists = 16;                                ///< lists of keys that are kept of each worker
};

/// One server of a store: the values of its segments, and the state of the rule that pushes go through.
///
/// Memory: that of its segments and their state, three times the values if bulk synchronous. For each worker up to
/// one request that waits, and its last lists of keys. With copies, packets to the next server that are under way: at
/// most as many as the windows of all clients, and after a death the segments themselves.
template <class Communicator, update_rule Rule>
class shard_server {
public:
    /// Values are 0 at first. `by` must outlive it. Throws invalid_argument on a rank that is no server.
    shard_server(const links<Communicator>& by, Rule rule, server_options options = {})
        : links_(by), rule_(rule), options_(std::move(options)),
          port_(by, options_.silence, content::most_written(by.where())),
          sessions_(by.where().layout().workers.size(), session{detail::key_lists(options_.key_lists)}),
          clocks_(sessions_.size()), others_(by.where().layout().servers.size()) {
        if (by.server() < 0) reject("shard_server", "this rank is no server of the store");
        for (std::uint32_t g = 0; g < by.where().segments(); ++g) {
            const auto chain = by.where().chain_of(g);
            if (std::find(chain.begin(), chain.end(), by.server()) != chain.end()) make_replica(g);
        }
    }

    /// Takes its segments from the files that servers of a store with the same keys, segments and rule wrote, however
    /// many there were. Before serve(). Throws checkpoint_error, and has changed nothing then.
    void restore(const std::vector<std::string>& files) {
        auto found = detail::read_segments<Rule>(files, links_.where().layout());
        for (const auto& [g, r] : replicas_)
            if (!found.contains(g))
                throw checkpoint_error(checkpoint_flaw::other_model, "restore", files.empty() ? "no file" : files[0],
                                       "and those beside it lack segment " + std::to_string(g));
        for (auto& [g, r] : replicas_) r.content().restore(std::move(found.at(g)));
    }

    /// Serves until all workers have said goodbye or are lost. Deaths of workers and other servers are no errors.
    /// Throws `error` if another server has sent nothing for as long as options.silence, or does not follow the
    /// protocol. It is called once.
    ///
    /// A rank that also works calls it in a thread of its own, and has made its world with progress::in_thread.
    void serve() {
        for (std::size_t w = 0; w < sessions_.size(); ++w) listen_to_worker(w);
        each_other_server([this](int s) { listen_to_server(s); });
        for (settle(); workers_left() || is_busy(); settle()) port_.arrivals().wait();
        // A server that is idle may still have to pass on what others begin. So all are idle before any ends.
        each_other_server([this](int s) { port_.say(s, action::idle); });
        while (others_work()) port_.arrivals().wait();
        for (auto& [g, r] : replicas_) r.finish();
        each_other_server([this](int s) { port_.say(s, action::bye); });
        port_.finish();
    }

    /// The values of a segment, where this server keeps it; else nothing. When it does not serve.
    [[nodiscard]] std::vector<float> values(std::uint32_t segment) const {
        const auto at = replicas_.find(segment);
        return at == replicas_.end() ? std::vector<float>() : at->second.content().data().values;
    }

private:
    using content = detail::shard<Rule>;
    using replica = detail::replica<Rule, detail::server_port<Communicator>>;
    using packet = detail::packet;
    using action = detail::action;
    using answer = detail::answer;

    struct session {
        detail::key_lists lists;
        std::optional<packet> held{}; ///< its next request, until it can be answered. Later ones wait at the worker.
        bool has_ended = false;
    };

    struct other_server {
        bool is_idle = false; ///< it begins nothing any more
        bool is_lost = false;
    };

    [[nodiscard]] bool workers_left() const noexcept {
        return std::any_of(sessions_.begin(), sessions_.end(), [](const session& s) { return !s.has_ended; });
    }
    void listen_to_worker(std::size_t w) {
        port_.listen_to_worker(
            static_cast<int>(w), [this, w](packet&& p) { sessions_[w].held = std::move(p); },
            [this, w](const error&) { end_session(w); });
    }
    void end_session(std::size_t w) {
        sessions_[w].has_ended = true;
        sessions_[w].held.reset();
        clocks_.leave(w);
    }

    void listen_to_server(int s) {
        port_.listen_to_server(
            s, [this, s](packet&& p) { take(std::move(p), s); },
            [this, s](const error& e) {
                if (e.why() != cause::lost_peer && e.why() != cause::aborted) throw e;
                lose(s);
            });
    }
    void lose(int server) {
        other(server) = {.is_idle = true, .is_lost = true};
        for (auto& [g, r] : replicas_) r.lose(server);
    }
    [[nodiscard]] other_server& other(int server) noexcept { return others_[static_cast<std::size_t>(server)]; }
    [[nodiscard]] bool others_work() const noexcept {
        const auto idle = std::count_if(others_.begin(), others_.end(), [](const auto& o) { return o.is_idle; });
        return static_cast<std::size_t>(idle) + 1 < others_.size();
    }
    void take(packet&& p, int from) {
        if (p.head.what == action::bye) return;
        if (p.head.what == action::idle)
            other(from).is_idle = true;
        else
            take_update(std::move(p), from);
        listen_to_server(from);
    }
    void take_update(packet&& p, int from) {
        auto at = replicas_.find(p.head.segment);
        const bool is_new = at == replicas_.end();
        if (p.head.what == action::state) {
            if (is_new && p.head.segment < links_.where().segments())
                (at = make_replica(p.head.segment))->second.be_new();
            if (at != replicas_.end() && at->second.adopt(p, from)) return;
            fail_protocol(from, "what is no state of a segment");
        }
        if (is_new) fail_protocol(from, "an update of a segment that is not kept here");
        if (p.head.what == action::ack) return at->second.acknowledged(p.head.number);
        if (!at->second.forwarded(std::move(p), from)) fail_protocol(from, "an update without the one before it");
    }
    auto make_replica(std::uint32_t g) {
        std::vector<int> alive = links_.where().order_of(g);
        std::erase_if(alive, [this](int s) { return other(s).is_lost; });
        const auto& l = links_.where().layout();
        return replicas_
            .try_emplace(
                g, port_, g, std::move(alive), static_cast<std::size_t>(l.copies), links_.server(), l.workers.size(),
                content(rule_, static_cast<std::size_t>(links_.where().keys_of(g).count), options_.how.is_bulk))
            .first;
    }
    [[noreturn]] void fail_protocol(int from, const std::string& what) const {
        fault f;
        f.why = cause::mismatch;
        f.operation = "shard_server::serve";
        f.peer = links_.rank_of_server(from);
        f.detail = "it sent " + what;
        throw error(std::move(f));
    }
    [[nodiscard]] bool is_busy() const noexcept {
        return std::any_of(replicas_.begin(), replicas_.end(), [](const auto& r) { return r.second.is_busy(); });
    }
    template <class F>
    void each_other_server(const F& f) {
        for (int s = 0; s < static_cast<int>(links_.where().layout().servers.size()); ++s)
            if (s != links_.server()) f(s);
    }

    /// Answers all requests that can be answered now.
    void settle() {
        for (bool moved = true; moved;) {
            moved = false;
            if (options_.how.is_bulk) close_clocks();
            for (std::size_t w = 0; w < sessions_.size(); ++w) {
                if (!sessions_[w].held || !handle(w, *sessions_[w].held)) continue;
                moved = true;
                sessions_[w].held.reset();
                if (!sessions_[w].has_ended) listen_to_worker(w);
            }
        }
    }
    void close_clocks() {
        const std::uint64_t slowest = clocks_.slowest();
        for (auto& [g, r] : replicas_)
            while (r.is_head() && r.content().data().closed < slowest) r.close();
    }

    /// False: it has to wait.
    [[nodiscard]] bool handle(std::size_t w, packet& p) {
        p.head.worker = static_cast<std::int32_t>(w);
        switch (p.head.what) {
        case action::tick: clocks_.tick(w); return true;
        case action::bye: end_session(w); return true;
        case action::save: return save(p);
        case action::get:
        case action::put:
        case action::add:
        case action::push: break;
        default: return refuse(p);
        }
        if (p.head.segment >= links_.where().segments()) return refuse(p);
        const auto at = replicas_.find(p.head.segment);
        if (at == replicas_.end()) return has_lost(p);
        if (!know_keys(w, p)) return true;
        if (!is_valid(p)) return refuse(p);
        replica& r = at->second;
        if (!r.is_head()) return false; // until the news of the head's death come here too
        if (p.head.what == action::get) return get(r, p);
        if (options_.how.is_bulk && !may_update(r, p)) return false;
        r.update(std::move(p));
        return true;
    }
    bool refuse(const packet& p) {
        port_.reply(p.head.worker, p.head.number, answer::refused);
        return true;
    }
    /// This server is the first one alive, and has not got the segment from those before it.
    [[nodiscard]] bool has_lost(const packet& p) {
        for (const int s : links_.where().order_of(p.head.segment)) {
            if (s == links_.server()) break;
            if (!other(s).is_lost) return false;
        }
        port_.reply(p.head.worker, p.head.number, answer::lost);
        return true;
    }
    /// Finds the keys of a list that the worker has sent before. False: it is told to send them.
    [[nodiscard]] bool know_keys(std::size_t w, packet& p) {
        if (p.head.hash == 0) return true;
        auto& lists = sessions_[w].lists;
        if (!p.keys.empty()) return lists.add(p.head.segment, p.head.hash, p.keys), true;
        const auto* const keys = lists.find(p.head.segment, p.head.hash);
        if (keys)
            p.keys = *keys;
        else
            port_.reply(p.head.worker, p.head.number, answer::again);
        return keys != nullptr;
    }
    [[nodiscard]] bool is_valid(const packet& p) const {
        const std::uint64_t size = links_.where().keys_of(p.head.segment).count;
        const std::uint64_t meant = p.head.hash == 0 ? p.head.count : p.keys.size();
        if (p.head.hash == 0 && (p.head.first > size || p.head.count > size - p.head.first)) return false;
        if (!p.keys.empty() && p.keys.back() >= size) return false;
        if (std::adjacent_find(p.keys.begin(), p.keys.end(), std::greater_equal<>()) != p.keys.end()) return false;
        return p.values.size() == (p.head.what == action::get ? 0 : meant);
    }
    [[nodiscard]] bool get(replica& r, const packet& p) {
        const std::uint64_t slowest = clocks_.slowest();
        if (!options_.how.may_read(p.head.clock, slowest)) return false;
        if (options_.how.is_bulk && r.content().data().closed < p.head.clock) return false;
        port_.reply(p.head.worker, p.head.number, answer::done, slowest, r.content().read(p));
        return true;
    }
    /// Bulk synchronous: in the order of clocks, then of workers.
    [[nodiscard]] bool may_update(replica& r, const packet& p) const {
        return r.content().data().closed >= p.head.clock &&
               clocks_.ended_before(static_cast<std::size_t>(p.head.worker), p.head.clock);
    }
    [[nodiscard]] bool save(const packet& p) {
        if (options_.checkpoint.empty()) return refuse(p);
        std::map<std::uint32_t, const detail::shard_data<Rule>*> own;
        for (auto& [g, r] : replicas_) {
            if (options_.how.is_bulk && r.is_head() && r.content().data().closed < p.head.clock) return false;
            if (r.is_head()) own.emplace(g, &r.content().data());
        }
        const std::string path = options_.checkpoint + '.' + std::to_string(links_.server());
        const bool written = detail::write_segments<Rule>(path, links_.where().layout(), own);
        port_.reply(p.head.worker, p.head.number, written ? answer::done : answer::failed);
        return true;
    }

    const links<Communicator>& links_;
    Rule rule_;
    server_options options_;
    detail::server_port<Communicator> port_;
    std::map<std::uint32_t, replica> replicas_; ///< by segment
    std::vector<session> sessions_;             ///< by worker
    detail::worker_clocks clocks_;
    std::vector<other_server> others_; ///< by server; this one's place is unused
};

} // namespace tutti::training::server
