// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../learning_rate.hpp"
#include "request_desk.hpp"
#include "server_port.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::server {

/// One server of a store: the values of its segments, and the state of the rule that pushes go through.
///
/// Memory: that of its segments and their state, three times the values if bulk synchronous. Values and state once more
/// while a checkpoint is written. For each worker a request that waits, and its last lists of keys. With
/// copies, packets to the next server that are under way: at most as many as the windows of all clients, and after a
/// death the segments themselves.
template <class Communicator, update_rule Rule>
class shard_server {
public:
    /// Values are 0 at first. `by` must outlive it. Throws invalid_argument on a rank that is no server, for a silence
    /// that is not above 0, and for a rule whose numbers are not finite; nothing has changed then.
    shard_server(const links<Communicator>& by, Rule rule, server_options options = {})
        : links_(of_server(by, rule)),
          rule_(training::detail::hash_of({std::string(Rule::name) + training::detail::numbers_in_words(rule)})),
          options_(detail::checked(std::move(options))), others_(by.where().layout().servers.size(), by.server()),
          sessions_(by.where().layout().workers.size(), options_.key_lists),
          port_(by, options_.silence,
                std::max<std::uint64_t>(detail::shard<Rule>::most_written(by.where()),
                                        by.where().layout().servers.size())),
          replicas_(port_, by.where(), others_, by.server(), rule, options_.how.is_bulk),
          desk_(port_, by.where(), others_, replicas_, sessions_, options_, by.server()) {}
    shard_server(const shard_server&) = delete;
    shard_server& operator=(const shard_server&) = delete;

    /// Takes its segments from the files that servers of a store with the same keys, segments and rule wrote, however
    /// many there were: from the last save that all of them had written, also if the job died during the next one.
    /// Before serve(). Throws checkpoint_error, and has changed nothing then. All servers must be given the same files.
    void restore(const std::vector<std::string>& files) { replicas_.restore(files); }

    /// Serves until all workers have said goodbye or are lost. Deaths of workers and other servers are no errors.
    /// Throws mismatch if another server has another consistency or rule; aborted if that one has found it first, or
    /// has failed before it served. Throws `error` if one has sent nothing for twice as long as options.silence, or
    /// does not follow the protocol. It is called once.
    ///
    /// A rank that also works calls it in a thread of its own, and has made its world with progress::by_waiters.
    void serve() {
        each_other([this](int s) { listen_to_server(s); });
        each_other([this](int s) { sign(s); });
        for (settle(); !is_over(); settle()) {
            give_sign();
            port_.arrivals().wait(last_sign_ + options_.silence / 4);
        }
        replicas_.finish();
        each_other([this](int s) { port_.say(s, action::bye); });
        port_.finish();
    }

    /// The ranks of workers that were lost: that died, or were silent for too long.
    [[nodiscard]] const std::vector<int>& lost_workers() const noexcept { return lost_workers_; }
    /// The values of a segment, where this server keeps it; else nothing. When it does not serve.
    [[nodiscard]] std::vector<float> values(std::uint32_t segment) const { return replicas_.values(segment); }

private:
    using packet = detail::packet;
    using action = detail::action;

    [[nodiscard]] static const links<Communicator>& of_server(const links<Communicator>& by, const Rule& rule) {
        if (by.server() < 0) reject("shard_server", "this rank is no server of the store");
        training::detail::require_finite("shard_server", rule);
        return by;
    }

    /// Answers all that can be answered. A worker that is found lost may be the one that others waited for.
    void settle() {
        for (bool found_loss = true; found_loss;) {
            desk_.settle();
            found_loss = false;
            for (std::size_t w = 0; w < sessions_.size(); ++w) {
                if (!sessions_.must_listen(w)) continue;
                listen_to_worker(w);
                found_loss |= sessions_.has_ended(w);
            }
        }
    }
    void listen_to_worker(std::size_t w) {
        const auto most = sessions_.has_spoken(w) ? options_.worker_silence : options_.before_first;
        port_.listen_to_worker(
            static_cast<int>(w), most, [this, w](packet&& p) { sessions_.take(w, std::move(p)); },
            [this, w](const error&) {
                lost_workers_.push_back(links_.rank_of_worker(static_cast<int>(w)));
                desk_.end_session(w);
            });
    }

    void listen_to_server(int s) {
        port_.listen_to_server(
            s, [this, s](packet&& p) { take(std::move(p), s); },
            [this, s](const error& e) {
                // One that ends by itself before its first sign may have found that ours differs from its own.
                if (e.why() != cause::lost_peer && (e.why() != cause::aborted || !others_.has_signed(s))) throw e;
                others_.lose(s);
                replicas_.lose(s);
            });
    }
    void take(packet&& p, int from) {
        switch (p.head.what) {
        case action::bye: return others_.note_end(from);
        case action::idle: others_.note_idle(from, p.keys); break;
        case action::alive: compare(p, from); break;
        default:
            if (const char* const wrong = replicas_.take(std::move(p), from)) fail_protocol(from, wrong);
        }
        listen_to_server(from);
    }
    [[noreturn]] void fail_protocol(int from, const char* what) const {
        throw error(tutti::detail::make_fault(cause::mismatch, "shard_server::serve", links_.rank_of_server(from),
                                              std::string("it sent ") + what));
    }
    template <class F>
    void each_other(const F& f) {
        for (int s = 0; s < static_cast<int>(links_.where().layout().servers.size()); ++s)
            if (!others_.is_gone(s)) f(s);
    }

    /// A server that is idle may still have to pass on what others begin. So all are idle before any ends.
    [[nodiscard]] bool is_over() {
        if (sessions_.any_is_left() || replicas_.is_busy()) return false;
        if (others_.must_tell()) each_other([this](int s) { port_.say(s, action::idle, others_.lost()); });
        return others_.all_are_done();
    }
    /// Other servers, and workers that wait for each other, may get nothing from this server for long.
    void give_sign() {
        if (now() < last_sign_ + options_.silence / 4) return;
        last_sign_ = now();
        each_other([this](int s) { sign(s); });
        for (std::size_t w = 0; w < sessions_.size(); ++w)
            if (sessions_.waits(w)) port_.reply(static_cast<int>(w), 0, detail::answer::alive);
    }
    /// By the clock of deadlines.
    [[nodiscard]] std::chrono::steady_clock::time_point now() const {
        return links_.with(links_.rank_of_server(links_.server())).now();
    }
    /// What all servers need to have alike.
    [[nodiscard]] std::vector<std::uint64_t> facts() const {
        return {options_.how.slack, options_.how.is_bulk ? 1U : 0U, rule_};
    }
    /// It lives, and has these facts.
    void sign(int s) { port_.say(s, action::alive, facts()); }
    void compare(const packet& sign, int from) {
        if (sign.keys != facts()) fail_protocol(from, "another consistency or rule: all servers need the same");
        others_.note_sign(from);
    }

    const links<Communicator>& links_;
    std::uint64_t rule_; ///< a hash of its name and numbers
    server_options options_;
    detail::other_servers others_;
    detail::worker_sessions sessions_;
    detail::server_port<Communicator> port_;
    detail::replica_set<Rule, detail::server_port<Communicator>> replicas_;
    detail::request_desk<Rule, detail::server_port<Communicator>> desk_;
    std::vector<int> lost_workers_;
    std::chrono::steady_clock::time_point last_sign_ = now();
};

} // namespace tutti::training::server
