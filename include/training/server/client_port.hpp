// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "client_lanes.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// A client's request that is not answered.
struct open_request {
    std::shared_ptr<const packet> what; ///< with its keys
    std::size_t server;
    std::span<float> to; ///< for the values of a get
    std::uint64_t ticket;
};

/// A client's requests under way, and which server they are at.
template <class Communicator>
class client_port {
public:
    /// `read` is told of each answer to a get of that ticket.
    client_port(const links<Communicator>& by, const client_options& options,
                std::function<void(std::uint64_t ticket, const packet_head&)> read)
        : links_(by), window_(checked(options).window), read_(std::move(read)),
          lanes_(by, options,
                 {[this](std::size_t, const packet& p) { take(p); },
                  [this](std::size_t s, const error& e) { lose(s, e); },
                  [this](const packet_head& h) { return place_of(h); }}) {}
    client_port(const client_port&) = delete;
    client_port& operator=(const client_port&) = delete;
    /// Unless it has finished, what is under way ends, and the servers take this worker for lost.
    ~client_port() {
        if (!has_finished_) lanes_.abort();
    }

    /// Starts a request as soon as the window of its server allows it. The values of a get go to `to`.
    void start(packet&& p, std::span<float> to, std::uint64_t ticket) {
        lanes_.poll();
        while (!failure_ && !has_room(target_of(p.head.segment))) lanes_.wait();
        require_alive();
        submit(std::move(p), target_of(p.head.segment), to, ticket);
        require_alive();
    }
    /// The same for each server that is alive.
    void start_on_all(const packet_head& h, std::uint64_t ticket) {
        for (std::size_t s = 0; s < lanes_.size(); ++s) {
            while (!failure_ && !lanes_.is_lost(s) && !has_room(s)) lanes_.wait();
            if (!lanes_.is_lost(s)) submit({h}, s, {}, ticket);
        }
        require_alive();
    }
    /// What no server answers.
    void tell_all(const packet_head& h) {
        for (std::size_t s = 0; s < lanes_.size(); ++s)
            if (!lanes_.is_lost(s)) lanes_.send(s, make_packet(h));
        lanes_.poll();
    }

    void wait(std::uint64_t ticket) {
        wait_until([&] {
            return std::none_of(open_.begin(), open_.end(), [=](const auto& o) { return o.second.ticket == ticket; });
        });
    }
    void wait_for_all() {
        wait_until([&] { return open_.empty(); });
    }
    /// All that was sent is on its way. Precondition: wait_for_all().
    void finish() {
        lanes_.finish();
        fail(tutti::detail::make_fault(cause::invalid_argument, "client", -1, "it is closed"));
        has_finished_ = true;
    }

    void sign() {
        if (failure_) throw error(*failure_);
        lanes_.sign();
        lanes_.poll();
    }

    [[nodiscard]] int lost() const noexcept { return lanes_.lost(); }
    [[nodiscard]] std::uint64_t lists_saved() const noexcept { return lanes_.lists_saved(); }

private:
    /// Between two questions whether a checkpoint is written.
    static constexpr std::chrono::milliseconds pause{2};

    [[nodiscard]] bool has_room(std::size_t s) {
        if (lanes_.due(s) < window_) return true;
        lanes_.listen(s);
        return lanes_.is_lost(s);
    }
    template <class Over>
    void wait_until(const Over& over) {
        for (;; ask_again()) {
            lanes_.listen_to_all();
            while (!failure_ && !over()) lanes_.wait();
            require_alive();
            if (later_.empty()) break;
        }
        if (refusal_) throw error(*std::exchange(refusal_, {})); // once: the client stays usable
    }
    void ask_again() {
        std::this_thread::sleep_for(pause);
        for (const open_request& r : std::exchange(later_, {}))
            if (!lanes_.is_lost(r.server)) submit(packet(*r.what), r.server, r.to, r.ticket);
    }
    /// A get that has failed must not write to its place afterwards, so all that is under way ends first.
    void require_alive() {
        if (!failure_) return;
        if (!std::exchange(has_ended_, true)) {
            lanes_.abort();
            lanes_.finish();
        }
        throw error(*failure_);
    }
    void fail(fault f) {
        if (!failure_) failure_ = std::move(f);
        open_.clear();
    }

    /// The first server alive of its order. If there is none all fails, and it is any.
    [[nodiscard]] std::size_t target_of(std::uint32_t segment) {
        const auto& order = links_.where().order_of(segment);
        for (const int s : order)
            if (!lanes_.is_lost(static_cast<std::size_t>(s))) return static_cast<std::size_t>(s);
        fail_lost(segment);
        return static_cast<std::size_t>(order.front());
    }
    void fail_lost(std::uint32_t segment) {
        fail(tutti::detail::make_fault(cause::lost_peer, "client", last_lost_,
                                       "all servers that had segment " + std::to_string(segment) + " are lost",
                                       "keep more copies, or go on from a checkpoint"));
    }

    /// Gives it a new number, and sends it.
    void submit(packet&& p, std::size_t s, std::span<float> to, std::uint64_t ticket) {
        if (failure_) return;
        p.head.number = ++numbers_;
        const auto what = make_packet(p.head, std::move(p.keys), std::move(p.values));
        open_.insert_or_assign(numbers_, open_request{what, s, to, ticket});
        lanes_.send_request(s, what);
        // Nobody waits for the answer to a tick before the next call, which may be late.
        if (p.head.what != action::tick) lanes_.listen(s);
    }

    [[nodiscard]] std::optional<std::span<float>> place_of(const packet_head& h) {
        const auto at = open_.find(h.number);
        if (at == open_.end() || h.status != answer::done) return std::nullopt;
        return at->second.to;
    }
    void take(const packet& p) {
        const auto at = open_.find(p.head.number);
        if (at == open_.end()) return; // it was sent again
        const open_request r = at->second;
        if (p.head.status == answer::again) return send_again(r.what->head.segment, p.head.number);
        open_.erase(at);
        switch (p.head.status) {
        case answer::done:
            if (r.what->head.what == action::get) read_(r.ticket, p.head);
            break;
        case answer::later: later_.push_back(r); break;
        case answer::lost: fail_lost(r.what->head.segment); break;
        default: refused(r, p.head.status);
        }
    }
    void refused(const open_request& r, answer how) {
        fault f = tutti::detail::make_fault(
            cause::invalid_argument, "client", links_.rank_of_server(static_cast<int>(r.server)),
            how == answer::failed ? "the server could not write its checkpoint" : "the server refuses it");
        if (is_of_segment(r.what->head.what)) return fail(std::move(f)); // updates behind it cannot be applied
        f.remedy = "see server_options::checkpoint";
        refusal_ = std::move(f);
    }
    /// The server lacked that one, and so has applied none of the segment behind it. With all keys.
    void send_again(std::uint32_t segment, std::uint64_t from) {
        lanes_.forget(segment);
        resubmit([&](const open_request& r) {
            const packet_head& h = r.what->head;
            return h.number >= from && is_of_segment(h.what) && h.segment == segment;
        });
    }
    /// In the order of their calls. What was for all servers is over at one that is lost.
    template <class Which>
    void resubmit(const Which& which) {
        std::vector<open_request> taken;
        std::erase_if(open_, [&](const auto& o) {
            const bool goes = which(o.second);
            if (goes) taken.push_back(o.second);
            return goes;
        });
        for (const open_request& r : taken)
            if (is_of_segment(r.what->head.what))
                submit(packet(*r.what), target_of(r.what->head.segment), r.to, r.ticket);
    }
    void lose(std::size_t s, const error& e) {
        last_lost_ = links_.rank_of_server(static_cast<int>(s));
        if (e.why() != cause::lost_peer && e.why() != cause::aborted) return fail(e.facts());
        resubmit([&](const open_request& r) { return r.server == s; });
    }

    const links<Communicator>& links_;
    int window_;
    std::function<void(std::uint64_t ticket, const packet_head&)> read_;
    std::map<std::uint64_t, open_request> open_; ///< by number, so in the order of their calls
    std::vector<open_request> later_;            ///< to be asked again
    std::uint64_t numbers_ = 0;
    int last_lost_ = -1;
    std::optional<fault> failure_, refusal_;
    bool has_finished_ = false, has_ended_ = false;
    client_lanes<Communicator> lanes_; ///< ends first: its callbacks use the others
};

} // namespace tutti::training::server::detail
