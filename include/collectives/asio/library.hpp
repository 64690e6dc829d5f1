// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// Which Asio the program has: Boost's, unless it has included the standalone one alone, or says so by
/// TUTTI_STANDALONE_ASIO. What is made of one has a namespace of its own: a program may have both, in different units.
#pragma push_macro("require") // of Apple, which Asio has a function named as
#undef require
#if defined(TUTTI_STANDALONE_ASIO) || (defined(ASIO_VERSION) && !defined(BOOST_ASIO_VERSION))
#define TUTTI_ASIO_HEADER(name) <asio/name.hpp>
#define TUTTI_ASIO_POSIX_HEADER(name) <asio/posix/name.hpp>
#define TUTTI_ASIO_NAMESPACE with_standalone_asio
#define TUTTI_ASIO_IS_BOOST 0
#include <asio/version.hpp>
#define TUTTI_ASIO_VERSION ASIO_VERSION
#else
#define TUTTI_ASIO_HEADER(name) <boost/asio/name.hpp>
#define TUTTI_ASIO_POSIX_HEADER(name) <boost/asio/posix/name.hpp>
#define TUTTI_ASIO_NAMESPACE with_boost_asio
#define TUTTI_ASIO_IS_BOOST 1
#include <boost/asio/version.hpp>
#define TUTTI_ASIO_VERSION BOOST_ASIO_VERSION
#include <boost/system/error_code.hpp>
#endif

#include TUTTI_ASIO_HEADER(associated_allocator)
#include TUTTI_ASIO_HEADER(associated_executor)
#include TUTTI_ASIO_HEADER(async_result)
#include TUTTI_ASIO_HEADER(basic_waitable_timer)
#include TUTTI_ASIO_HEADER(dispatch)
#include TUTTI_ASIO_HEADER(error)
#include TUTTI_ASIO_HEADER(execution_context)
#include TUTTI_ASIO_HEADER(executor_work_guard)
#include TUTTI_ASIO_HEADER(io_context)
#include TUTTI_ASIO_POSIX_HEADER(basic_stream_descriptor)
#include TUTTI_ASIO_HEADER(post)
#include TUTTI_ASIO_HEADER(system_executor)
#include TUTTI_ASIO_HEADER(wait_traits)
#if TUTTI_ASIO_VERSION >= 101900
#define TUTTI_ASIO_CANCELS 1
#include TUTTI_ASIO_HEADER(associated_cancellation_slot)
#else
#define TUTTI_ASIO_CANCELS 0
#endif

#pragma pop_macro("require")

#include <system_error>

namespace tutti::detail {
inline namespace TUTTI_ASIO_NAMESPACE {

#if TUTTI_ASIO_IS_BOOST
namespace net = ::boost::asio;
namespace error_codes = ::boost::system;
#else
namespace net = ::asio;
namespace error_codes = ::std;
#endif

} // namespace TUTTI_ASIO_NAMESPACE
} // namespace tutti::detail
