// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"
#include "fair_shares.hpp"
#include "traffic.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tutti::model {

/// What a step of the device engine does.
enum class gpu_action : std::uint8_t {
    combine,     ///< reads some ranks' memory, and writes its own
    post,        ///< tells the peer that a message may be read
    await_post,  ///< waits for a message of the peer
    acknowledge, ///< tells the peer that its messages up to this one were read
    await_taken, ///< waits until the peer has read the messages to it up to this one
};

/// One step of a rank, as a plan of the device engine has it.
struct gpu_step {
    gpu_action what = gpu_action::combine; ///< what is done
    int peer = 0;                          ///< of all but a combine
    std::uint32_t number = 0;              ///< of the message, from 1 on each channel
    double bytes = 0;                      ///< of a combine: read from each source, and written
    std::vector<int> sources{};            ///< of a combine: the ranks whose memory is read
};

namespace detail {

/// The steps of all ranks as they run. A rank does its own strictly in their order. Only what moves bytes is shared,
/// so all other steps are done as soon as their time is known.
class gpu_simulation {
public:
    gpu_simulation(const gpu_host& on, const gpu_placement& where, std::span<const std::vector<gpu_step>> steps)
        : on_(on), where_(where), steps_(steps), ranks_(steps.size()), told_(2 * steps.size() * steps.size()) {
        for (rank& r : ranks_) r.ready_s = on.launch_s;
    }

    [[nodiscard]] double run() {
        go_on();
        for (double now = next_s(); now < never; now = next_s()) {
            for (rank& r : ranks_)
                if (r.now == doing::moving) r.left -= (now - now_s_) * r.speed;
            now_s_ = now;
            for (rank& r : ranks_) {
                if (r.now == doing::moving && r.end_s <= now) end_combine(r);
                if (r.now == doing::starting && r.ready_s <= now) r.now = doing::moving;
            }
            go_on();
            share();
        }
        double last_s = 0;
        for (const rank& r : ranks_) {
            if (r.now != doing::nothing)
                reject("simulate_gpus", "rank " + std::to_string(&r - ranks_.data()) + " waits for ever");
            last_s = std::max(last_s, r.ready_s);
        }
        return last_s;
    }

private:
    static constexpr double never = std::numeric_limits<double>::infinity();
    enum class doing : std::uint8_t { steps, waiting, starting, moving, nothing };
    struct rank {
        std::size_t at = 0; ///< its next step
        doing now = doing::steps;
        double ready_s = 0;                ///< when that step may begin
        std::vector<double> wanted{};      ///< of a combine: see fair_shares()
        double alone_s = 0, latency_s = 0; ///< of a combine: the time that its bytes take alone, and its loads' latency
        double left = 1, speed = 0, end_s = 0; ///< of a combine: its part that is left, parts a second, the end
    };

    [[nodiscard]] std::vector<double>& told(gpu_action what, int from, int to) {
        const std::size_t taken = what == gpu_action::acknowledge ? 1 : 0, n = ranks_.size();
        return told_[(taken * n + static_cast<std::size_t>(from)) * n + static_cast<std::size_t>(to)];
    }

    /// Every rank does what it can; what one tells may let another go on.
    void go_on() {
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t r = 0; r < ranks_.size(); ++r) {
                const std::size_t before = ranks_[r].at;
                if (ranks_[r].now == doing::steps || ranks_[r].now == doing::waiting) go_on(static_cast<int>(r));
                moved = moved || ranks_[r].at > before;
            }
        }
    }
    void go_on(int number) {
        rank& r = ranks_[static_cast<std::size_t>(number)];
        const auto& steps = steps_[static_cast<std::size_t>(number)];
        for (; r.at < steps.size(); ++r.at) {
            r.now = take(number, r, steps[r.at]);
            if (r.now != doing::steps) return;
        }
        r.now = doing::nothing;
    }

    /// `steps`, where the step is over and `ready_s` its end.
    [[nodiscard]] doing take(int number, rank& r, const gpu_step& s) {
        if (s.what == gpu_action::combine) return prepare_combine(number, r, s);
        const gpu_signals& between = signals_between(on_, where_, number, s.peer);
        if (s.what == gpu_action::post || s.what == gpu_action::acknowledge) {
            r.ready_s += between.signal_s;
            auto& heard = told(s.what, number, s.peer);
            heard.resize(std::max<std::size_t>(heard.size(), s.number), r.ready_s + between.latency_s);
            return doing::steps;
        }
        const auto& heard =
            told(s.what == gpu_action::await_post ? gpu_action::post : gpu_action::acknowledge, s.peer, number);
        if (heard.size() < s.number) return doing::waiting;
        r.ready_s = std::max(r.ready_s, s.number == 0 ? 0 : heard[s.number - 1]);
        return doing::steps;
    }
    [[nodiscard]] doing prepare_combine(int number, rank& r, const gpu_step& s) const {
        gpu_traffic moved(on_, where_);
        r.latency_s = 0;
        for (const int source : s.sources) {
            moved.read(number, source, s.bytes);
            if (source != number)
                r.latency_s = std::max(r.latency_s, 2 * signals_between(on_, where_, number, source).latency_s);
        }
        moved.write(number, number, s.bytes);
        r.alone_s = moved.longest_s();
        if (r.alone_s <= 0) {
            r.ready_s += s.bytes > 0 ? r.latency_s : 0;
            return doing::steps;
        }
        r.wanted.assign(moved.busy_s().begin(), moved.busy_s().end());
        for (double& w : r.wanted) w /= r.alone_s;
        r.left = 1;
        return doing::starting;
    }
    void end_combine(rank& r) {
        r.ready_s = r.end_s + r.latency_s;
        ++r.at;
        r.now = doing::steps;
    }

    /// Gives those that move their speeds, until one begins or ends.
    void share() {
        std::vector<std::vector<double>> wanted;
        for (const rank& r : ranks_)
            if (r.now == doing::moving) wanted.push_back(r.wanted);
        const std::vector<double> shares = fair_shares(wanted);
        auto share = shares.begin();
        for (rank& r : ranks_)
            if (r.now == doing::moving) {
                r.speed = *share++ / r.alone_s;
                r.end_s = now_s_ + std::max(0.0, r.left) / r.speed;
            }
    }
    [[nodiscard]] double next_s() const noexcept {
        double next = never;
        for (const rank& r : ranks_) {
            if (r.now == doing::starting) next = std::min(next, std::max(now_s_, r.ready_s));
            if (r.now == doing::moving) next = std::min(next, r.end_s);
        }
        return next;
    }

    gpu_host on_;
    gpu_placement where_;
    std::span<const std::vector<gpu_step>> steps_;
    std::vector<rank> ranks_;
    std::vector<std::vector<double>> told_; ///< when a message's post, or its acknowledgement, is seen
    double now_s_ = 0;
};

} // namespace detail

/// How long a schedule takes that the device engine runs, in seconds: launched once a rank, one step after the other,
/// `steps` by rank. A step that combines has its share of each memory, link and uplink, and its first load takes two
/// latencies. All blocks of a rank count as one. Throws tutti::error(invalid_argument) where there are not steps for
/// each rank, where one names a rank that there is not, or where a rank would wait for ever.
[[nodiscard]] inline double simulate_gpus(const gpu_host& on, const gpu_placement& where,
                                          std::span<const std::vector<gpu_step>> steps) {
    const int ranks = where.ranks;
    const auto is_rank = [&](int r) { return r >= 0 && r < ranks; };
    bool whole = ranks > 0 && steps.size() == static_cast<std::size_t>(ranks);
    for (const std::vector<gpu_step>& of_rank : steps)
        for (const gpu_step& s : of_rank)
            whole = whole && is_rank(s.peer) && std::all_of(s.sources.begin(), s.sources.end(), is_rank);
    if (!whole) reject("simulate_gpus", "the steps are not of " + std::to_string(ranks) + " ranks");
    return detail::gpu_simulation(on, where, steps).run();
}

} // namespace tutti::model
