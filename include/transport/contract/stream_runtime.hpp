// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "device_runtime.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tutti::transport {

/// Tells one physical device from all others of a host, in each process the same.
using device_identity = std::array<std::byte, 16>;

// clang-format off
/// What stream-ordered calls ask of CUDA besides device_runtime: `cuda_stream_runtime` is the real one. N is what a
/// program calls its stream by, a plain value. Failures throw device_error, except in noexcept functions.
///
/// | expression             | meaning |
/// |------------------------|---------|
/// | R::native_stream       | N |
/// | c.native(s)            | the N of a stream of make_stream() |
/// | c.copy_on(to, from, n, N) | copies in the order of the stream |
/// | c.record_on(e, N)      | the event is done when all that was put into the stream before is |
/// | c.await_event(e, N)    | what is put into the stream from now on begins when the event is done, as it was recorded last |
/// | c.map(p, n)            | whole pages of the host's memory, which other processes may map too: returns where the device reaches them |
/// | c.unmap(p)             | noexcept; p is the host's address |
/// | c.store_on(word, v, N) | the stream stores v there when all that was put into it before is done and visible. `word` is mapped |
/// | c.await_word(word, v, N) | what is put into the stream from now on begins when the word is v or more. The host may release it by a plain store |
/// | c.orders_by_words()    | whether the device has the last two |
/// | c.capture_of(N)        | the number of the capture that the stream records into; 0: none |
/// | c.identity()           | of the device |
// clang-format on
template <class R>
concept stream_runtime =
    device_runtime<R> && std::copyable<typename R::native_stream> &&
    requires(const R c, typename R::native_stream n, typename R::stream& s, typename R::event& e, std::byte* p,
             const std::byte* q, std::size_t bytes, std::uint64_t* word, std::uint64_t value) {
        { c.native(s) } -> std::same_as<typename R::native_stream>;
        { c.copy_on(p, q, bytes, n) } -> std::same_as<void>;
        { c.record_on(e, n) } -> std::same_as<void>;
        { c.await_event(e, n) } -> std::same_as<void>;
        { c.map(p, bytes) } -> std::same_as<std::byte*>;
        { c.unmap(p) } noexcept;
        { c.store_on(word, value, n) } -> std::same_as<void>;
        { c.await_word(word, value, n) } -> std::same_as<void>;
        { c.orders_by_words() } -> std::same_as<bool>;
        { c.capture_of(n) } -> std::same_as<std::uint64_t>;
        { c.identity() } -> std::same_as<device_identity>;
    };

/// One that also tells times: `c.make_timed_event()` is an event that keeps the time at which it was done.
/// `c.microseconds(a, b)` is the time between two such events that are done.
template <class R>
concept timed_stream_runtime = stream_runtime<R> && requires(const R c, const typename R::event& e) {
    { c.make_timed_event() } -> std::same_as<typename R::event>;
    { c.microseconds(e, e) } -> std::same_as<double>;
};

} // namespace tutti::transport
