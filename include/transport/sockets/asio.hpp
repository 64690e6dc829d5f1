// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// The one place that includes Boost.Asio. Bodies (x.ipp) and what only they include may include this, so that a
/// program which is linked with the compiled library meets no Asio of ours.
///
/// The library's Boost has a namespace of another name. Else the linker would take functions of two versions for one,
/// or of one version that is configured in two ways. Header-only, the program and the library have one Boost.
#if defined(TUTTI_COMPILED)
#if defined(BOOST_CONFIG_HPP) || defined(BOOST_VERSION)
#error "tutti: compile its bodies (x.ipp) in a source of their own, which includes no Boost"
#endif
#define boost tutti_boost
#define BOOST_NO_USER_CONFIG 1 // which is included by a macro, where that name would be replaced
#define BOOST_ASIO_DISABLE_BOOST_DATE_TIME 1
#define BOOST_ASIO_DISABLE_BOOST_REGEX 1
#define BOOST_ASIO_DISABLE_FENCED_BLOCK 1 // each context has one thread, and its mutex orders what others tell it
#define BOOST_ASIO_DISABLE_SERIAL_PORT 1
#define BOOST_ASIO_NO_DEPRECATED 1
#define BOOST_ASIO_NO_TS_EXECUTORS 1
#define boost_asio_detail_posix_thread_function tutti_asio_thread_function
#endif

#if !__has_include(<boost/version.hpp>)
#error "tutti: there is no Boost, of which ranks need headers, 1.81 or newer (Debian 12: libboost1.81-dev)"
#endif
#include <boost/version.hpp>
#if BOOST_VERSION < 108100
#error "tutti: this Boost is too old: ranks need headers of 1.81 or newer (Debian 12: libboost1.81-dev)"
#endif
#pragma push_macro("require") // of Apple, which Asio has a function named as
#undef require
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#pragma pop_macro("require")

#if defined(TUTTI_COMPILED)
#undef boost_asio_detail_posix_thread_function
#undef boost
#elif !defined(BOOST_ASIO_HAS_THREADS)
#error "tutti: rank 0 has a thread of its own, which BOOST_ASIO_DISABLE_THREADS does not allow"
#endif

#include <chrono>

static_assert(BOOST_ASIO_CONCURRENCY_HINT_1 == 1, "tutti: other threads stop a context, for which Asio has to lock");

namespace tutti::transport::bootstrap {

#if defined(TUTTI_COMPILED)
namespace asio = tutti_boost::asio;
namespace boost_system = tutti_boost::system; // whose system_error is not that of std
#else
namespace asio = boost::asio;
namespace boost_system = boost::system;
#endif

using executor = asio::io_context::executor_type;
/// A coroutine of one io_context.
template <class T = void>
using task = asio::awaitable<T, executor>;
/// What ends within a coroutine gives its error_code, and throws nothing.
inline constexpr asio::as_tuple_t<asio::use_awaitable_t<executor>> in_task{};
using timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, executor>;

} // namespace tutti::transport::bootstrap
