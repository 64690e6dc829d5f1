// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../schedule/cost.hpp"
#include "../schedule/operation.hpp"

#include <concepts>
#include <string_view>

/// Collective algorithms: pure functions from a position to steps, one header per family.
namespace tutti::algorithm {

using schedule::buffer;
using schedule::cost;
using schedule::operation;
using schedule::place;
using schedule::position;
using schedule::side;
using schedule::step;

// The shapes of an algorithm's parts. `emit` takes each step in program order; nothing is allocated.
namespace detail {
inline constexpr auto discard = [](const step&) {};
using discard_t = decltype(discard);

/// Sums on their way live in `partial`; the rank's own shard of the result ends in output.
template <class A>
concept scatters = requires(const A a, const position& p) { a.reduce_scatter(p, buffer::output, discard); };
/// On entry the rank's own shard is in output; at the end all shards are.
template <class A>
concept gathers = requires(const A a, const position& p) { a.allgather(p, discard); };
/// Sums on their way live in `partial`, which is output at the root.
template <class A>
concept reduces = requires(const A a, const position& p) { a.reduce(p, buffer::output, discard); };
/// On entry the root has the data in output; at the end all ranks have.
template <class A>
concept broadcasts = requires(const A a, const position& p) { a.broadcast(p, discard); };
/// From input to output on all ranks: for algorithms that are not composed of halves, or better than their halves.
template <class A>
concept allreduces = requires(const A a, const position& p) { a.allreduce(p, discard); };
} // namespace detail

/// True if algorithm A has a schedule for the operation. An allreduce is composed of what the algorithm has:
/// reduce-scatter then allgather, or reduce to rank 0 then broadcast.
template <class A>
[[nodiscard]] constexpr bool offers(operation o) noexcept {
    using namespace detail;
    switch (o) {
    case operation::allreduce: return allreduces<A> || (scatters<A> && gathers<A>) || (reduces<A> && broadcasts<A>);
    case operation::reduce_scatter: return scatters<A>;
    case operation::allgather: return gathers<A>;
    case operation::reduce: return reduces<A>;
    case operation::broadcast: return broadcasts<A>;
    }
    return false;
}

/// The messages of a schedule (peers, chunks, order on each channel) must not depend on `position::in_place`: ranks may
/// differ in it. Only where data are read, kept and copied may.
///
/// An algorithm: a small value with a name, the number of chunks that it cuts the data into (a multiple of `size`
/// for reduce_scatter and allgather: the r-th equal part is shard r), the cost that it claims, and its schedules.
template <class A>
concept algorithm =
    requires(const A a, operation o, int size) {
        { a.chunks(size) } -> std::same_as<int>;
        { a.stated(o, size) } -> std::same_as<cost>;
        { A::name } -> std::convertible_to<std::string_view>;
    } && (offers<A>(operation::allreduce) || offers<A>(operation::allgather) || offers<A>(operation::broadcast) ||
          offers<A>(operation::reduce) || offers<A>(operation::reduce_scatter));

} // namespace tutti::algorithm
