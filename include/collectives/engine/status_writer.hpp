// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../../transport/contract/any.hpp"
#include "../../transport/contract/status_page.hpp"
#include "inquiries.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>

namespace tutti::engine {

/// Writes a rank's status page; nowhere if it has none. Driven by one thread.
class status_writer {
public:
    using clock = transport::clock;
    using run = plan_run;

    explicit status_writer(transport::status::page* page) noexcept
        : page_(page), line_(page ? &page->line : &own_line_) {}
    status_writer(const status_writer&) = delete;
    status_writer& operator=(const status_writer&) = delete;

    /// What each call writes.
    [[nodiscard]] transport::status::call_line& line() noexcept { return *line_; }
    /// The last call started then. For threads that read the clock anyway.
    void entered(clock::time_point when) noexcept { line_->entered.store(ns(when), std::memory_order_relaxed); }

    /// The driver has looked around. Repeated looks are not all written. Costs some microseconds and memory for some
    /// strings; without a page nothing.
    void looked(const under_way& active, clock::time_point now) {
        if (!page_ || now < next_) return;
        next_ = now + least_pause;
        try {
            write(active, now);
        } catch (const std::exception&) { // no memory: the page stays as it is
        }
    }
    /// Calls of this rank fail. Their runs are over when the details are written next.
    void failed(const std::string& why) noexcept {
        if (!page_) return;
        transport::status::put(now_.failure, why.data(), why.size());
        page_->board.write(now_);
        next_ = {};
    }
    /// The program goes on after a failure.
    void resumed() noexcept {
        if (!page_) return;
        now_.failure.fill(0);
        page_->board.write(now_);
    }

private:
    /// Less than the driver's own pause while nothing moves.
    static constexpr std::chrono::milliseconds least_pause{20};

    [[nodiscard]] static std::int64_t ns(clock::time_point t) noexcept {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count();
    }
    template <class To, class From>
    [[nodiscard]] static To limited(From n) noexcept {
        return static_cast<To>(std::min<std::uint64_t>(n, std::numeric_limits<To>::max()));
    }

    TUTTI_COLD void write(const under_way& active, clock::time_point now) {
        transport::status::details next;
        next.looked = ns(now);
        next.stalled_since = ns(active.stalled_since);
        next.failure = now_.failure;
        for (const bool blocks : {true, false}) {
            for (const run* r : active.runs)
                if (inquiries::holds_up_its_program(*r, now) == blocks) add(next, *r, blocks);
            for (const auto* m : active.exchanges)
                if (!m->idle() && m->is_wanted(now) == blocks) add(next, *m, blocks);
        }
        now_ = next;
        page_->board.write(now_);
    }

    template <class Work>
    TUTTI_COLD void add(transport::status::details& to, const Work& w, bool blocks) const {
        ++to.under_way;
        if (to.listed == to.calls.size()) return;
        auto& e = to.calls[to.listed++];
        e.communicator = w.members().id;
        e.request = w.request();
        e.deadline = w.deadline() == clock::time_point::max() ? 0 : ns(w.deadline());
        e.blocks = blocks ? 1 : 0;
        e.local = w.in_hand() > 0 ? 1 : 0;
        if constexpr (Work::has_steps) {
            e.signature = w.signature();
            e.step = w.waiting_step();
            e.steps = limited<std::int32_t>(w.steps());
            e.done = limited<std::int32_t>(w.steps_done());
        }
        const auto peers = w.peers_waited_for(w.members().members.size());
        e.waits_for = limited<std::uint16_t>(peers.size());
        std::copy_n(peers.begin(), std::min(peers.size(), e.peers.size()), e.peers.begin());
        const std::string words = w.words();
        transport::status::put(e.words, words.data(), words.size());
        e.since = waits_since(e, to);
    }
    /// Since when it waits as it does now.
    [[nodiscard]] std::int64_t waits_since(const transport::status::call_entry& e,
                                           const transport::status::details& next) const noexcept {
        for (std::size_t k = 0; k < now_.listed; ++k) {
            const auto& before = now_.calls[k];
            if (before.communicator == e.communicator && before.request == e.request && before.step == e.step &&
                before.done == e.done && before.peers[0] == e.peers[0] && before.waits_for == e.waits_for)
                return before.since;
        }
        return next.stalled_since != 0 ? next.stalled_since : next.looked;
    }

    transport::status::page* page_;
    transport::status::call_line own_line_; ///< of a rank without a page
    transport::status::call_line* line_;
    transport::status::details now_; ///< as on the page
    clock::time_point next_{};       ///< when details are written again
};

} // namespace tutti::engine
