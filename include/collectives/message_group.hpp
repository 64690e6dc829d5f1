// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../base/error.hpp"
#include "calls/messages.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tutti {

/// Sends and receives that are waited for together, as between ncclGroupStart and ncclGroupEnd:
///
/// @snippet reference.cpp message_group
///
/// All start before any is waited for, so no order of them can deadlock; messages that the transport may put off go out
/// together. Buffers belong to the library until wait() has returned or thrown, or the group is gone: its destructor
/// waits. After wait() it can be used again, or restart() the same messages: of each iteration of a stencil, say.
template <class Communicator>
class [[nodiscard]] message_group {
public:
    /// An empty group of messages on this communicator, which is copied: communicator::group() makes it.
    explicit message_group(const Communicator& on) : on_(on) {}
    message_group(const message_group&) = delete;
    message_group& operator=(const message_group&) = delete;
    ~message_group() { await(); }

    /// Starts a send of a range or an element, which must outlive the group's wait(). Throws as
    /// send_receive_operations::send.
    template <class Data>
    void send(Data&& data, int to, int tag = 0) {
        detail::check_outlive_message<Data>();
        start(detail::outgoing(on_, data, to, tag));
    }
    /// Starts a receive into a range or an element, which must outlive the group's wait(). Throws as
    /// send_receive_operations::receive.
    template <detail::message_target Data>
    void receive(Data&& data, int from, int tag = 0) {
        detail::check_outlive_message<Data>();
        start(detail::incoming(on_, data, from, tag));
    }

    /// After wait(): whose message the i-th of this group's messages was that wait() has waited for, counted in the
    /// order of their starts; of a send any_rank. Precondition: there were so many, and none has started since.
    [[nodiscard]] int source(std::size_t i) const noexcept { return (*all_[i / at_once])[i % at_once].source; }

    /// Returns when all are over. Throws the first failure, if any.
    void wait() {
        await();
        if (started_ == 0) return;
        const std::size_t over = std::exchange(started_, 0);
        if (!std::exchange(restarts_, false)) last_ = over; // else it may have thrown half-way
        for (std::size_t i = 0; i < over; ++i) detail::access::membership_of(on_).wait(at(i));
    }

    /// After wait(): starts the same messages once more, in the same order; wait() then waits for these. Their buffers
    /// must still be there. Their contents may have changed; deadlines count anew. Allocates nothing, but for
    /// messages that come before their receives, and what the transport allocates. Throws as
    /// send_receive_operations::send, and invalid_argument before wait().
    void restart() {
        if (started_ > 0) reject("restart", "messages of the group are under way", "wait() for them first");
        restarts_ = true;
        while (started_ < last_) start(at(started_));
    }

private:
    static constexpr std::size_t at_once = 16; ///< messages whose memory is got together

    [[nodiscard]] engine::message& at(std::size_t i) noexcept { return (*all_[i / at_once])[i % at_once]; }
    void start(const detail::message_arguments& a) {
        if (started_ == all_.size() * at_once) all_.push_back(std::make_unique<std::array<engine::message, at_once>>());
        if (std::exchange(restarts_, false) || started_ == 0) last_ = 0; // their memory is used anew
        engine::message& m = at(started_);
        detail::fill(m, a);
        start(m);
    }
    void start(engine::message& m) {
        auto& in = detail::access::membership_of(on_);
        in.start(m, on_.default_deadline());
        ++started_;
        if (in.is_shared()) in.nudge(m); // it moves before wait(), too
    }
    void await() {
        for (std::size_t i = 0; i < started_; ++i)
            if (!at(i).is_over()) detail::access::membership_of(on_).await(at(i));
    }

    const Communicator on_;
    std::vector<std::unique_ptr<std::array<engine::message, at_once>>> all_;
    std::size_t started_ = 0;
    std::size_t last_ = 0;  ///< those of the round before
    bool restarts_ = false; ///< this round is the same
};

} // namespace tutti
