// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "engine.hpp"
#include "plan_cache.hpp"

#include "../model/chooser.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::engine {

/// One rank's part in a communicator: what its handles, requests and prepared calls share. The context is closed when
/// the last of them is gone.
template <class Transport>
class membership {
public:
    using run = execution<Transport>;
    using entry = planned<Transport>;
    using clock = transport::clock;

    /// `like` chooses for a communicator that this one is made from.
    membership(std::shared_ptr<engine<Transport>> on, std::uint64_t id, std::vector<int> members, int rank,
               const model::chooser& like = model::chooser({}))
        : engine_(std::move(on)), choice_(like.on(model::topology_of(engine_->fabric(), members))) {
        group_.id = id;
        group_.members = std::move(members);
        group_.rank = rank;
    }
    membership(const membership&) = delete;
    membership& operator=(const membership&) = delete;
    ~membership() { engine_->close(group_); }

    [[nodiscard]] int rank() const noexcept { return group_.rank; }
    [[nodiscard]] int size() const noexcept { return group_.size(); }
    [[nodiscard]] const std::vector<int>& members() const noexcept { return group_.members; }
    [[nodiscard]] const model::chooser& choice() const noexcept { return choice_; }
    /// From now on algorithms are chosen by this model. Before any call that leaves the choice to the library.
    void choose_by(std::shared_ptr<const model::adviser> by) {
        choice_ = model::chooser(choice_.where(), std::move(by));
    }
    [[nodiscard]] const std::shared_ptr<engine<Transport>>& where() const noexcept { return engine_; }

    /// The id of the next communicator made from this one: equal on all ranks that make it, by the order of the calls.
    [[nodiscard]] std::uint64_t next_child(std::uint64_t color) {
        const auto lock = engine_->guard();
        return mixed(mixed(mixed(0, group_.id), ++children_), color) | 1;
    }

    /// A call under way. Whoever holds it waits for it before it goes.
    class started {
    public:
        started(membership& in, entry& from, std::unique_ptr<run> what) noexcept
            : in_(&in), from_(&from), run_(std::move(what)) {}
        started(started&&) noexcept = default;
        started& operator=(started&&) = delete;
        ~started() {
            if (!run_) return;
            if (!is_over()) await();
            in_->give_back(*from_, std::move(run_));
        }

        [[nodiscard]] const run& of() const noexcept { return *run_; }
        [[nodiscard]] run& of() noexcept { return *run_; }
        [[nodiscard]] membership& in() const noexcept { return *in_; }
        /// Returns when it is over; throws if it has failed.
        void wait() {
            await();
            require_success();
        }
        void require_success() const {
            if (run_->state() == run_state::failed) throw error(*run_->failure());
        }

    private:
        [[nodiscard]] bool is_over() const noexcept { return engine<Transport>::over(*run_); }
        void await() {
            in_->engine_->wait([this] { return is_over(); });
        }

        membership* in_;
        entry* from_;
        std::unique_ptr<run> run_;
    };

    /// Starts a call that may take so long. `keeps` lives as long as it is under way. Throws why the communicator
    /// cannot be used any more, if so.
    [[nodiscard]] started start(const call& c, std::chrono::nanoseconds patience,
                                std::shared_ptr<const void> keeps = {}) {
        require_usable();
        auto lock = engine_->guard();
        return start(cache_.find(c, rank(), size()), c, patience, std::move(keeps), std::move(lock));
    }
    /// The same with a plan that was found before.
    [[nodiscard]] started start(entry& plan, const call& c, std::chrono::nanoseconds patience,
                                std::shared_ptr<const void> keeps) {
        require_usable();
        return start(plan, c, patience, std::move(keeps), engine_->guard());
    }

    /// Finds a call's plan and keeps it in the cache until let_go.
    [[nodiscard]] entry& hold(const call& c) {
        const auto lock = engine_->guard();
        entry& plan = cache_.find(c, rank(), size());
        ++plan.in_use;
        return plan;
    }
    void let_go(entry& plan) noexcept {
        const auto lock = engine_->guard();
        --plan.in_use;
    }

    /// Records the calls that start from now on, until stop_recording(). One recorder at a time.
    void record(recorder& to) {
        const auto lock = engine_->guard();
        if (recorder_) reject("record", "a recording of this communicator is under way", "stop it first");
        recorder_ = &to;
    }
    void stop_recording() {
        {
            const auto lock = engine_->guard();
            recorder_ = nullptr;
        }
        engine_->stop_recording(group_);
    }

    void abort(const std::string& reason) { engine_->abort(group_, reason); }

private:
    void require_usable() {
        if (auto f = engine_->failure_of(group_)) throw error(std::move(*f));
    }

    [[nodiscard]] started start(entry& plan, const call& c, std::chrono::nanoseconds patience,
                                std::shared_ptr<const void> keeps, std::unique_lock<std::mutex> lock) {
        const std::uint64_t request = group_.calls;
        const auto slot = static_cast<std::uint32_t>(request % slots);
        auto& idle = plan.idle[slot];
        std::unique_ptr<run> r;
        if (idle.empty()) {
            r = std::make_unique<run>(plan.plan, slot, c);
            idle.reserve(idle.capacity() + 1); // so that giving it back cannot fail
        } else {
            r = std::move(idle.back());
            idle.pop_back();
        }
        r->keeps = std::move(keeps);
        r->prepare(group_, c, request);
        r->record_on(recorder_ ? recorder_->turn(plan.plan->steps.size()) : record_page{});
        engine_->start(*r, patience); // under the lock: runs of one communicator start in the order of their numbers
        ++group_.calls;               // from here on nothing throws: a call that could not start was none
        ++plan.in_use;
        if (lock) lock.unlock();
        return {*this, plan, std::move(r)};
    }
    void give_back(entry& plan, std::unique_ptr<run> r) noexcept {
        const auto operators = std::move(r->keeps); // goes after the lock: it may own requests of its own
        const auto lock = engine_->guard();
        plan.idle[r->slot()].push_back(std::move(r));
        --plan.in_use;
    }

    std::shared_ptr<engine<Transport>> engine_;
    group<Transport> group_;
    model::chooser choice_;
    plan_cache<Transport> cache_;
    std::uint64_t children_ = 0;
    recorder* recorder_ = nullptr; ///< null while nothing is recorded
};

} // namespace tutti::engine
