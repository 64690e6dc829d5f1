// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../base/one_library.hpp"
#include "algorithm/binomial_tree.hpp"
#include "algorithm/halving_doubling.hpp"
#include "calls/operations.hpp"
#include "message_group.hpp"
#include "recording.hpp"
#include "symmetric_memory.hpp"

#include "../base/any_duration.hpp"
#include "choice/explain.hpp"
#include "engine/executor.hpp"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti {

/// Which thread makes the calls of a world progress, and which threads may call.
enum class progress : std::uint8_t {
    in_calls, ///< whichever thread is inside a call; one thread at a time may call (the default, and the fastest)
    /// Any thread may call. One that waits moves the calls of all, and while none does a thread of the library's own.
    by_waiters,
};

/// A group of ranks that call collectives together, over a transport. It is a handle: its copies are the same
/// communicator, and calls by any copy belong to its one sequence of calls. Each operation is declared in the header of
/// its name: allreduce() in allreduce.hpp.
///
/// Deadlines: every call fails at the latest a second after its deadline, which counts from the start of the call.
/// After any error but invalid_argument the communicator is unusable, and every further call throws that error at
/// once. Communicators that were split off before go on, unless they have lost a rank as well.
///
/// Threads: with progress::in_calls, one thread at a time may be inside calls of a world: of its communicators and
/// their requests. The call of a second thread throws invalid_argument and does nothing. Functions that cannot fail,
/// such as the destructor of a request, wait for the first thread. Two threads that enter within nanoseconds of each
/// other may both pass: the process then ends with a message. With progress::by_waiters any thread may call; the
/// order of the calls must be the same on all ranks. An operator must not make calls.
template <transport::transport Transport>
class communicator : public operations<communicator<Transport>>,
                     public send_receive_operations<communicator<Transport>> {
public:
    /// What it is over.
    using transport_type = Transport;
    /// The clock of deadlines and recordings.
    using clock = transport::clock;

    /// The world: all ranks of the transport. Collective: each rank makes it before any other call.
    explicit communicator(Transport fabric, progress by = progress::in_calls)
        : membership_(membership::of_world(transport::any(std::move(fabric)), by == progress::by_waiters)) {}

    /// The world, with algorithms chosen by the parameters of a machine, which `tutti fit` finds. They are a
    /// model::calibrated_machine or a model::machine (include collectives/machine.hpp), or other plain data for which
    /// there is a function tuner_of(topology, parameters). Collective: rank 0's parameters count on all ranks, and for
    /// communicators made from this one. Cost: a broadcast of them.
    template <model::parameters Parameters>
    communicator(Transport fabric, const Parameters& machine, progress by = progress::in_calls)
        : communicator(std::move(fabric), by) {
        Parameters of_all = machine;
        this->broadcast(std::span(&of_all, 1), 0, algorithm::binomial_tree{});
        membership_->choose_by(tuner_of(topology(), of_all));
    }

    /// This rank in the communicator, from 0 to size() - 1.
    [[nodiscard]] int rank() const noexcept { return membership_->rank(); }
    /// The number of ranks in the communicator.
    [[nodiscard]] int size() const noexcept { return membership_->size(); }
    /// The world's rank of a rank of this communicator.
    [[nodiscard]] int world_rank(int rank) const { return membership_->members().at(static_cast<std::size_t>(rank)); }

    /// The operations, non-blocking: `auto request = world.async().allreduce(data, sum);`. Each starts, and returns a
    /// request at once. A view: it must not outlive this handle.
    [[nodiscard]] async_operations<communicator> async() const noexcept {
        return async_operations<communicator>(*this);
    }
    /// The operations, prepared: `auto plan = world.prepare().allreduce(data, sum);`. Each checks, chooses and plans
    /// once; `plan.run()` as often as you like. A view: it must not outlive this handle.
    [[nodiscard]] prepared_operations<communicator> prepare() const noexcept {
        return prepared_operations<communicator>(*this);
    }

    /// For sends and receives that are waited for together.
    [[nodiscard]] message_group<communicator> group() const { return message_group<communicator>(*this); }

    /// How messages from this rank to another one travel: the fabric, and how it addresses that rank; in words, for
    /// people. To this rank itself: the processors that it may run on, and whether its host is crowded. Not collective.
    [[nodiscard]] std::string way_to(int rank) const { return membership_->way_to(rank); }
    /// How its ranks lie on hosts. The choice of algorithms depends on it.
    [[nodiscard]] const model::topology& topology() const noexcept { return choice().topology(); }
    /// Chooses where a call names no algorithm.
    [[nodiscard]] const model::chooser& choice() const noexcept { return membership_->choice(); }
    /// The algorithm that the library would choose for a vector of so many bytes, why, and the other candidates with
    /// their predicted times. It assumes plain buffers and a commutative operator. Not collective.
    [[nodiscard]] model::explanation explain(schedule::operation what, std::size_t bytes) const {
        return model::explain(choice(), what, bytes);
    }

    /// How long a call may take: TUTTI_DEADLINE, or 30 s, unless set. Handles and communicators made from this handle
    /// inherit it.
    [[nodiscard]] std::chrono::nanoseconds default_deadline() const noexcept { return deadline_; }
    /// Sets it, in any unit; the longest one is none. Throws invalid_argument unless it is longer than 0.
    void default_deadline(any_duration d) {
        if (d <= d.zero()) reject("with_deadline or default_deadline", "a deadline must be longer than nothing");
        deadline_ = d;
    }
    /// A handle with another deadline: `world.with_deadline(5s).allreduce(...)`.
    [[nodiscard]] communicator with_deadline(any_duration d) const {
        communicator other = *this;
        other.default_deadline(d);
        return other;
    }

    /// A handle whose calls have `e` do their local work: copies, reductions, an average's division. Handles and
    /// communicators made from it use `e` too; other handles stay as they are. Not collective: any ranks may have an
    /// executor, and the bits are the same.
    ///
    /// `e` must outlive the calls, requests and prepared calls of these handles, and serve one world alone. It works on
    /// the buffers of these calls, single values included, and on scratch of the library. Operators run where it runs
    /// them, perhaps on several threads at once: an operator with state must allow that.
    /// Cost: messages are stored before they are reduced, in scratch of up to the size of the reduced data.
    [[nodiscard]] communicator with_executor(engine::executor& e) const {
        communicator other = *this;
        other.executor_ = &e;
        return other;
    }

    /// Splits this communicator. The ranks that give the same color become one new communicator, and every rank gets
    /// the one of its color. Its ranks are numbered from 0 by key, and by their ranks here where keys are equal.
    /// Collective. Cost: an allgather of 8 bytes a rank. Errors of its calls tell the name, if there is one: "tp3".
    ///
    /// @snippet reference.cpp split
    [[nodiscard]] communicator split(int color, int key = 0, const std::string& name = {}) const {
        const wish mine{color, key};
        std::vector<wish> all(static_cast<std::size_t>(size()));
        communicator plain = *this;
        plain.executor_ = nullptr; // this memory is not the caller's
        plain.allgather(std::span(&mine, 1), all, algorithm::halving_doubling{});
        const std::uint64_t id = membership_->next_child(static_cast<std::uint32_t>(color)); // no call failed before it
        std::vector<int> ranks;
        for (int r = 0; r < size(); ++r)
            if (all[static_cast<std::size_t>(r)].color == color) ranks.push_back(r);
        const auto key_of = [&](int r) { return all[static_cast<std::size_t>(r)].key; };
        std::sort(ranks.begin(), ranks.end(),
                  [&](int a, int b) { return key_of(a) != key_of(b) ? key_of(a) < key_of(b) : a < b; });
        return with_members(id, ranks, name.empty() ? name : " in " + name);
    }
    /// The communicator of these ranks of this one, which they make alone: others take no part, and nothing is
    /// exchanged. It has its own sequence of calls, and outlives the loss of ranks that are not in it; one can be made
    /// where this communicator has failed. Precondition on its members: the same ranks in the same order, the same tag,
    /// and as many such calls with both before. Members that disagree wait for each other until their deadlines, and
    /// the error names the groups. Throws invalid_argument for a rank that there is not, that is named twice, and where
    /// this rank is not among them.
    ///
    /// @snippet reference.cpp of
    /// @{
    [[nodiscard]] communicator of(std::span<const int> ranks, int tag = 0) const {
        return {membership_->group_of(ranks, tag), deadline_, executor_};
    }
    [[nodiscard]] communicator of(std::initializer_list<int> ranks, int tag = 0) const {
        return of(std::span(ranks.begin(), ranks.size()), tag);
    }
    /// @}
    /// Collective, but exchanges nothing: a communicator of the same ranks whose calls do not wait for this one's.
    [[nodiscard]] communicator duplicate() const {
        std::vector<int> ranks(static_cast<std::size_t>(size()));
        for (int r = 0; r < size(); ++r) ranks[static_cast<std::size_t>(r)] = r;
        return with_members(membership_->next_child(~std::uint64_t{0}), ranks, membership_->name());
    }

    /// Allocates `n` elements that peers of the same host read and reduce in place, without a copy. That is so over
    /// shared_memory and routed. The transports memory and tcp give plain memory, and those named cuda_* give the
    /// GPU's. Not collective. A call that names no algorithm takes symmetric_memory on all ranks or on none. Throws
    /// invalid_argument where the system gives no such memory, std::bad_alloc, or device_error of a GPU.
    template <element T>
    [[nodiscard]] symmetric_memory<T> allocate(std::size_t n) const {
        return {membership_->allocate(detail::symmetric_size<T>(n)), n};
    }

    /// Peers of the same host copy from this memory where it lies, as from what allocate() gives: a contiguous range in
    /// one allocation of cudaMalloc, of which any part may then be sent. It must stay until the communicators of all
    /// ranks are destroyed, so best until the process ends: CUDA forbids to free what another process has open, and
    /// peers may then read other data. Without this, such memory is copied twice; so is an allocation of less than 2
    /// MiB in any case. Not collective. Only over transports named cuda_ipc and cuda_routed. Throws invalid_argument
    /// for other memory than a GPU's, and transport::device_error where CUDA cannot share it, such as memory of a pool,
    /// and for memory of another GPU than this rank's.
    template <class Range>
    void register_memory(Range&& data) const {
        static_assert(transport::registering_transport<Transport>,
                      "tutti: only transports named cuda_ipc and cuda_routed register memory; others need none");
        const auto elements = detail::span_of(data);
        const detail::raw_range range = detail::raw(elements);
        membership_->register_memory(range.data, elements.size_bytes());
    }

    /// Records each step of this rank's calls on this communicator, with its times, until the returned object is
    /// destroyed. Not collective. It allocates memory for `most_steps` steps at once, sizeof(schedule::activity) each.
    /// Calls that do not fit are counted and not recorded. Cost of a step: two readings of the clock. Ranks of one host
    /// share the clock, so their times can be compared if they pass the same `origin`. Throws invalid_argument if a
    /// recording of this communicator is under way, and std::bad_alloc.
    [[nodiscard]] recording<Transport> record(std::size_t most_steps, clock::time_point origin) const {
        return {membership_, most_steps, origin};
    }
    /// The same with times from now on.
    [[nodiscard]] recording<Transport> record(std::size_t most_steps) const { return record(most_steps, now()); }

    /// The time by the clock of deadlines and recordings: the transport's own clock if it has one.
    [[nodiscard]] clock::time_point now() const { return membership_->now(); }

    /// Which thread makes its non-blocking collectives progress.
    [[nodiscard]] progress progress_by() const noexcept {
        return membership_->is_shared() ? progress::by_waiters : progress::in_calls;
    }

    /// For an event loop of the program's own, which waits for other things as well: all calls of this rank in the
    /// world make progress in step().
    ///
    /// The loop waits until the descriptor can be read (poll(2), or epoll(7) by level), or until next_deadline(), and
    /// calls step() until that is false. A call that the program makes meanwhile makes the descriptor readable, too.
    /// The descriptor belongs to the library and stays the same. Of one world, one thread steps, from then on until the
    /// end: with progress::by_waiters it moves what nobody waits for, and the library makes no thread. Not collective.
    ///
    /// descriptor() throws invalid_argument where the transport has none (memory, simulated) or the process can have no
    /// more. Cost: three descriptors, over shared_memory alone two more and one in each peer of the host; some system
    /// calls for each sleep of the loop, and for each call that is made meanwhile.
    ///
    /// @snippet reference.cpp step
    /// @{
    [[nodiscard]] int descriptor() const { return membership_->descriptor(); }
    /// When step() is to be called though the descriptor cannot be read, by the clock of deadlines; before now: at
    /// once.
    [[nodiscard]] clock::time_point next_deadline() const noexcept { return membership_->next_deadline(); }
    /// Moves what it can for about 200 us without sleeping; one operator may take longer. While the program waits for a
    /// call it looks for its next message for up to 50 us, unless the host is crowded or that was in vain of late.
    /// Returns whether there is more to do at once, or calls have ended since the last step; whichever it is, it may
    /// have ended calls. Where descriptor() was not called: whether calls are under way. Throws invalid_argument if
    /// another thread is inside a call and progress is in_calls.
    bool step() const { return membership_->step(); }
    /// @}

    /// Ends all calls on this communicator on all ranks, with cause::aborted and this reason; a rank that is outside
    /// learns at its next call. Not collective.
    void abort(const std::string& reason) const { membership_->abort(reason); }

private:
    friend struct detail::access;
    using membership = engine::membership;
    struct wish {
        int color, key;
    };

    communicator(std::shared_ptr<membership> m, std::chrono::nanoseconds deadline, engine::executor* e)
        : deadline_(deadline), membership_(std::move(m)), executor_(e) {}

    static constexpr bool returns_at_once = false;
    void issue(engine::call&& c) const {
        c.by = executor_;
        membership_->start(c, deadline_).wait();
    }

    /// `ranks` are ranks of this communicator.
    [[nodiscard]] communicator with_members(std::uint64_t id, const std::vector<int>& ranks,
                                            std::string name = {}) const {
        std::vector<int> members;
        int self = 0;
        for (const int r : ranks) {
            if (r == rank()) self = static_cast<int>(members.size());
            members.push_back(world_rank(r));
        }
        return {membership_->child(id, std::move(members), self, std::move(name)), deadline_, executor_};
    }

    std::chrono::nanoseconds deadline_ = membership::default_deadline(); // first: a wrong variable stops the start
    std::shared_ptr<membership> membership_;
    engine::executor* executor_ = nullptr;
};

} // namespace tutti
