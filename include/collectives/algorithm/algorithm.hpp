// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../schedule/cost.hpp"
#include "../schedule/operation.hpp"

#include <concepts>
#include <string_view>

/// Collective algorithms: pure functions from a position to steps, one header per family. How to write and prove one:
/// docs/own-algorithm.md.
namespace tutti::algorithm {

using schedule::buffer;
using schedule::cost;
using schedule::operation;
using schedule::place;
using schedule::position;
using schedule::side;
using schedule::step;

namespace detail {
/// visit(first, count) for the pieces of a place, which is cut at the multiples of `width` chunks.
constexpr void each_piece(const place& all, int width, auto&& visit) {
    for (int c = all.first, last = all.first + all.count; c < last;) {
        const int end = (c / width + 1) * width, next = end < last ? end : last;
        visit(c, next - c);
        c = next;
    }
}
} // namespace detail

namespace detail {

/// Takes the steps of any algorithm. Each is compiled once for this, rather than once for each that takes steps.
class sink {
public:
    /// Takes the next step.
    virtual constexpr void operator()(const step& s) const = 0;
    /// What follows is emitted by the function of that operation, or by the library itself.
    virtual constexpr void begin(operation, bool /*library*/) const {}
    /// The same without its type.
    [[nodiscard]] constexpr const sink& erased() const noexcept { return *this; }

protected:
    constexpr ~sink() = default;
};

/// Hands each step to a function.
template <class F>
class sink_to final : public sink {
public:
    constexpr explicit sink_to(F f) noexcept : f_(f) {}
    constexpr void operator()(const step& s) const override { f_(s); }

private:
    F f_;
};

} // namespace detail

// The shapes of an algorithm's parts. `put` takes each step in program order; nothing is allocated.
namespace detail {
inline constexpr auto discard = [](const step&) {};
using discard_t = decltype(discard);

/// Sums on their way live in `partial`; the rank's own shard of the result ends in output.
template <class A>
concept has_reduce_scatter = requires(const A a, const position& p) { a.reduce_scatter(p, buffer::output, discard); };
/// On entry the rank's own shard is in output; at the end all shards are.
template <class A>
concept has_allgather = requires(const A a, const position& p) { a.allgather(p, discard); };
/// Sums on their way live in `partial`, which is output at the root.
template <class A>
concept has_reduce = requires(const A a, const position& p) { a.reduce(p, buffer::output, discard); };
/// On entry the root has the data in output; at the end all ranks have.
template <class A>
concept has_broadcast = requires(const A a, const position& p) { a.broadcast(p, discard); };
/// On entry the root's own shard is in output; at the end all shards are, there.
template <class A>
concept has_gather = requires(const A a, const position& p) { a.gather(p, discard); };
/// On entry the root's own shard is in its output; at the end every rank's is in its own.
template <class A>
concept has_scatter = requires(const A a, const position& p) { a.scatter(p, discard); };
/// From input to output: the reduction of ranks 0 to `rank`, or to `rank` - 1, in rank order.
template <class A>
concept has_scan = requires(const A a, const position& p) { a.scan(p, discard); };
template <class A>
concept has_exscan = requires(const A a, const position& p) { a.exscan(p, discard); };
/// On entry the rank's block for itself is in output; at the end all blocks for it are.
template <class A>
concept has_alltoall = requires(const A a, const position& p) { a.alltoall(p, discard); };
/// From input to output on all ranks: for algorithms that are not composed of halves, or better than their halves.
template <class A>
concept has_allreduce = requires(const A a, const position& p) { a.allreduce(p, discard); };
/// An algorithm made of others says which operations these offer it, and has one function of steps for all of them.
template <class A>
concept is_composed = requires {
    { A::offered(operation::allreduce) } -> std::same_as<bool>;
};
} // namespace detail

/// True if algorithm A has a schedule for the operation. An allreduce may be composed of two others:
/// reduce-scatter then allgather, or reduce to rank 0 then broadcast.
template <class A>
[[nodiscard]] constexpr bool offers(operation o) noexcept {
    using namespace detail;
    if constexpr (is_composed<A>) return A::offered(o);
    switch (o) {
    case operation::allreduce:
        return has_allreduce<A> || (has_reduce_scatter<A> && has_allgather<A>) || (has_reduce<A> && has_broadcast<A>);
    case operation::reduce_scatter: return has_reduce_scatter<A>;
    case operation::allgather: return has_allgather<A>;
    case operation::reduce: return has_reduce<A>;
    case operation::broadcast: return has_broadcast<A>;
    case operation::gather: return has_gather<A>;
    case operation::scatter: return has_scatter<A>;
    case operation::scan: return has_scan<A>;
    case operation::exscan: return has_exscan<A>;
    case operation::alltoall: return has_alltoall<A>;
    }
    return false;
}
/// True if algorithm A has a schedule for any operation.
template <class A>
[[nodiscard]] constexpr bool offers_any() noexcept {
    for (const operation o : schedule::operations)
        if (offers<A>(o)) return true;
    return false;
}

/// True if algorithm A has an operation with a part for each rank.
template <class A>
[[nodiscard]] constexpr bool offers_parts() noexcept {
    return offers<A>(operation::reduce_scatter) || offers<A>(operation::allgather) || offers<A>(operation::alltoall);
}

/// `int chunks(int size) const`, or `int chunks(operation, int size) const` where operations differ in it.
template <class A>
concept has_chunks = requires(const A a, int size) {
    { a.chunks(size) } -> std::same_as<int>;
} || requires(const A a, operation o, int size) {
    { a.chunks(o, size) } -> std::same_as<int>;
};
/// Into how many chunks an algorithm cuts the data of an operation on so many ranks.
template <has_chunks A>
[[nodiscard]] constexpr int chunks_of(const A& a, operation o, int size) noexcept {
    if constexpr (requires { a.chunks(o, size); })
        return a.chunks(o, size);
    else
        return a.chunks(size);
}

/// The messages of a schedule (peers, chunks, order on each channel) must not depend on `position::in_place`: ranks may
/// differ in it. Only where data are read, kept and copied may.
///
/// An algorithm: a small value with a name, the number of chunks that it cuts the data into (a multiple of
/// schedule::parts_of: where the operation has shards, the r-th equal part is shard r), the cost that it claims, and
/// its schedules.
template <class A>
concept algorithm = has_chunks<A> && requires(const A a, operation o, int size) {
    { a.stated(o, size) } -> std::same_as<cost>;
    { A::name } -> std::convertible_to<std::string_view>;
} && offers_any<A>();

namespace detail {
template <class A>
concept has_name = requires {
    { A::name } -> std::convertible_to<std::string_view>;
};
template <class A>
concept has_stated = requires(const A a, operation o, int size) {
    { a.stated(o, size) } -> std::same_as<cost>;
};

/// Has the compiler say what a type lacks to be an algorithm.
template <class A>
constexpr void require_algorithm() noexcept {
    static_assert(has_name<A>, "tutti: an algorithm needs static constexpr std::string_view name");
    static_assert(has_chunks<A>, "tutti: an algorithm needs int chunks(int size), or int chunks(operation, int size)");
    static_assert(has_stated<A>, "tutti: an algorithm needs cost stated(operation, int size)");
    static_assert(offers_any<A>(),
                  "tutti: an algorithm needs the steps of an operation: allreduce(p, put), reduce_scatter(p, partial, "
                  "put), allgather(p, put), reduce(p, partial, put), broadcast(p, put), gather(p, put), "
                  "scatter(p, put), scan(p, put), exscan(p, put) or alltoall(p, put), static or const");
}
} // namespace detail

// Further members that an algorithm may have. Without a member, it makes no such claim.

/// `static constexpr std::string_view idea`: how it works, in a sentence for the report of `tutti model --html`.
template <class A>
[[nodiscard]] constexpr std::string_view idea_of() noexcept {
    if constexpr (requires { A::idea; }) return A::idea;
    return {};
}
/// `static constexpr std::string_view virtue`: its strength, a clause that follows "since" or "and".
template <class A>
[[nodiscard]] constexpr std::string_view virtue_of() noexcept {
    if constexpr (requires { A::virtue; }) return A::virtue;
    return "its price is the least";
}
/// `static constexpr int most_segments`: into how many segments its chunks are cut at most, where that saves time.
template <class A>
[[nodiscard]] constexpr int most_segments_of() noexcept {
    if constexpr (requires { A::most_segments; }) return A::most_segments;
    return 1;
}
/// `static constexpr bool rotates`: rank r's messages are those of rank 0 with all ranks and chunks shifted by r, so
/// that one rank stands for all.
template <class A>
[[nodiscard]] constexpr bool rotates() noexcept {
    if constexpr (requires { A::rotates; }) return A::rotates;
    return false;
}
/// `static constexpr bool steps_rotate(operation)`: moreover all of rank r's steps are those of rank 0, shifted. So
/// all ranks take the same time. An algorithm that combines in rank order does not rotate.
template <class A>
[[nodiscard]] constexpr bool steps_rotate(operation o) noexcept {
    if constexpr (requires { A::steps_rotate(o); }) return A::steps_rotate(o);
    return false;
}
/// `bool runs_on(int size) const`: it has schedules for so many ranks. Without it: for any number. Elsewhere it is no
/// candidate for a choice, and refused where it is named; it is asked for nothing else there.
template <class A>
[[nodiscard]] constexpr bool runs_on(const A& a, int size) noexcept {
    if constexpr (requires { a.runs_on(size); }) return a.runs_on(size);
    return true;
}
/// `bool alike(int size) const`: every rank sends as many messages of as many chunks as any other, reduces as much and
/// needs as much scratch. So it is where messages rotate.
template <class A>
[[nodiscard]] constexpr bool alike(const A& a, int size) noexcept {
    if constexpr (requires { a.alike(size); }) return a.alike(size);
    return rotates<A>();
}
/// `static constexpr bool has_bank_for_each_rank`: its scratch has a bank for each rank.
template <class A>
[[nodiscard]] constexpr bool has_bank_for_each_rank() noexcept {
    if constexpr (requires { A::has_bank_for_each_rank; }) return A::has_bank_for_each_rank;
    return false;
}
/// `ranks_per_node`, `local` and `global`: it knows nodes of so many consecutive ranks, and the algorithms in a
/// node and between nodes.
template <class A>
concept hierarchy = requires(const A a) {
    { a.ranks_per_node } -> std::convertible_to<int>;
    a.local;
    a.global;
};

// `static constexpr auto closed_form(const auto& costs)`: the time of a call by a formula in the terms of `costs`, a
// model::costs. Compiled only in programs that price calls; see model/closed_form.hpp.

} // namespace tutti::algorithm
