// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"

#include <concepts>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace tutti::transport {

/// A failure of a GPU or its driver, in words.
class TUTTI_SHARED device_error : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

/// The device or its context has failed for good: no call of CUDA works in this process any more.
class device_lost : public device_error {
public:
    using device_error::device_error;
};

// clang-format off
/// All that the library asks of CUDA: `cuda_runtime` is the real one, the tests have one of threads and files. An
/// object stands for one device, and so do its copies. Failures throw device_error, except in noexcept functions.
///
/// | expression           | meaning |
/// |----------------------|---------|
/// | R(number)            | the device of that number, -1: the calling thread's current one. Throws where there is none |
/// | c.use()              | the calling thread works with this device from now on. A thread calls it before all but free, free_host and is_done |
/// | c.allocate(n)        | that many bytes of the device's memory, which other processes can open |
/// | c.clear(p, n)        | zeroes them; over on return |
/// | c.free(p)            | noexcept; not while a copy uses it. Other processes may still have it open |
/// | c.handle_of(p)       | what another process opens the memory by that begins at p: plain bytes |
/// | c.open(h)            | that memory, in this process. Only of other processes, once each |
/// | c.close(p)           | noexcept; gives back what open() returned |
/// | c.allocate_host(n)   | so many bytes of pinned host memory: only copies from and to such, and within devices, are asynchronous |
/// | c.free_host(p)       | noexcept; gives them back, not while a copy uses them |
/// | c.is_on_device(p)    | p is memory of a device: the host must not touch it |
/// | c.allocation_of(p)   | the allocation of this device that p lies in, from its first byte on. Throws where there is none |
/// | c.make_stream()      | a queue of work; its destructor does not wait |
/// | c.make_event()       | a point in a stream |
/// | c.copy(to, from, n, s) | copies in the order of the stream, from and to any memory. May return before it is done |
/// | c.record(e, s)       | the event is done when all that was put into the stream before is |
/// | c.is_done(e)         | never blocks |
// clang-format on
template <class R>
concept device_runtime =
    std::copyable<R> && std::constructible_from<R, int> && std::move_constructible<typename R::stream> &&
    std::move_constructible<typename R::event> && std::is_trivially_copyable_v<typename R::handle> &&
    requires(const R c, std::byte* p, const std::byte* q, std::size_t n, typename R::stream& s, typename R::event& e,
             const typename R::handle& h) {
        { c.use() } -> std::same_as<void>;
        { c.allocate(n) } -> std::same_as<std::byte*>;
        { c.clear(p, n) } -> std::same_as<void>;
        { c.free(p) } noexcept;
        { c.handle_of(p) } -> std::same_as<typename R::handle>;
        { c.open(h) } -> std::same_as<std::byte*>;
        { c.close(p) } noexcept;
        { c.allocate_host(n) } -> std::same_as<std::byte*>;
        { c.free_host(p) } noexcept;
        { c.is_on_device(q) } -> std::same_as<bool>;
        { c.allocation_of(p) } -> std::same_as<std::span<std::byte>>;
        { c.make_stream() } -> std::same_as<typename R::stream>;
        { c.make_event() } -> std::same_as<typename R::event>;
        { c.copy(p, q, n, s) } -> std::same_as<void>;
        { c.record(e, s) } -> std::same_as<void>;
        { c.is_done(e) } -> std::same_as<bool>;
    };

} // namespace tutti::transport
