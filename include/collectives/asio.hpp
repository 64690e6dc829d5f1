// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "asio/error_code.hpp"
#include "asio/operation.hpp"
#include "asio/world_loop.hpp"
#include "communicator.hpp"

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti {
/// For programs that run on Asio; nothing else of the library includes this header. It takes the program's Asio:
/// Boost's from 1.74 (with cancellation from 1.77); or the standalone one, where the program has included that before
/// and no Boost.Asio, or defines TUTTI_STANDALONE_ASIO. A unit has one of both, and includes it before any
/// `using namespace tutti`, behind which Asio's own headers do not compile.
inline namespace TUTTI_ASIO_NAMESPACE {

/// What Asio calls an error.
using error_code = detail::error_code;

/// The whole error that an awaited call has failed with: its facts, and its sentence. Nothing, where the code is not of
/// tutti. Of the last 256 errors of the process; of an earlier one the cause is left. Any thread.
[[nodiscard]] inline std::optional<error> error_of(const error_code& code) {
    if (code.category() != detail::category_of_causes()) return std::nullopt;
    return static_cast<const detail::cause_category&>(code.category()).errors.find(code.value()); // perhaps a library's
}

/// From now on whoever runs the context moves the calls of this world: of all communicators that were made from it. No
/// thread is added. A handler of its own takes 200 us at most, or as long as one operator does. The context ends when
/// nothing is awaited, as if the world were not there; but not with BOOST_ASIO_NO_TS_EXECUTORS. Not collective.
///
/// Lifetimes: the world does not keep the context, nor the context the world. Where the context is destroyed first,
/// receives that no message has met are withdrawn, other calls that are awaited are waited for, and their handlers
/// destroyed; async_wait fails from then on. The world may then be given to another context; until then calls move
/// while someone waits for them. In a child of fork(2) nothing goes on.
///
/// Threads: with progress::in_calls one thread runs the context, with progress::by_waiters any number of threads.
///
/// Throws invalid_argument where the transport has no descriptor (memory, simulated) or the process can have no more,
/// and where another context, or a thread of the library's, runs the world.
///
/// @snippet await.cpp asio
template <class Transport>
void run_on(detail::net::io_context& context, const communicator<Transport>& world) {
    detail::world_loop::run(context, *detail::access::kept_membership(world));
}

/// Waits for a call: `co_await tutti::async_wait(world.async().allreduce(data, tutti::sum), use_awaitable)`. The
/// request is taken over; its buffers belong to the library until the handler is called.
///
/// Completion: `void(error_code)`, in the handler's associated executor, or else in the context that runs the world; in
/// memory of its associated allocator; never before async_wait has returned. An error's category has tutti's causes:
/// `code == tutti::cause::lost_peer`, and error_of() has all of it. Tokens that throw throw a system_error of the code.
/// The call itself may throw before, as the `allreduce` above.
///
/// Cancellation: terminal only. A receive that no message has met is withdrawn, and one that a message has met goes on
/// to its end. Any other call is aborted on all ranks, whose errors name this rank and the call. The code is
/// operation_aborted; a call that is over meanwhile ends as it did. With progress::in_calls `emit` throws
/// invalid_argument if another thread is inside a call.
///
/// With progress::by_waiters and without run_on(), a thread of the library's moves the calls, one a world, and runs
/// handlers that have no executor: one that throws ends the process. Precondition: a handler has been called before its
/// executor's context, or the program, ends.
///
/// Errors of use have cause::invalid_argument: a request that was waited for or moved from before, no context that runs
/// the world, or one that has been destroyed. Such a call is waited for; a handler without an executor is called by
/// Asio's system_executor.
template <class Transport, class Token>
auto async_wait(request<Transport> call, Token&& token) {
    return detail::net::async_initiate<Token, void(error_code)>(detail::initiate_wait{}, token, std::move(call));
}

/// A request that has a name must be moved.
template <class Transport, class Token>
void async_wait(request<Transport>& call, Token&& token) = delete; // async_wait takes it over: std::move(call)

/// Receives a message of any number of elements, from a rank or from any_rank:
/// `auto [rows, source] = co_await tutti::async_receive<double>(world, tutti::any_rank, use_awaitable)`.
///
/// Completion: `void(error_code, std::vector<T>, int)`: the elements, and the rank that has sent them. All else as of
/// async_wait(); also errors of the receive itself are told by the code.
/// @{
template <class T, class Transport, class Token>
auto async_receive(const communicator<Transport>& world, int from, int tag, Token&& token) {
    return detail::net::async_initiate<Token, void(error_code, std::vector<T>, int)>(detail::initiate_receive<T>{},
                                                                                     token, world, from, tag);
}
template <class T, class Transport, class Token>
auto async_receive(const communicator<Transport>& world, int from, Token&& token)
    requires(!std::is_convertible_v<Token, int>)
{
    return async_receive<T>(world, from, 0, std::forward<Token>(token));
}
/// @}

} // namespace TUTTI_ASIO_NAMESPACE
} // namespace tutti
