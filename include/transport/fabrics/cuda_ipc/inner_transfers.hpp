// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../device/recycled.hpp"
#include "resources.hpp"

#include <cstdint>
#include <utility>

namespace tutti::transport::detail::cuda {

template <device_runtime R>
class channel;

/// A transfer over shared memory that stands for a step of one of this rank's messages.
template <device_runtime R>
struct inner_transfer : transfer {
    enum class kind : std::uint8_t {
        send_record,     ///< of a message that follows through shared memory, or is empty
        send_payload,    ///< that message
        lend,            ///< the record of a part in device memory: ends when that was read
        ask,             ///< a question: ends when it was answered
        receive_record,  ///< of the next message or part
        receive_payload, ///< the message after it
        skip_payload,    ///< a message to be discarded
    };
    kind what = kind::receive_record;
    channel<R>* of = nullptr;
    transfer* message = nullptr; ///< the caller's, which this one's end completes or brings nearer to that
    record told;                 ///< the record that it passes on or receives
    record* lent = nullptr;      ///< of lend and ask: where the receiver looks at it
    int stage = -1;              ///< of lend and send_payload: where a part had been copied to; -1: nowhere
};

/// The inner transfers of one channel, which must be closed in shared memory before they go.
template <device_runtime R>
class inner_transfers {
public:
    using kind = typename inner_transfer<R>::kind;

    inner_transfers(resources<R>& all, channel<R>& of) noexcept : all_(all), of_(of) {}

    [[nodiscard]] inner_transfer<R>& take(kind what, transfer* message) {
        inner_transfer<R>& e = made_.take();
        e = {};
        e.what = what;
        e.of = &of_;
        e.message = message;
        e.owner = &all_.ended;
        return e;
    }
    void give_back(inner_transfer<R>& e) noexcept { made_.give_back(e); }

    /// Gives back the records of messages that are still lent. No peer reads them any more.
    void give_back_records() noexcept {
        made_.each([this](inner_transfer<R>& e) {
            if (record* const r = std::exchange(e.lent, nullptr)) all_.records.give_back(*r);
        });
    }

private:
    resources<R>& all_;
    channel<R>& of_;
    device::recycled<inner_transfer<R>> made_;
};

} // namespace tutti::transport::detail::cuda
