// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "algorithm.hpp"

#include "../schedule/program.hpp"

#include "../../base/language.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace tutti::algorithm {

namespace detail {

/// An algorithm with its type forgotten, while it is walked: what is around its own steps is compiled once for this,
/// rather than once for each algorithm, or each pair of them.
class level {
public:
    /// The algorithm's own steps. Sums on their way live in `partial`.
    virtual constexpr void steps(operation o, const position& p, buffer partial, const sink& put) const = 0;
    [[nodiscard]] virtual constexpr int chunks(operation o, int size) const noexcept = 0;
    [[nodiscard]] virtual constexpr cost stated(operation o, int size) const noexcept = 0;

protected:
    constexpr ~level() = default;
};

template <class A>
class level_of final : public level {
public:
    /// `a` must outlive it.
    constexpr explicit level_of(const A& a) noexcept : a_(a) {}

    TUTTI_COLD constexpr void steps(operation o, const position& p, buffer partial, const sink& put) const override {
        if constexpr (is_composed<A>) return a_.steps(o, p, partial, put);
        if (o == operation::allreduce) return allreduce(p, put);
        if constexpr (has_reduce_scatter<A>)
            if (o == operation::reduce_scatter) return a_.reduce_scatter(p, partial, put);
        if constexpr (has_reduce<A>)
            if (o == operation::reduce) return a_.reduce(p, partial, put);
        if constexpr (has_scan<A>)
            if (o == operation::scan) return a_.scan(p, put);
        if constexpr (has_exscan<A>)
            if (o == operation::exscan) return a_.exscan(p, put);
        if constexpr (has_allgather<A>)
            if (o == operation::allgather) return a_.allgather(p, put);
        if constexpr (has_broadcast<A>)
            if (o == operation::broadcast) return a_.broadcast(p, put);
        if constexpr (has_gather<A>)
            if (o == operation::gather) return a_.gather(p, put);
        if constexpr (has_scatter<A>)
            if (o == operation::scatter) return a_.scatter(p, put);
        if constexpr (has_alltoall<A>)
            if (o == operation::alltoall) return a_.alltoall(p, put);
    }
    [[nodiscard]] constexpr int chunks(operation o, int size) const noexcept override { return chunks_of(a_, o, size); }
    [[nodiscard]] constexpr cost stated(operation o, int size) const noexcept override { return a_.stated(o, size); }

private:
    constexpr void allreduce(const position& p, const sink& put) const {
        if constexpr (has_allreduce<A>) {
            a_.allreduce(p, put);
        } else if constexpr (has_reduce_scatter<A> && has_allgather<A>) {
            put.begin(operation::reduce_scatter, false);
            a_.reduce_scatter(p, buffer::output, put);
            put.begin(operation::allgather, false);
            a_.allgather(p, put);
        } else if constexpr (has_reduce<A> && has_broadcast<A>) {
            put.begin(operation::reduce, false);
            a_.reduce(p, buffer::output, put);
            put.begin(operation::broadcast, false);
            a_.broadcast(p, put);
        }
    }

    const A& a_;
};

/// The library's copy of these chunks, from input to output.
TUTTI_COLD constexpr void copy_own(operation o, const position& p, schedule::chunk_range own, const sink& put) {
    put.begin(o, true);
    if (!p.in_place && own.count() > 0)
        put(schedule::copy({buffer::input, own.first, own.count()}, {buffer::output, own.first, own.count()}));
}

/// The part of the result that this rank has from the start and copies first.
TUTTI_COLD [[nodiscard]] constexpr schedule::chunk_range own_part(operation o, const position& p, int chunks) noexcept {
    const bool is_root = p.rank == p.root;
    if (o == operation::allgather || (is_root && (o == operation::broadcast || o == operation::gather)))
        return schedule::window(o, p, buffer::input, chunks).range(0);
    if (is_root && o == operation::scatter) return schedule::window(o, p, buffer::output, chunks).range(0);
    if (o == operation::alltoall) return schedule::window(o, p, buffer::input, chunks).range(p.rank);
    return {};
}

TUTTI_COLD constexpr void walk(const level& a, operation o, const position& p, const sink& put) {
    const int chunks = a.chunks(o, p.size);
    // Of one rank, the result is the input.
    if (p.size == 1) return copy_own(o, p, schedule::window(o, p, buffer::output, chunks).range(0), put);
    if (const schedule::chunk_range own = own_part(o, p, chunks); own.count() > 0) {
        copy_own(o, p, own, put);
        put.begin(o, false);
    }
    const bool at_root = o == operation::reduce && p.rank == p.root;
    a.steps(o, p, at_root ? buffer::output : schedule::scratch(0), put);
}

} // namespace detail

/// Hands all steps of the operation at this position to `put`, in program order. Allocates nothing.
template <class A, class Put>
constexpr void walk(const A& a, operation o, const position& p, Put&& put) {
    if constexpr (std::derived_from<std::remove_cvref_t<Put>, detail::sink>)
        detail::walk(detail::level_of(a), o, p, put);
    else
        detail::walk(detail::level_of(a), o, p, detail::sink_to([&](const step& s) { put(s); }).erased());
}

/// Keeps steps in a list, each cut into `segments` steps on equal slices of its chunks: pipelining is nothing but more
/// chunks. The d-th slices of a message's parts are the parts of the d-th message. So joined steps are held back, uncut
/// at the end of the list, until the last part comes.
class step_writer final : public detail::sink {
public:
    /// `parts`, if given, learns whose the steps are.
    constexpr step_writer(std::vector<step>& to, int segments, std::vector<schedule::part>* parts = nullptr) noexcept
        : to_(to), segments_(segments), parts_(parts) {}

    /// What follows is emitted by the function of that operation, or by the library itself.
    TUTTI_COLD constexpr void begin(operation of, bool library) const override {
        if (parts_) parts_->push_back({of, library, static_cast<int>(to_.size())});
    }

    /// Takes the next step.
    constexpr void operator()(const step& s) const override {
        if (s.joined || (segments_ > 1 && !to_.empty() && to_.back().joined)) return join(s);
        for (int d = 0; d < segments_; ++d) to_.push_back(slice(s, d));
    }

private:
    TUTTI_COLD TUTTI_CONSTEXPR void join(const step& s) const {
        to_.push_back(s);
        if (s.joined || segments_ == 1) return;
        std::size_t first = to_.size() - 1;
        while (first > 0 && to_[first - 1].joined) --first;
        const std::vector<step> parts(to_.begin() + static_cast<std::ptrdiff_t>(first), to_.end());
        to_.resize(first);
        for (int d = 0; d < segments_; ++d)
            for (const step& part : parts) to_.push_back(slice(part, d));
    }
    [[nodiscard]] constexpr step slice(const step& s, int d) const noexcept {
        step some = s;
        if (reads_from(s)) some.from.first = cut(s.from, d);
        if (writes_to(s)) some.to.first = cut(s.to, d);
        return some;
    }
    /// The first chunk of the d-th slice. A number that no int can hold is outside of every buffer, and stays so.
    [[nodiscard]] constexpr int cut(const place& x, int d) const noexcept {
        const std::int64_t first = std::int64_t{x.first} * segments_ + std::int64_t{d} * x.count;
        return static_cast<int>(
            std::clamp<std::int64_t>(first, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
    }

    std::vector<step>& to_;
    int segments_;
    std::vector<schedule::part>* parts_;
};

/// All ranks' steps, for the interpreters that look at the whole: verify, model, draw.
template <class A>
[[nodiscard]] TUTTI_CONSTEXPR schedule::program write(const A& a, operation o, int size, int root = 0,
                                                      bool in_place = false, int segments = 1) {
    schedule::program all{o, size, root, in_place, chunks_of(a, o, size) * segments, {}, segments};
    for (int rank = 0; rank < size; ++rank)
        walk(a, o, {rank, size, root, in_place},
             step_writer(all.ranks.emplace_back(), segments, &all.parts.emplace_back()).erased());
    return all;
}

} // namespace tutti::algorithm
