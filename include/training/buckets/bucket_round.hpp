// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "activity.hpp"
#include "bucket_plan.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::detail {

/// One round over the buckets: which are complete, under way, over. The owner gives two functions: start(b) starts the
/// call of bucket b and returns its request; over(b) is called when that has ended.
///
/// Buckets start in their order on all ranks: one that is complete early waits for those before it.
template <class Request>
class bucket_round {
public:
    using clock = activity::clock;

    /// The plan must outlive it. An element has so many bytes on its way.
    bucket_round(const bucket_plan& plan, std::size_t element_bytes, time_source now)
        : plan_(plan), now_(std::move(now)), is_ready_(plan.parameters().size()), is_written_(plan.parameters().size()),
          missing_(plan.buckets().size()), requests_(plan.buckets().size()), activities_(plan.buckets().size()) {
        for (std::size_t b = 0; b < activities_.size(); ++b) {
            activities_[b].bucket = b;
            activities_[b].bytes = plan.buckets()[b].count * element_bytes;
        }
        begin();
    }

    /// As of gradient_buckets.
    /// @{
    template <class Start, class Over>
    void ready(std::size_t i, const Start& start, const Over& over) {
        const exposed_time timer(exposed_, now_);
        note(i);
        if (reduces_) advance(start, over);
    }
    template <class Start, class Over>
    void progress(const Start& start, const Over& over) {
        const exposed_time timer(exposed_, now_);
        if (reduces_) advance(start, over);
    }
    /// Calls before() and after() where the round reduces.
    template <class Before, class Start, class Over, class After>
    void finish(const Before& before, const Start& start, const Over& over, const After& after) {
        const exposed_time timer(exposed_, now_);
        if (!reduces_) return begin();
        before();
        await_all(start, over);
        after();
    }
    void reduces(bool does) {
        if (!is_fresh_) reject("reduces", "the round has begun", "call it before the first ready()");
        reduces_ = does;
    }
    [[nodiscard]] std::span<const activity> activities() const noexcept { return activities_; }
    [[nodiscard]] std::chrono::nanoseconds exposed() const noexcept { return exposed_; }
    /// @}
    /// It has been ready in this round, or in one before it that did not reduce.
    [[nodiscard]] bool is_written(std::size_t i) const noexcept { return is_written_[i]; }

private:
    /// Throws invalid_argument if there is no such parameter, or it is ready already.
    void note(std::size_t i) {
        const std::size_t b = plan_.bucket_of(i);
        if (is_ready_[i])
            reject("ready", "parameter \"" + plan_.parameters()[i].name + "\" is ready already",
                   "call finish() between two rounds");
        is_ready_[i] = is_written_[i] = true;
        is_fresh_ = false;
        if (--missing_[b] == 0) activities_[b].ready = now_();
    }

    /// Starts what can start, and looks at what is under way. After a failure, it and await_all() throw that again.
    template <class Start, class Over>
    void advance(const Start& start, const Over& over) {
        if (failure_) throw *failure_;
        try {
            while (next_ < missing_.size() && missing_[next_] == 0) open(start);
            look(over);
        } catch (const error& e) {
            if (e.why() == cause::invalid_argument) throw; // nothing has changed
            failure_ = with_remedy(e);
            throw error(*failure_);
        }
    }

    /// Starts the rest, waits for all, and begins the next round. Throws the first failure, after all have ended.
    template <class Start, class Over>
    void await_all(const Start& start, const Over& over) {
        const auto now = now_();
        for (std::size_t b = 0; b < missing_.size(); ++b)
            if (missing_[b] > 0) activities_[b].ready = now;
        try {
            while (!failure_ && next_ < missing_.size()) open(start);
        } catch (const error& e) {
            failure_ = with_remedy(e);
        }
        for (std::size_t b = 0; b < next_; ++b) await(b, over);
        is_written_.assign(is_written_.size(), false);
        begin();
        if (failure_) throw *failure_;
    }
    /// Begins the next round, without a call. Precondition: none has been started.
    void begin() {
        is_ready_.assign(is_ready_.size(), false);
        for (std::size_t b = 0; b < missing_.size(); ++b)
            missing_[b] = plan_.buckets()[b].last - plan_.buckets()[b].first;
        next_ = oldest_ = 0;
        is_fresh_ = true;
    }

    /// More calls of one communicator do not move at once; see design.md.
    static constexpr std::size_t most_moving = 4;

    /// The same error, with what helps where the rank that is waited for has fewer rounds than others.
    [[nodiscard]] static error with_remedy(const error& e) {
        if (e.why() != cause::timeout || e.facts().peer < 0) return e;
        fault f = e.facts();
        f.remedy += (f.remedy.empty() ? "" : "; ") + std::string("if it has fewer batches, let it call finish() ") +
                    "without ready()";
        return error(std::move(f));
    }

    template <class Start>
    void open(const Start& start) {
        activity& a = activities_[next_];
        a.waited = {};
        a.started = a.open_until = now_();
        requests_[next_].emplace(start(next_));
        ++next_;
    }

    template <class Over>
    void look(const Over& over) {
        std::size_t looked = 0;
        for (std::size_t b = oldest_; b < next_ && looked < most_moving; ++b) {
            if (!requests_[b]) continue;
            ++looked;
            const bool ended = requests_[b]->test();
            (ended ? activities_[b].ended : activities_[b].open_until) = now_();
            if (ended) end(b, over);
        }
        while (oldest_ < next_ && !requests_[oldest_]) ++oldest_;
    }

    template <class Over>
    void await(std::size_t b, const Over& over) {
        if (!requests_[b]) return;
        const auto from = now_();
        try {
            requests_[b]->wait();
        } catch (const error& e) {
            if (!failure_) failure_ = with_remedy(e);
        }
        activity& a = activities_[b];
        a.ended = a.open_until = now_();
        a.waited = a.ended - from;
        if (failure_)
            requests_[b].reset();
        else
            end(b, over);
    }

    template <class Over>
    void end(std::size_t b, const Over& over) {
        requests_[b].reset();
        over(b);
    }

    const bucket_plan& plan_;
    const time_source now_;
    std::vector<bool> is_ready_, is_written_; // by parameter
    std::vector<std::size_t> missing_;        // by bucket: its parameters that are not ready
    std::vector<std::optional<Request>> requests_;
    std::vector<activity> activities_;
    std::size_t next_ = 0;   // the first bucket that has not been started
    std::size_t oldest_ = 0; // all before it are over
    bool is_fresh_ = true;   // nothing is ready yet in this round
    bool reduces_ = true;
    std::chrono::nanoseconds exposed_{};
    std::optional<error> failure_; // of a call: the rest cannot go on either
};

} // namespace tutti::training::detail
