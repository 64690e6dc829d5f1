// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../buckets/finite_gradients.hpp"
#include "../learning_rate.hpp"
#include "client_port.hpp"
#include "consistency.hpp"
#include "segment_parts.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::server {

/// A worker's access to a store. Ranges of keys go to the servers that keep them. Many requests may be under way.
///
/// Updates (put, add, push) return when their values have been copied. They are acknowledged when flush() or tick()
/// has returned: then all copies of their keys have them, and they are lost only if all copies are. If a server is
/// lost, what it had not answered goes to the next one of the chain, which applies no update twice.
///
/// Updates of one client to a key are applied in the order of its calls, and its gets see those before them. A get may
/// also see updates of others that are not acknowledged yet.
///
/// Errors: timeout where a server answers nothing for the deadline; lost_peer where all copies of a key are lost.
/// After an error but invalid_argument each call throws it again.
/// Memory: the requests under way, at most client_options::window for each server, of a segment each.
template <class Communicator>
class client {
public:
    /// Of a get that has been started.
    using ticket = std::uint64_t;

    /// `by` must outlive it. Throws invalid_argument on a rank that is no worker.
    explicit client(const links<Communicator>& by, client_options options = {})
        : where_(of_worker(by).where()),
          port_(by, options, [this](ticket t, const detail::packet_head& h) { read_at(t, h); }),
          sequence_(where_.segments()), worker_(by.worker()) {}

    /// The values of keys first, first + 1, ..., as many as `into` has.
    void get(std::uint64_t first, std::span<float> into) { wait(start_get(first, into)); }
    /// Starts it. `into` must stay until wait() has returned or thrown, or the client is gone.
    [[nodiscard]] ticket start_get(std::uint64_t first, std::span<float> into) {
        return start(key_range{first, into.size()}, into);
    }
    /// Returns when that get is over.
    void wait(ticket t) {
        port_.wait(t);
        if (const auto read = ages_.extract(t)) staleness_.add(read.mapped());
    }

    /// The values of some keys, which must increase. Servers keep the last lists of keys, so a list that comes again
    /// travels as its hash.
    void get(std::span<const std::uint64_t> keys, std::span<float> into) {
        require_as_many("client::get", keys.size(), into.size());
        wait(start(keys, into));
    }

    /// Takes the place of the values from key `first` on. It counts at once, also if bulk synchronous.
    void put(std::uint64_t first, std::span<const float> values) {
        update(detail::action::put, key_range{first, values.size()}, values, 0);
    }
    /// Is added to the values from key `first` on.
    void add(std::uint64_t first, std::span<const float> values) {
        update(detail::action::add, key_range{first, values.size()}, values, 0);
    }
    /// Gradients from key `first` on, which go through the rule of the servers with this learning rate. The state of
    /// the rule is at the server. Each push to a segment is a step of its own; if bulk synchronous, the sum of all
    /// pushes of a clock is one, with the rate of the last one. Throws invalid_argument for a rate that is no number
    /// from 0 on, and for a gradient that is NaN or infinite, and changes nothing then.
    void push(std::uint64_t first, std::span<const float> gradients, double rate) {
        require_sound(gradients, rate);
        update(detail::action::push, key_range{first, gradients.size()}, gradients, rate);
    }
    /// The same for some keys, which must increase.
    void add(std::span<const std::uint64_t> keys, std::span<const float> values) {
        require_as_many("client", keys.size(), values.size());
        update(detail::action::add, keys, values, 0);
    }
    /// The same for some keys, which must increase.
    void push(std::span<const std::uint64_t> keys, std::span<const float> gradients, double rate) {
        require_sound(gradients, rate);
        require_as_many("client", keys.size(), gradients.size());
        update(detail::action::push, keys, gradients, rate);
    }

    /// Returns when all updates so far are acknowledged, and all gets over.
    void flush() { port_.wait_for_all(); }
    /// Flushes, and enters the next clock.
    void tick() {
        flush();
        ++clock_;
        port_.start_on_all({.what = detail::action::tick}, ++tickets_);
    }
    /// Ticks so far.
    [[nodiscard]] std::uint64_t clock() const noexcept { return clock_; }

    /// Has each server write its checkpoint, while it goes on serving. The one before it is replaced when all servers
    /// have written: at any time one of both can be restored. If bulk synchronous, it is that of the last clock, and
    /// waits for the other workers to end it. Else each server's values are those of the moment when the call comes to
    /// it. Throws invalid_argument if a server could not write, or has no file to write to; lost_peer if a server is
    /// lost meanwhile. After both it can be called again.
    void save() {
        flush();
        const int lost = port_.lost();
        const detail::packet_head h{.sequence = next_save(), .clock = clock_};
        ask_all(h, detail::action::save);
        if (port_.lost() != lost) fail_save();
        ask_all(h, detail::action::keep);
    }

    /// Tells servers that this worker lives: for computations longer than server_options::worker_silence. They are told
    /// once each client_options::sign_every at most, so it may be called often.
    void sign() { port_.sign(); }

    /// Flushes and says goodbye to all servers, which end when all workers have done so. Nothing may be called
    /// afterwards. A client that is destroyed without it counts as lost.
    void close() {
        flush();
        port_.tell_all({.what = detail::action::bye});
        port_.finish();
    }

    /// How old what this client read was: each get counts once, when it has been waited for, by the oldest of its
    /// parts.
    [[nodiscard]] const staleness_histogram& staleness() const noexcept { return staleness_; }
    /// Servers that it has lost.
    [[nodiscard]] int servers_lost() const noexcept { return port_.lost(); }
    /// Lists of keys that went as a hash.
    [[nodiscard]] std::uint64_t lists_saved() const noexcept { return port_.lists_saved(); }

private:
    void read_at(ticket t, const detail::packet_head& h) {
        std::uint64_t& age = ages_[t];
        age = std::max(age, clock_ > h.clock ? clock_ - h.clock : 0);
    }

    [[nodiscard]] static const links<Communicator>& of_worker(const links<Communicator>& by) {
        if (by.worker() < 0) reject("client", "this rank is no worker of the store");
        return by;
    }
    void ask_all(detail::packet_head h, detail::action what) {
        h.what = what;
        const ticket t = ++tickets_;
        port_.start_on_all(h, t);
        wait(t);
    }
    /// The time, so that the saves of a later job count as later, and the worker, so that no two give the same.
    [[nodiscard]] std::uint64_t next_save() {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
        last_save_ = std::max(last_save_ + 1, static_cast<std::uint64_t>(time));
        return last_save_ << 20U | static_cast<std::uint64_t>(worker_);
    }
    [[noreturn]] static void fail_save() {
        throw error(tutti::detail::make_fault(cause::lost_peer, "client::save", -1,
                                              "a server was lost meanwhile, and others now keep its segments",
                                              "save again"));
    }

    /// A NaN would come to all workers with the weights, and nobody could say whose it was.
    static void require_sound(std::span<const float> gradients, double rate) {
        training::detail::require_rate("client::push", rate);
        if (training::detail::all_finite(gradients)) return;
        std::size_t bad = 0;
        while (training::detail::all_finite(gradients.subspan(bad, 1))) ++bad;
        reject("client::push", "gradient " + std::to_string(bad) + " of these is NaN or infinite",
               "leave out this push");
    }
    static void require_as_many(const char* call, std::size_t keys, std::size_t values) {
        if (keys != values) reject(call, std::to_string(values) + " values for " + std::to_string(keys) + " keys");
    }
    /// Calls act(packet, i) for each part of a request, whose first key is the i-th of all.
    template <class Keys, class Act>
    void each_part(detail::action what, const Keys& keys, const Act& act) {
        detail::each_part(where_, keys, [&](detail::packet_head h, std::vector<std::uint64_t>&& of, std::size_t from) {
            h.what = what;
            h.clock = clock_;
            act(detail::packet{h, std::move(of)}, from);
        });
    }
    template <class Keys>
    [[nodiscard]] ticket start(const Keys& keys, std::span<float> into) {
        const ticket t = ++tickets_;
        each_part(detail::action::get, keys, [&](detail::packet&& p, std::size_t from) {
            const auto to = into.subspan(from, p.head.count);
            port_.start(std::move(p), to, t);
        });
        return t;
    }
    template <class Keys>
    void update(detail::action what, const Keys& keys, std::span<const float> values, double rate) {
        each_part(what, keys, [&](detail::packet&& p, std::size_t from) {
            const auto some = values.subspan(from, p.head.count);
            p.values.assign(some.begin(), some.end());
            p.head.rate = rate;
            p.head.sequence = ++sequence_[p.head.segment]; // if it cannot start, nothing can any more
            port_.start(std::move(p), {}, 0);
        });
    }

    const placement& where_;
    staleness_histogram staleness_;
    std::map<ticket, std::uint64_t> ages_; ///< of gets that have not been waited for
    detail::client_port<Communicator> port_;
    std::vector<std::uint64_t> sequence_; ///< by segment: updates so far
    int worker_;
    std::uint64_t clock_ = 0, last_save_ = 0;
    ticket tickets_ = 0;
};

} // namespace tutti::training::server
