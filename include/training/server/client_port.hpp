// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "key_lists.hpp"
#include "links.hpp"
#include "packet.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::server {

/// How a client asks.
struct client_options {
    int window = 16;                                              ///< requests under way at each server
    std::chrono::nanoseconds deadline = std::chrono::seconds(30); ///< how long a server may answer nothing
    std::size_t key_lists = 16; ///< lists of keys that each server is thought to know; as server_options has it
};

namespace detail {

/// A client's requests under way, and which server they are at.
template <class Communicator>
class client_port {
public:
    /// `read` is told of each answer to a get.
    client_port(const links<Communicator>& by, client_options options, std::function<void(const packet_head&)> read)
        : links_(by), options_(options), read_(std::move(read)),
          servers_(by.where().layout().servers.size(), at_server{.lists = key_lists(options.key_lists)}) {
        if (options.window < 1) reject("client_options", "a window must be at least 1");
        if (options.deadline <= options.deadline.zero()) reject("client_options", "a deadline must be longer than 0");
    }
    client_port(const client_port&) = delete;
    client_port& operator=(const client_port&) = delete;
    /// Unless it has finished, what is under way ends, and the servers take this worker for lost.
    ~client_port() {
        if (has_finished_) return;
        for (const int r : links_.where().layout().servers) {
            try {
                links_.with(r).abort("the client of this rank is gone");
            } catch (const error&) {
                // Another thread is inside a call, which is against the rules; the requests wait for their deadline.
            }
        }
    }

    /// Starts a request as soon as the window of its server allows it. Values go to `to`.
    void start(packet&& p, float* to, std::uint64_t ticket) {
        arrivals_.poll();
        while (!failure_ && servers_[target_of(p.head.segment)].due >= options_.window) arrivals_.wait();
        require_alive();
        submit(std::move(p), target_of(p.head.segment), to, ticket);
        require_alive();
    }
    /// The same for each server that is alive.
    void start_on_all(const packet_head& h, std::uint64_t ticket) {
        for (std::size_t s = 0; s < servers_.size(); ++s)
            if (!servers_[s].is_lost) submit({h}, s, nullptr, ticket);
        require_alive();
    }
    /// What no server answers.
    void tell_all(const packet_head& h) {
        for (std::size_t s = 0; s < servers_.size(); ++s)
            if (!servers_[s].is_lost) send(s, make_packet(h));
        arrivals_.poll();
    }

    void wait(std::uint64_t ticket) {
        const auto open = [&] {
            return std::any_of(open_.begin(), open_.end(), [&](const auto& o) { return o.second.ticket == ticket; });
        };
        while (!failure_ && open()) arrivals_.wait();
        require_usable();
    }
    void wait_for_all() {
        while (!failure_ && !open_.empty()) arrivals_.wait();
        require_usable();
    }
    /// All that was sent is on its way. Precondition: wait_for_all().
    void finish() {
        while (!arrivals_.empty()) arrivals_.wait();
        has_finished_ = true;
    }

    [[nodiscard]] int lost() const noexcept {
        return static_cast<int>(
            std::count_if(servers_.begin(), servers_.end(), [](const at_server& s) { return s.is_lost; }));
    }
    [[nodiscard]] std::uint64_t lists_saved() const noexcept { return lists_saved_; }

private:
    struct open_request {
        std::shared_ptr<const packet> what; ///< with its keys
        std::size_t server;
        float* to;
        std::uint64_t ticket;
    };
    struct at_server {
        int due = 0; ///< answers that it owes
        bool listens = false, is_lost = false;
        key_lists lists; ///< that it has been sent; without their keys
    };

    void require_alive() const {
        if (failure_) throw error(*failure_);
    }
    void require_usable() {
        require_alive();
        if (refusal_) throw error(*std::exchange(refusal_, {})); // once: the client stays usable
    }
    void fail(fault f) {
        if (!failure_) failure_ = std::move(f);
        open_.clear();
    }

    /// The first server alive of its order. If there is none all fails, and it is any.
    [[nodiscard]] std::size_t target_of(std::uint32_t segment) {
        const auto& order = links_.where().order_of(segment);
        for (const int s : order)
            if (!servers_[static_cast<std::size_t>(s)].is_lost) return static_cast<std::size_t>(s);
        fail_lost(segment);
        return static_cast<std::size_t>(order.front());
    }
    void fail_lost(std::uint32_t segment) {
        fault f;
        f.why = cause::lost_peer;
        f.operation = "client";
        f.peer = last_lost_;
        f.detail = "all servers that had segment " + std::to_string(segment) + " are lost";
        f.remedy = "keep more copies, or go on from a checkpoint";
        fail(std::move(f));
    }

    /// Gives it a new number, and sends it.
    void submit(packet&& p, std::size_t s, float* to, std::uint64_t ticket) {
        if (failure_) return;
        p.head.number = ++numbers_;
        const auto what = make_packet(p.head, std::move(p.keys), std::move(p.values));
        open_.insert_or_assign(numbers_, open_request{what, s, to, ticket});
        ++servers_[s].due;
        send(s, as_sent(s, what));
        listen(s);
    }
    void send(std::size_t s, const std::shared_ptr<const packet>& p) {
        const int rank = links_.rank_of_server(static_cast<int>(s));
        send_packet(arrivals_, links_.with(rank).with_deadline(options_.deadline), links_.peer(rank), requests, p);
    }
    /// Without its keys, where the server should still know their list.
    [[nodiscard]] std::shared_ptr<const packet> as_sent(std::size_t s, const std::shared_ptr<const packet>& p) {
        if (p->head.hash == 0) return p;
        auto& lists = servers_[s].lists;
        if (!lists.find(p->head.segment, p->head.hash)) return lists.add(p->head.segment, p->head.hash, {}), p;
        ++lists_saved_;
        return make_packet(p->head, {}, p->values);
    }
    void listen(std::size_t s) {
        if (servers_[s].due == 0 || servers_[s].is_lost || std::exchange(servers_[s].listens, true)) return;
        const int rank = links_.rank_of_server(static_cast<int>(s));
        const std::uint64_t most = links_.where().keys_of(0).count; // the first segment is as large as any
        receive_packet(
            arrivals_, links_.with(rank).with_deadline(options_.deadline), links_.peer(rank), replies, most,
            [this, s](packet&& p) {
                servers_[s].listens = false;
                --servers_[s].due;
                take(p);
                listen(s);
            },
            [this, s](const error& e) { lose(s, e); });
    }

    void take(const packet& p) {
        const auto at = open_.find(p.head.number);
        if (at == open_.end()) return; // it was sent again
        const open_request r = at->second;
        if (p.head.status == answer::again) return send_again(r.what->head.segment, at->first);
        open_.erase(at);
        if (p.head.status != answer::done) return refused(r, p.head.status);
        if (!r.to) return;
        std::copy(p.values.begin(), p.values.end(), r.to);
        read_(p.head);
    }
    void refused(const open_request& r, answer how) {
        if (how == answer::lost) return fail_lost(r.what->head.segment);
        fault f;
        f.operation = "client";
        f.peer = links_.rank_of_server(static_cast<int>(r.server));
        f.detail = how == answer::failed ? "the server could not write its checkpoint" : "the server refuses it";
        if (r.what->head.what != action::save) return fail(std::move(f)); // updates behind it cannot be applied
        f.remedy = "see server_options::checkpoint";
        refusal_ = std::move(f);
    }
    /// The server lacked that one, and so has applied none of the segment behind it. With all keys.
    void send_again(std::uint32_t segment, std::uint64_t from) {
        for (at_server& s : servers_) s.lists.forget(segment);
        resubmit([&](std::uint64_t number, const open_request& r) {
            return number >= from && r.what->head.what != action::save && r.what->head.segment == segment;
        });
    }
    /// In the order of their calls.
    template <class Which>
    void resubmit(const Which& which) {
        std::vector<open_request> again;
        std::erase_if(open_, [&](const auto& o) {
            if (!which(o.first, o.second)) return false;
            again.push_back(o.second);
            return true;
        });
        for (const open_request& r : again) {
            if (r.what->head.what == action::save && servers_[r.server].is_lost) continue; // client::save() tells
            submit(packet(*r.what), target_of(r.what->head.segment), r.to, r.ticket);
        }
    }
    void lose(std::size_t s, const error& e) {
        if (std::exchange(servers_[s].is_lost, true)) return;
        last_lost_ = links_.rank_of_server(static_cast<int>(s));
        servers_[s].due = 0;
        if (e.why() != cause::lost_peer && e.why() != cause::aborted) return fail(e.facts());
        resubmit([&](std::uint64_t, const open_request& r) { return r.server == s; });
    }

    const links<Communicator>& links_;
    client_options options_;
    std::function<void(const packet_head&)> read_;
    std::vector<at_server> servers_;
    std::map<std::uint64_t, open_request> open_; ///< by number, so in the order of their calls
    std::uint64_t numbers_ = 0, lists_saved_ = 0;
    int last_lost_ = -1;
    std::optional<fault> failure_, refusal_;
    bool has_finished_ = false;
    detail::arrivals<Communicator> arrivals_;
};

} // namespace detail

} // namespace tutti::training::server
