// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../../transport/contract/any.hpp"
#include "../choice/chooser.hpp"
#include "group.hpp"
#include "message.hpp"
#include "plan_cache.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tutti::engine {

class engine;
class recorder;

/// The inside of a communicator, on one rank: the state that its handles, requests and prepared calls share. The
/// context is closed when the last of them is gone; in a child of the process that has made it, never. The bodies are
/// in membership.ipp: a unit that only calls needs no engine.
class membership {
public:
    using run = plan_run;
    using entry = planned;
    using clock = transport::clock;

    /// The communicator of all ranks, which takes the transport over. `is_shared`: any thread
    /// may call.
    [[nodiscard]] static std::shared_ptr<membership> of_world(transport::any t, bool is_shared);
    /// TUTTI_DEADLINE, in seconds; 30 where it is not set. Throws invalid_argument if it is no whole number from 1.
    [[nodiscard]] static std::chrono::nanoseconds default_deadline();
    /// `like` chooses for a communicator that this one is made from; `name` is for errors.
    membership(std::shared_ptr<engine> on, std::uint64_t id, std::vector<int> members, int rank,
               const model::chooser& like = model::chooser({}), std::string name = {});
    membership(const membership&) = delete;
    membership& operator=(const membership&) = delete;
    ~membership();
    /// This rank's part in a communicator of some of these ranks, in which it is `rank`.
    [[nodiscard]] std::shared_ptr<membership> child(std::uint64_t id, std::vector<int> members, int rank,
                                                    std::string name = {}) const;

    [[nodiscard]] int rank() const noexcept { return group_.rank; }
    [[nodiscard]] int size() const noexcept { return group_.size(); }
    [[nodiscard]] const std::vector<int>& members() const noexcept { return group_.members; }
    [[nodiscard]] const std::string& name() const noexcept { return group_.name; }
    [[nodiscard]] const model::chooser& choice() const noexcept { return choice_; }
    /// From now on algorithms are chosen by this model. Before any call that leaves the choice to the library.
    void choose_by(std::shared_ptr<const model::tuner> by);

    /// The id of the next communicator made from this one: equal on all ranks that make it, by the order of the calls.
    [[nodiscard]] std::uint64_t next_child(std::uint64_t color);

    /// The communicator of these of its ranks, which they make alone. Throws invalid_argument.
    [[nodiscard]] std::shared_ptr<membership> group_of(std::span<const int> ranks, int tag);

    /// The time by the clock of deadlines.
    [[nodiscard]] clock::time_point now() const;
    /// Any thread may call.
    [[nodiscard]] bool is_shared() const noexcept;
    /// How messages to a rank of it travel, in words.
    [[nodiscard]] std::string way_to(int rank) const;
    /// Zeroed memory from which peers read, where the transport has such; else plain memory.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const;
    /// Peers read these bytes of the user's own where they lie.
    void register_memory(std::byte* p, std::size_t bytes) const;

    /// A call under way. Its destructor waits for the call.
    class started {
    public:
        started(membership& in, entry& from, std::unique_ptr<run> what) noexcept;
        started(started&&) noexcept;
        started& operator=(started&&) = delete;
        ~started();

        [[nodiscard]] run& of() const noexcept { return *run_; }
        /// Returns when it is over; throws if it has failed.
        void wait();
        /// Makes progress; true if it is over.
        [[nodiscard]] bool test();
        [[nodiscard]] bool is_over() const noexcept;
        /// The program waits for it, or does so no longer. Other ranks are told so when they wait for this one.
        void want(bool now) noexcept;
        void want_until(clock::time_point until) const noexcept;
        /// Makes progress, unless another thread is inside a call: then that thread does.
        void nudge();

    private:
        void await();

        membership* in_;
        entry* from_;
        std::unique_ptr<run> run_;
    };

    /// Starts a call that may take so long, by a plan that was found before, or else by the cache's. `keeps` lives as
    /// long as it is under way. Throws why the communicator cannot be used any more, if so.
    [[nodiscard]] started start(const call& c, std::chrono::nanoseconds timeout, std::shared_ptr<const void> keeps = {},
                                entry* plan = nullptr);
    /// Starts a send or a receive, which stays in place until it is over. Throws why the communicator cannot be used
    /// any more, if so.
    void start(message& m, std::chrono::nanoseconds timeout);
    /// Returns when it is over; the second throws if it has failed.
    void await(message& m);
    void wait(message& m);
    /// As of started.
    [[nodiscard]] bool test(message& m);
    void nudge(const message& m);

    /// For an event loop of the program's: see communicator.
    [[nodiscard]] int descriptor() const;
    [[nodiscard]] bool step();
    [[nodiscard]] clock::time_point next_deadline() const noexcept;
    /// The same for one that does not keep the world; and what it keeps with it, null at first. Any thread attaches.
    /// @{
    [[nodiscard]] const std::shared_ptr<engine>& world() const noexcept { return engine_; }
    [[nodiscard]] static bool step(engine& world);
    [[nodiscard]] static clock::time_point next_deadline(const engine& world) noexcept;
    [[nodiscard]] static std::shared_ptr<attached_loop> attached_to(const engine& world);
    static void attach(engine& world, std::shared_ptr<attached_loop> what);
    /// @}

    /// Returns when `ended()`, which looks at calls of this world only, or at that time or a twentieth of a second
    /// later.
    template <class Ended>
    void wait_until(const Ended& ended, clock::time_point until = clock::time_point::max()) {
        wait_until([](const void* e) { return (*static_cast<const Ended*>(e))(); }, &ended, until);
    }

    /// Finds a call's plan and keeps it in the cache until let_go.
    [[nodiscard]] entry& hold(const call& c);
    void let_go(entry& plan) noexcept;

    /// Records the calls that start from now on, until stop_recording(). One recorder at a time.
    void record(recorder& to);
    void stop_recording();

    void abort(const std::string& reason);
    /// Ends a call before its end: a receive that no message has met alone; else by an abort, if it is to.
    cancelled cancel(message& m, bool aborts);
    cancelled cancel(run& r);
    /// Threads that wait look at what they wait for: it changes by something else than calls, too.
    void wake_waiters();
    /// Throws invalid_argument if another thread is inside a call of the world, which is not shared.
    void require_nobody() const;

private:
    [[nodiscard]] static std::shared_ptr<membership> owned(membership* made);
    void wait_until(bool (*ended)(const void*), const void* state, clock::time_point until);
    void require_usable();
    /// Throws invalid_argument if the host cannot do the call's local work.
    void require_reachable(const call& c) const;
    void require_host_memory(const message& m) const;
    template <class Call>
    [[nodiscard]] bool is_on_device(const Call& of, const std::byte* p) const;
    /// A run of this plan for the sequence's next call. Guarded.
    /// @{
    [[nodiscard]] std::unique_ptr<run> idle_run(entry& plan, const call& c);
    [[nodiscard]] std::unique_ptr<run> new_run(entry& plan, const call& c);
    /// @}
    void give_back(entry& plan, std::unique_ptr<run> r) noexcept;

    std::shared_ptr<engine> engine_;
    group group_;
    call_sequence sequence_;
    model::chooser choice_;
    plan_cache cache_;
    std::uint64_t children_ = 0;
    std::map<std::uint64_t, std::uint64_t> groups_made_; ///< how many of the same ranks and tag
    recorder* recorder_ = nullptr;                       ///< null while nothing is recorded
};

} // namespace tutti::engine

#if !defined(TUTTI_COMPILED)
#include "membership.ipp"
#endif
