// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "messages.hpp"

#include <deque>
#include <utility>

namespace tutti {

/// Sends and receives that are waited for together, as between ncclGroupStart and ncclGroupEnd:
///
///     auto exchange = world.group();
///     exchange.receive(from_above, above);
///     exchange.receive(from_below, below);
///     exchange.send(top_row, above);
///     exchange.send(bottom_row, below);
///     exchange.wait();
///
/// All start before any is waited for, so no order of them can deadlock; messages that the transport may put off go out
/// together. Buffers belong to the library until wait() has returned or thrown, or the group is gone: its destructor
/// waits. It must not outlive its communicator. After wait() it can be used again.
template <class Communicator>
class [[nodiscard]] message_group {
public:
    explicit message_group(const Communicator& on) noexcept : on_(&on) {}
    message_group(const message_group&) = delete;
    message_group& operator=(const message_group&) = delete;
    ~message_group() { await(); }

    template <class Data>
    void send(Data&& data, int to, int tag = 0) {
        detail::check_outlive_message<Data>();
        start(detail::outgoing(*on_, data, to, tag));
    }
    template <detail::message_target Data>
    void receive(Data&& data, int from, int tag = 0) {
        detail::check_outlive_message<Data>();
        start(detail::incoming(*on_, data, from, tag));
    }

    /// Returns when all are over. Throws the first failure, if any.
    void wait() {
        await();
        auto over = std::exchange(all_, {});
        for (engine::message& m : over) detail::access::membership_of(*on_).wait(m);
    }

private:
    void start(const detail::message_arguments& a) {
        engine::message& m = all_.emplace_back();
        try {
            detail::fill(m, a);
            detail::access::membership_of(*on_).start(m, on_->default_deadline());
        } catch (...) {
            all_.pop_back(); // it has not started
            throw;
        }
    }
    void await() noexcept {
        for (engine::message& m : all_) detail::access::membership_of(*on_).await(m);
    }

    const Communicator* on_;
    std::deque<engine::message> all_;
};

} // namespace tutti
