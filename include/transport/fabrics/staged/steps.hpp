// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../device/own_device.hpp"
#include "../device/recycled.hpp"
#include "../device/staging.hpp"
#include "header.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace tutti::transport::detail::staged {

template <class Inner, device_runtime R>
class channel;

/// A transfer of the inner fabric: of a header, or of a piece.
template <class Inner, device_runtime R>
struct step : transfer {
    enum class kind : std::uint8_t {
        send,
        receive_header,
        receive_piece,
        discard, ///< a piece of a message that no receive takes
    };
    kind what = kind::send;
    channel<Inner, R>* of = nullptr;
    transfer* message = nullptr;           ///< the caller's, whose data it carries; null: it carries none
    std::size_t at = 0;                    ///< where in the message these data begin
    std::size_t carries = 0;               ///< bytes of the message
    device::staging<R>* through = nullptr; ///< the buffer of a header, or of data of a device; null: it needs none
};

/// What the channels of a rank copy through.
template <device_runtime R>
struct buffers {
    explicit buffers(const R& runtime)
        : to_host(runtime.make_stream()), to_device(runtime.make_stream()), headers(runtime, most_varying_bytes, 64),
          pieces(runtime, piece_bytes, 1) {}

    typename R::stream to_host, to_device; ///< apart: a link to a GPU carries both ways at once
    device::staging_pool<R> headers, pieces;
};

/// What all channels of a rank share.
template <class Inner, device_runtime R>
struct resources {
    explicit resources(int number) : device(number, "a transport of host memory, as transport::tcp") {}

    device::own_device<R> device;
    std::unique_ptr<buffers<R>> through; ///< made with the first channel
    transfer_queue ended;                ///< steps
};

/// The steps of one channel. The inner fabric must have closed its context before they go.
template <class Inner, device_runtime R>
class steps {
public:
    using one = step<Inner, R>;

    steps(resources<Inner, R>& all, channel<Inner, R>& of) noexcept : all_(all), of_(of) {}
    steps(const steps&) = delete;
    steps& operator=(const steps&) = delete;
    ~steps() {
        made_.each([](one& s) { release(s); });
    }

    [[nodiscard]] one& take(typename one::kind what, std::uint64_t signature) {
        one& s = made_.take();
        s = {};
        s.what = what;
        s.of = &of_;
        s.signature = signature;
        s.owner = &all_.ended;
        return s;
    }
    void give_back(one& s) noexcept {
        release(s);
        made_.give_back(s);
    }

private:
    static void release(one& s) noexcept {
        if (auto* const b = std::exchange(s.through, nullptr)) b->home->give_back(*b);
    }

    resources<Inner, R>& all_;
    channel<Inner, R>& of_;
    device::recycled<one> made_;
};

} // namespace tutti::transport::detail::staged
