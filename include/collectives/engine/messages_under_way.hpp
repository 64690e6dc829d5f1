// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/status_page.hpp"
#include "completion_signal.hpp"
#include "message.hpp"
#include "message_queues.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti::engine {

/// The sends and receives of a communicator that are not over, in the order of their starts. Driven by one thread.
class messages_under_way {
public:
    using clock = transport::clock;

    /// Why the communicator cannot go on.
    struct trouble {
        cause why;
        int peer; ///< a rank of the communicator
        std::string text;
    };

    messages_under_way(completion_signal& ended, transport::status::call_line& line) noexcept
        : ended_(ended), line_(line) {}

    [[nodiscard]] bool empty() const noexcept { return !first_; }
    [[nodiscard]] const message* first() const noexcept { return first_; }

    void add(message& m) noexcept {
        line_.begin(transport::status::messages_code, 0);
        m.earlier = last_;
        m.later = nullptr;
        (last_ ? last_->later : first_) = &m;
        last_ = &m;
        note_deadline(m);
    }
    /// The deadline of one under way was set.
    void note_deadline(const message& m) noexcept {
        soonest_ = std::min(soonest_, m.deadline());
        in_order_ = in_order_ && (!m.earlier || m.earlier->deadline() <= m.deadline()) &&
                    (!m.later || m.deadline() <= m.later->deadline());
    }

    /// Receives from any rank that no message has met.
    [[nodiscard]] tag_queues<message>& from_any() noexcept { return from_any_; }
    [[nodiscard]] const tag_queues<message>& from_any() const noexcept { return from_any_; }
    /// The receive that takes a message of that rank: the first to start, of these and of `own`, which are of that rank
    /// alone; null if there is none. Probes before it are over.
    [[nodiscard]] message* receiver_of(tag_queues<message>& own, int rank, std::int32_t tag, std::size_t bytes) {
        for (;;) {
            message *const of_rank = own.find(tag), *const any = from_any_.find(tag);
            message* const first = !any || (of_rank && of_rank->number < any->number) ? of_rank : any;
            if (!first) return nullptr;
            static_cast<void>((first == any ? from_any_ : own).take(tag));
            first->source = rank;
            if (!first->probes) return first;
            first->bytes = bytes;
            complete(*first);
        }
    }

    /// A receive that no message has met is over.
    void withdraw(message& m) { finish(m, run_state::done, {}); }
    /// The last touch of a message: its owner may destroy it from now on.
    void complete(message& m) {
        if (m.apart.blocks > 0) [[unlikely]]
            m.unpack();
        finish(m, run_state::done, {});
    }
    void fail(const std::shared_ptr<const fault>& why) {
        while (first_) finish(*first_, run_state::failed, why);
    }

    /// The soonest deadline; max() if none is under way.
    [[nodiscard]] clock::time_point deadline() const noexcept {
        if (std::exchange(is_stale_, false)) soonest_ = found_soonest();
        return soonest_;
    }

    void note(trouble t) {
        if (!trouble_) trouble_ = std::move(t);
    }
    [[nodiscard]] const std::optional<trouble>& noted() const noexcept { return trouble_; }

private:
    /// Of many under way most programs give all the same time, so that the first to start has the first deadline.
    [[nodiscard]] clock::time_point found_soonest() const noexcept {
        if (!first_) in_order_ = true;
        if (first_ && in_order_) return first_->deadline();
        auto soonest = clock::time_point::max();
        for (const message* m = first_; m; m = m->later) soonest = std::min(soonest, m->deadline());
        return soonest;
    }
    void finish(message& m, run_state s, std::shared_ptr<const fault> why) {
        (m.earlier ? m.earlier->later : first_) = m.later;
        (m.later ? m.later->earlier : last_) = m.earlier;
        is_stale_ = is_stale_ || m.deadline() <= soonest_;
        line_.end();
        const auto lock = ended_.hold();
        m.end(s, std::move(why));
        ended_.notify();
    }

    completion_signal& ended_;
    transport::status::call_line& line_;
    message* first_ = nullptr;
    message* last_ = nullptr;
    tag_queues<message> from_any_;
    mutable clock::time_point soonest_ = clock::time_point::max(); ///< unless it is stale
    mutable bool is_stale_ = false;
    mutable bool in_order_ = true; ///< no message has a deadline before that of one that started earlier
    std::optional<trouble> trouble_;
};

} // namespace tutti::engine
