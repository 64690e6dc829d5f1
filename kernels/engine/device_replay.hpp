// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <tutti/collectives/schedule/lowering/order.hpp>
#include <tutti/collectives/schedule/program.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::kernels::detail {

/// A step of a rank's list.
struct step_at {
    int rank = 0;           ///< whose
    std::uint32_t step = 0; ///< its number in the list
};

/// The steps of all ranks as kernels do them, where only their order matters: which ones could begin, by order_of and
/// by the messages that are there. A message stays with its sender until it has been read.
class device_replay {
public:
    /// Precondition: no steps are joined.
    explicit device_replay(const schedule::program& p) : p_(p), channels_(index(p.size) * index(p.size)) {
        for (int r = 0; r < p.size; ++r) {
            orders_.push_back(schedule::order_of(p, r));
            numbers_.emplace_back(p.ranks[index(r)].size(), 0);
            for (std::uint32_t i = 0; i < numbers_.back().size(); ++i) {
                const schedule::step& s = of({r, i});
                if (!schedule::communicates(s)) continue;
                auto& same = schedule::sends(s) ? between(r, s.peer).sends : between(s.peer, r).receives;
                numbers_.back()[i] = static_cast<std::uint32_t>(same.size());
                same.push_back(i);
            }
        }
    }

    [[nodiscard]] const schedule::step& of(step_at x) const { return p_.ranks[index(x.rank)][x.step]; }
    /// The receives whose messages a step reads where they lie.
    [[nodiscard]] auto viewed_by(step_at x) const { return order_of(x).viewed.of(static_cast<int>(x.step)); }
    [[nodiscard]] bool is_viewed(step_at x) const { return reader_of(x) >= 0; }
    /// The steps that have begun, in their order. A send begins when it is posted. A viewed receive begins when its
    /// message may come, and does nothing.
    [[nodiscard]] const std::vector<step_at>& begun() const noexcept { return begun_; }
    /// Tells each step that begins later than this one, or reads what it sends, as `later(step)`.
    void each_behind(step_at x, const auto& later) const {
        for (const std::uint32_t f : order_of(x).followers_of(x.step)) later(step_at{x.rank, f});
        if (const int next = order_of(x).next_on_channel[x.step]; next >= 0)
            later(step_at{x.rank, static_cast<std::uint32_t>(next)});
        if (!schedule::sends(of(x))) return;
        const int peer = of(x).peer;
        const step_at receive{peer, between(x.rank, peer).receives[number_of(x)]};
        later(is_viewed(receive) ? step_at{peer, static_cast<std::uint32_t>(reader_of(receive))} : receive);
    }

    /// Goes back to the beginning.
    void start_anew() {
        begun_.clear();
        freed_.clear();
        waits_.clear();
        for (channel& c : channels_) {
            c.open.assign(c.sends.size(), false);
            c.read.assign(c.sends.size(), false);
            c.posted = c.acknowledged = 0;
        }
        for (int r = 0; r < p_.size; ++r) {
            waits_.push_back(orders_[index(r)].waits);
            for (std::uint32_t i = 0; i < waits_.back().size(); ++i)
                if (waits_.back()[i] == 0) freed_.push_back({r, i});
        }
    }
    /// Does sends and viewed receives, and tells each other step that could begin now as `ready(step)`, once.
    void settle(const auto& ready) {
        const auto arrived = [&](step_at receive) {
            if (is_viewed(receive))
                finish(receive);
            else
                ready(receive);
        };
        for (std::size_t k = 0; k < freed_.size(); ++k) {
            const step_at x = freed_[k];
            const schedule::step& s = of(x);
            const std::size_t number = number_of(x);
            if (schedule::sends(s)) {
                channel& c = between(x.rank, s.peer);
                c.posted = number + 1;
                begin(x);
                if (c.open[number]) arrived({s.peer, c.receives[number]});
            } else if (schedule::receives(s)) {
                channel& c = between(s.peer, x.rank);
                c.open[number] = true;
                if (is_viewed(x)) begin(x);
                if (c.posted > number) arrived(x);
            } else {
                ready(x);
            }
        }
        freed_.clear();
    }
    /// A step that was told to be ready begins.
    void begin(step_at x) {
        begun_.push_back(x);
        if (const int next = order_of(x).next_on_channel[x.step]; next >= 0)
            release({x.rank, static_cast<std::uint32_t>(next)});
    }
    /// It has ended, and has read its messages.
    void end(step_at x) {
        finish(x);
        if (schedule::receives(of(x))) acknowledge(x);
        for (const auto& v : viewed_by(x)) acknowledge({x.rank, static_cast<std::uint32_t>(v.receive)});
    }

private:
    /// The messages from one rank to another, by number.
    struct channel {
        std::vector<std::uint32_t> sends, receives; ///< their steps
        std::vector<bool> open, read;               ///< open: the receive waits for its message alone
        std::size_t posted = 0, acknowledged = 0;   ///< how many
    };

    [[nodiscard]] static std::size_t index(int rank) noexcept { return static_cast<std::size_t>(rank); }
    [[nodiscard]] std::size_t pair(int from, int to) const { return index(from) * index(p_.size) + index(to); }
    [[nodiscard]] channel& between(int from, int to) { return channels_[pair(from, to)]; }
    [[nodiscard]] const channel& between(int from, int to) const { return channels_[pair(from, to)]; }
    [[nodiscard]] const schedule::order& order_of(step_at x) const { return orders_[index(x.rank)]; }
    /// Of its message, from 0.
    [[nodiscard]] std::uint32_t number_of(step_at x) const { return numbers_[index(x.rank)][x.step]; }
    [[nodiscard]] int reader_of(step_at x) const { return order_of(x).viewed.reader_of(static_cast<int>(x.step)); }

    /// The sender of a message hears that it was read once all before it have been, too.
    void acknowledge(step_at receive) {
        const int sender = of(receive).peer;
        channel& c = between(sender, receive.rank);
        c.read[number_of(receive)] = true;
        while (c.acknowledged < c.read.size() && c.read[c.acknowledged]) finish({sender, c.sends[c.acknowledged++]});
    }
    void finish(step_at x) {
        for (const std::uint32_t f : order_of(x).followers_of(x.step)) release({x.rank, f});
    }
    void release(step_at x) {
        if (--waits_[index(x.rank)][x.step] == 0) freed_.push_back(x);
    }

    const schedule::program& p_;
    std::vector<schedule::order> orders_;             ///< by rank
    std::vector<std::vector<std::uint32_t>> numbers_; ///< by rank and step
    std::vector<std::vector<std::uint32_t>> waits_;   ///< by rank and step: for so many events of its rank
    std::vector<channel> channels_;                   ///< by sender and receiver
    std::vector<step_at> freed_;                      ///< those that nothing of their own rank holds up any more
    std::vector<step_at> begun_;
};

} // namespace tutti::kernels::detail
