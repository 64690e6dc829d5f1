// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/fabric.hpp"
#include "../../world/busy_channels.hpp"
#include "channel.hpp"
#include "openness.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::transport::detail::shm {

/// This rank's segment, and its channels to the other ranks of its host.
class fabric {
public:
    using channel = shm::channel;

    explicit fabric(const shared_memory_limits& limits) : limits_(limits) {}
    fabric(const fabric&) = delete;
    fabric& operator=(const fabric&) = delete;
    /// Messages lie in memory that stays mapped at the receivers.
    void finish() noexcept {
        mine_.top().left.store(1, std::memory_order_release);
        for (const auto& p : peers_)
            if (p) p->ring();
    }
    [[nodiscard]] static std::size_t untaken(int) noexcept { return 0; } // but see leave()
    ~fabric() {
        while (!ends_.empty()) close(ends_.begin()->first.first);
        finish();
        leave();
        heap_->detach();
    }

    [[nodiscard]] std::vector<std::byte> card() const {
        shm::card own{mine_.file(), mine_.key(), mine_.why_not(), openness::own()};
        return own.encoded();
    }
    [[nodiscard]] static bool reaches(const fabric_end& a, const fabric_end& b) {
        return a.of.host_id == b.of.host_id && why_not(a, b).empty();
    }
    /// Nothing of ranks of different hosts, which needs no words.
    [[nodiscard]] static std::string why_not(const fabric_end& a, const fabric_end& b) {
        if (a.of.host_id != b.of.host_id) return {};
        const auto mine = shm::card::decoded(a.card), its = shm::card::decoded(b.card);
        const std::string other = "rank " + std::to_string(b.of.rank);
        if (!mine || !its) return {}; // see peer
        if (!mine->why_not.empty()) return "this rank can share no memory: " + mine->why_not;
        if (!its->why_not.empty()) return other + " can share no memory: " + its->why_not;
        if (a.of.pid == b.of.pid && mine->open == its->open) return {};
        const auto barrier = barrier_between(mine->open, its->open);
        return barrier.empty() ? barrier : "the memory of this rank and " + other + " cannot be shared: " + barrier;
    }
    [[nodiscard]] static std::string name_of(const bootstrap::member& m) { return "process " + std::to_string(m.pid); }

    /// From now on this rank can sleep by descriptors, not only on the futex. Peers that have joined before open them
    /// when they need them. One that cannot is heard when this rank looks around. Throws std::system_error.
    void sleep_by_descriptor() {
        pipe_ = bell_pipe::made();
        mine_.top().bell_file.store(pipe_.file(), std::memory_order_relaxed);
        mine_.top().bell_pipe.store(pipe_.descriptor(), std::memory_order_release);
    }

    /// Throws a bootstrap error.
    void join(const joined_world& w) {
        rank_ = w.rank;
        peers_.resize(w.table.members.size());
        if (w.table.crowded(rank_)) mine_.note_crowd(), costs_.note_crowd();
        const auto& self = w.table.members[static_cast<std::size_t>(rank_)];
        for (const auto& m : w.table.members)
            if (m.rank != rank_ && reaches({self, w.card_of(rank_)}, {m, w.card_of(m.rank)})) {
                const auto its = shm::card::decoded(w.card_of(m.rank));
                peers_[static_cast<std::size_t>(m.rank)] = std::make_unique<peer>(m, its, rank_);
                ++others_;
            }
    }

    [[nodiscard]] channel* open(context k, int other) {
        const auto known = ends_.find({k, other});
        if (known != ends_.end()) return known->second.get();
        settle();
        // A lane that this peer makes from now on is the new channel's.
        std::erase_if(unmade_, [&](const unmade& u) { return u.where == k && u.sender == other; });
        busy_.reserve(ends_.size() + 1);
        const auto place = ends_.try_emplace({k, other}).first;
        try {
            place->second =
                std::make_unique<channel>(k, rank_, other, mine_, peer_of(other), *heap_, landing_, costs_, limits_);
        } catch (...) {
            ends_.erase(place);
            throw;
        }
        return place->second.get();
    }

    /// Any thread. Memory that the peers read and reduce where it lies; throws std::system_error.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) { return heap_->allocate(bytes); }
    /// Any thread. Nobody writes to this rank's memory, since it could not be taken back.
    void pin() noexcept { heap_->pin(); }

    void send(channel& h, transfer& x) {
        h.out.send(x);
        busy_.list(h);
    }
    void receive(channel& h, transfer& x) {
        h.in.receive(x);
        busy_.list(h);
    }

    /// Other channels may be used until release().
    [[nodiscard]] static const std::byte* look(channel& h, const transfer& x) { return h.in.look(x); }
    [[nodiscard]] static bool release(channel& h) noexcept { return h.in.release(); }
    [[nodiscard]] static bool answer(channel& h, std::size_t offset, const std::byte* from, std::size_t bytes) {
        return h.in.answer(offset, from, bytes);
    }

    bool progress() { return busy_.advance(); }

    void close(context k) {
        const auto first = ends_.lower_bound({k, 0});
        auto last = first;
        for (; last != ends_.end() && last->first.first == k; ++last) {
            busy_.forget(*last->second);
            if (!last->second->in.close()) unmade_.push_back({k, last->first.second});
        }
        ends_.erase(first, last);
        settle();
    }

    /// progress() would move a message, or a peer has rung since the last call.
    [[nodiscard]] bool ready() {
        return busy_.any([](channel& h) { return h.ready(); }) || mine_.top().bell.answer();
    }
    /// progress() would move something; if not, this rank's bell is rung when that changes.
    [[nodiscard]] bool ask() {
        mine_.tidy();
        return busy_.any([](channel& h) { return h.ask(); });
    }

    /// Before a sleep by descriptors: a ring makes descriptor() readable then.
    [[nodiscard]] bool arm() { return ask() || !mine_.top().bell.lie_down(); }
    void disarm() noexcept {
        pipe_.empty();
        mine_.top().bell.get_up();
    }
    [[nodiscard]] int descriptor() const noexcept { return pipe_.descriptor(); }
    [[nodiscard]] static clock::time_point due() noexcept { return clock::time_point::max(); }

    /// Sleeps on the futex until a ring or `until`; sooner where a peer has raised the alarm. A futex cannot wait for a
    /// socket too, so the control plane gets its looks between sleeps.
    void sleep(clock::time_point until) noexcept {
        constexpr int sleeps_in_hurry = 50;
        // Relaxed: a hint, the ring that follows it wakes.
        const auto alarm = mine_.top().alarm.load(std::memory_order_relaxed);
        if (alarm != std::exchange(seen_alarm_, alarm)) hurried_sleeps_ = sleeps_in_hurry;
        const bool hurried = hurried_sleeps_ > 0 && --hurried_sleeps_ > 0;
        mine_.top().bell.sleep(std::min(until, clock::now() + std::chrono::milliseconds{hurried ? 1 : 20}));
    }
    /// Any thread: ends the sleep.
    void wake() noexcept { mine_.top().bell.ring(); }

    /// Wakes all others: something urgent is on its way over the control plane.
    void raise_alarm() noexcept {
        for (const auto& p : peers_) {
            if (!p) continue;
            p->top().alarm.fetch_add(1, std::memory_order_relaxed);
            p->ring();
        }
    }

    void blame(const culprit& by) noexcept { mine_.top().blames.store(by.word(), std::memory_order_release); }
    [[nodiscard]] culprit blamed_by(int other) const noexcept {
        return culprit::of(peer_of(other).top().blames.load(std::memory_order_acquire));
    }
    [[nodiscard]] std::optional<std::string> shortage() const {
        for (const auto& [where, end] : ends_)
            if (end->in.shortage()) return end->in.shortage();
        return std::nullopt;
    }
    [[nodiscard]] std::optional<std::string> broken(int other) {
        for (const auto& [where, end] : ends_)
            if (where.second == other && !end->in.broken().empty()) return end->in.broken();
        const peer& p = peer_of(other);
        // First whether it is gone, then its messages: so all that it had sent are seen.
        const bool left = p.has_left();
        if ((!left && !p.is_dead()) || !is_exhausted(other)) return std::nullopt;
        return left ? "it has left" : "its process has ended";
    }

private:
    [[nodiscard]] peer& peer_of(int rank) const noexcept { return *peers_[static_cast<std::size_t>(rank)]; }

    /// Closes the lanes that peers have made for contexts that this rank had left before, and gives memory back.
    void settle() {
        mine_.tidy();
        std::erase_if(unmade_, [this](unmade& u) {
            peer& p = peer_of(u.sender);
            const std::uint32_t additions = p.top().lanes.additions(rank_);
            return additions != std::exchange(u.seen_additions, additions) && inbox::close_lane(p, u.where, rank_);
        });
    }

    /// A peer that is gone has left nothing more to receive; or a transfer waits for it in vain, whatever still lies in
    /// other channels.
    [[nodiscard]] bool is_exhausted(int other) const {
        bool needed = false;
        bool more = false;
        for (const auto& [where, end] : ends_) {
            if (where.second != other) continue;
            needed = true;
            const bool arrived = end->in.has_part();
            if (!arrived && end->busy()) return true;
            more = more || arrived;
        }
        return needed && !more;
    }

    /// Others may not have mapped this segment yet, and would find nothing of what was sent. They do so at the end of
    /// their start, so that only one which is held up there can keep this rank for long.
    void leave() const noexcept {
        const auto begun = clock::now();
        const auto dead = [](const auto& p) { return p && p->is_dead(); }; // and may never map it
        while (mine_.top().attached.load(std::memory_order_acquire) < others_) {
            const bool all_live = std::none_of(peers_.begin(), peers_.end(), dead);
            if (clock::now() - begun >= std::chrono::seconds{all_live ? 10 : 1}) return;
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }

    /// A lane that its sender had not made when this rank left the context.
    struct unmade {
        context where;
        int sender;
        std::uint32_t seen_additions = 0;
    };

    shared_memory_limits limits_;
    own_segment mine_;
    std::shared_ptr<symmetric_heap> heap_ =
        std::make_shared<symmetric_heap>(mine_.top().symmetric, mine_.why_not().empty());
    int rank_ = 0;
    std::vector<std::unique_ptr<peer>> peers_; // by rank; null for this one and those of other hosts
    std::uint32_t others_ = 0;                 // that are not null
    bell_pipe pipe_;                           // none unless this rank sleeps by descriptors
    std::vector<std::byte> landing_;
    copy_costs costs_{mine_.top().costs};
    std::map<std::pair<context, int>, std::unique_ptr<channel>> ends_;
    busy_channels<channel> busy_;
    std::vector<unmade> unmade_;
    std::uint32_t seen_alarm_ = 0;
    int hurried_sleeps_ = 0; // left of those that look at the control plane soon
};

} // namespace tutti::transport::detail::shm
