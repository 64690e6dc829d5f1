// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "replica_set.hpp"
#include "saver.hpp"
#include "server_options.hpp"
#include "worker_sessions.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace tutti::training::server::detail {

/// Answers the requests of workers. `Output` is as of replica, and has a fuller reply().
template <update_rule Rule, class Output>
class request_desk {
public:
    using replicas = replica_set<Rule, Output>;

    /// All must outlive it. `self` is this server.
    request_desk(Output& out, const placement& where, const other_servers& others, replicas& kept,
                 worker_sessions& sessions, const server_options& options, int self)
        : out_(out), where_(where), others_(others), kept_(kept), sessions_(sessions), options_(options), self_(self) {}

    /// Answers all that can be answered now.
    void settle() {
        for (bool moved = true; moved;) {
            moved = false;
            if (options_.how.is_bulk) kept_.close_clocks(sessions_.clocks().slowest());
            for (std::size_t w = 0; w < sessions_.size(); ++w)
                moved |= sessions_.each_waiting(w, [&](packet& p) { return handle(w, p); });
        }
    }
    void end_session(std::size_t worker) {
        sessions_.end(worker);
        saver_.forget(static_cast<int>(worker));
    }

private:
    /// False: it has to wait.
    [[nodiscard]] bool handle(std::size_t w, packet& p) {
        p.head.worker = static_cast<std::int32_t>(w);
        switch (p.head.what) {
        case action::tick: sessions_.tick(w); return reply(p, answer::done);
        case action::alive: return true;
        case action::bye: end_session(w); return true;
        case action::save:
        case action::keep: return save(p);
        default: return is_of_segment(p.head.what) ? handle_keys(w, p) : reply(p, answer::refused);
        }
    }
    [[nodiscard]] bool handle_keys(std::size_t w, packet& p) {
        if (p.head.segment >= where_.segments()) return reply(p, answer::refused);
        auto* const r = kept_.find(p.head.segment);
        if (!r) return has_lost(p);
        if (!sessions_.know_keys(w, p)) return reply(p, answer::again);
        if (!is_valid(p, where_.keys_of(p.head.segment).count)) return reply(p, answer::refused);
        if (!r->is_head()) return false; // until the news of the head's death come here too
        if (p.head.what == action::get) return get(*r, p);
        if (options_.how.is_bulk && !may_update(*r, p)) return false;
        r->update(std::move(p));
        return true;
    }
    bool reply(const packet& p, answer a) {
        out_.reply(p.head.worker, p.head.number, a);
        return true;
    }
    /// This server is the first one alive, and has not got the segment from those before it.
    [[nodiscard]] bool has_lost(const packet& p) {
        for (const int s : where_.order_of(p.head.segment)) {
            if (s == self_) break;
            if (!others_.is_lost(s)) return false;
        }
        return reply(p, answer::lost);
    }
    template <class Replica>
    [[nodiscard]] bool get(const Replica& r, const packet& p) {
        const std::uint64_t slowest = sessions_.clocks().slowest();
        if (!options_.how.may_read(p.head.clock, slowest)) return false;
        if (options_.how.is_bulk && r.content().data().closed < p.head.clock) return false;
        out_.reply(p.head.worker, p.head.number, answer::done, slowest, r.content().read(p));
        return true;
    }
    /// Bulk synchronous: in the order of clocks, then of workers.
    template <class Replica>
    [[nodiscard]] bool may_update(const Replica& r, const packet& p) const {
        return r.content().data().closed >= p.head.clock &&
               sessions_.clocks().ended_before(static_cast<std::size_t>(p.head.worker), p.head.clock);
    }
    [[nodiscard]] bool save(const packet& p) {
        if (options_.checkpoint.empty()) return reply(p, answer::refused);
        if (options_.how.is_bulk && !kept_.has_closed(p.head.clock)) return false;
        const std::string file = options_.checkpoint + '.' + std::to_string(self_);
        const std::uint64_t id = p.head.sequence;
        if (p.head.what == action::keep)
            return reply(p,
                         saver_.ask(p.head.worker, p.head, [&] { return [file, id] { return keep_save(file, id); }; }));
        return reply(p, saver_.ask(p.head.worker, p.head, [&] {
            return [file, id, layout = where_.layout(), own = kept_.own()] {
                return write_segments<Rule>(beside(file, id), layout, id, own);
            };
        }));
    }

    Output& out_;
    const placement& where_;
    const other_servers& others_;
    replicas& kept_;
    worker_sessions& sessions_;
    const server_options& options_;
    int self_;
    saver saver_;
};

} // namespace tutti::training::server::detail
