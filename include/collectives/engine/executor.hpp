// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/copy.hpp"
#include "../../transport/contract/transfer.hpp"
#include "../reduction/start.hpp"
#include "../schedule/step.hpp"
#include "wakeup.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutti::engine {

/// A piece of work without a peer. A value: an executor that keeps it copies it.
struct local_work {
    /// What is to be done.
    enum class kind : std::uint8_t {
        copy,   ///< to = from[0]
        reduce, ///< to = from[0] ∘ from[1] ..., from left to right, rounded once
        finish, ///< to = the operator's last stage of from[0], which is `to`: an average's division
        start,  ///< to = the operator's first stage of from[0], which may be `to`: a premultiplied sum's product
    };

    kind what = kind::copy; ///< what is to be done
    /// `sources` of them; each is `to` (never of a copy) or does not overlap it.
    std::array<const std::byte*, schedule::most_operands> from{};
    std::size_t sources = 0; ///< how many of `from` there are
    /// Where the result goes.
    std::byte* to = nullptr;
    std::size_t elements = 0;      ///< one at least
    std::size_t element_bytes = 1; ///< bytes of an element

    const reducer* op = nullptr;             ///< of reduce; stays where it is as long as the work is under way
    const tutti::start* starter = nullptr;   ///< of start; stays where it is as long as the work is under way
    finish::kernel finisher = nullptr;       ///< of finish
    int ranks = 1;                           ///< of finish: how many were reduced
    std::uint64_t type = 0;                  ///< tutti::type_id of the elements, to find kernels of one's own by
    std::uint64_t operation_on_elements = 0; ///< tutti::operator_id of the operator; 0 where there is none

    /// To be called by the thread that has done the work, once progress() can find that out.
    wakeup wake;

    /// Does the work on some of the elements, by the processor and on this thread. The operator is the caller's as it
    /// is, and may take any time.
    void run(std::size_t first, std::size_t count) const {
        const std::size_t offset = first * element_bytes;
        std::array<const std::byte*, schedule::most_operands> source{};
        for (std::size_t k = 0; k < sources; ++k) source[k] = from[k] + offset;
        switch (what) {
        case kind::copy: tutti::detail::copy_bytes(to + offset, source[0], count * element_bytes); break;
        case kind::start: starter->run(to + offset, source[0], count, starter->factor.data()); break;
        case kind::finish: finisher(to + offset, count, ranks); break;
        case kind::reduce:
            if (sources == 2)
                op->combine(to + offset, source[0], source[1], count, op->state);
            else
                op->combine_many(to + offset, source.data(), sources, count, op->state);
            break;
        }
    }
    /// Does all of the work.
    void run() const { run(0, elements); }
};

/// Does the local work of calls: on a thread of its own, or on a device. communicator::with_executor gives it to calls.
///
/// The thread that drives the world calls all of its functions, one at a time: whichever is in a call or, with
/// progress::by_waiters, the library's own at times. It serves one world, and outlives the calls that it is given to.
///
/// Several pieces may be under way, of one call and of others. No piece writes what another one reads or writes: they
/// may be done in any order, and side by side. The memory is that of the calls, and scratch. Messages are
/// received into what work reads, and sent from what it has written: when progress() completes work, its results must
/// be visible to the driving thread.
class executor {
public:
    executor() = default;
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;
    virtual ~executor() = default;

    /// Starts work. True: it is done already. Else `x` stands for it, stays where it is, and must enter its owner
    /// (transport::complete) within progress(), once; until then `next` is free to link it. After true, and after a
    /// throw, `x` is not touched any more.
    /// Throws if it cannot be done: the call then fails on all ranks, with cause::aborted and what().
    virtual bool start(const local_work& work, transport::transfer& x) = 0;

    /// Completes finished work. Called for each call of which it has work, whenever the driving thread looks around.
    /// True: that thread is to come again without a sleep. Throws when the executor as a whole is of no use any more,
    /// and then does so each time: every call of which it has work fails.
    virtual bool progress() = 0;

    /// A call has failed: forgets all work whose transfer's owner is `of`, done or not. Afterwards no memory of it is
    /// touched, and none of its transfers enters its owner. May wait for the piece that is being done, which must be
    /// short: the call's error is late by as much.
    virtual void stop(transport::transfer_queue& of) noexcept = 0;

    /// Scratch of so many bytes for a call whose data is at `beside`; kept until the call is over. Null: memory of the
    /// host's will do. Throws as start().
    [[nodiscard]] virtual std::shared_ptr<std::byte> scratch(std::size_t bytes, const std::byte* beside) {
        static_cast<void>(bytes), static_cast<void>(beside);
        return nullptr;
    }
};

} // namespace tutti::engine
