// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm/preserves_order.hpp"
#include "engine/call.hpp"
#include "linkage.hpp"
#include "model/chooser.hpp"
#include "reduction/kernel.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// What the operations' headers share: from a user's arguments to the engine's call.
namespace tutti::detail {

/// The default for "how": the library chooses.
struct automatic {};

template <class T>
concept range_like = std::ranges::range<T>;

template <class Range>
inline constexpr bool is_vector_of_bool = false;
template <class Allocator>
inline constexpr bool is_vector_of_bool<std::vector<bool, Allocator>> = true;

/// A user's range as a span of its elements. `Range` may be a vector, array, span, C array: anything contiguous.
template <class Range>
[[nodiscard]] constexpr auto span_of(Range&& range) {
    static_assert(!is_vector_of_bool<std::remove_cvref_t<Range>>,
                  "tutti: std::vector<bool> stores bits, which are no elements: take a std::vector of char");
    static_assert(std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range>,
                  "tutti: a collective needs a contiguous range, such as std::vector, std::array or std::span");
    using element_type = std::remove_reference_t<std::ranges::range_reference_t<Range>>;
    check_element<std::remove_const_t<element_type>>();
    return std::span<element_type>(std::ranges::data(range), std::ranges::size(range));
}

/// The same for a range that is written.
template <class Range>
[[nodiscard]] constexpr auto writable_span_of(Range&& range) {
    using element_type = std::remove_reference_t<std::ranges::range_reference_t<Range>>;
    static_assert(!std::is_const_v<element_type>, "tutti: a collective cannot write its result to a range of const");
    return span_of(range);
}

/// Whether a buffer is given as symmetric memory; all ranks must say the same, since the choice of an algorithm rests
/// on it. A span of symmetric memory is used as such, but chosen for as plain memory.
template <class Range>
inline constexpr bool is_symmetric = false;
template <class Range>
inline constexpr bool says_symmetric = is_symmetric<std::remove_cvref_t<Range>>;

/// Only a blocking call can return the result of one value.
template <class Range>
constexpr void check_range() noexcept {
    static_assert(range_like<Range>, "tutti: one value is reduced by the blocking allreduce, which returns the result; "
                                     "else take a range");
}

/// Buffers of a call that goes on after it returns must not be temporaries.
template <class... Range>
constexpr void check_outlive() noexcept {
    static_assert(((std::is_lvalue_reference_v<Range> || std::ranges::borrowed_range<Range>)&&...),
                  "tutti: the buffers of a non-blocking or prepared call must outlive it: do not pass a temporary");
}

// What follows is compiled once for all element types: the checks of every call, and their sentences.

/// A range with its type forgotten.
using bytes = std::span<const std::byte>;

void check_not_null(std::string_view operation, bytes data);
void check_counts(std::string_view operation, std::size_t in, std::size_t wanted);
/// Of allgather and reduce_scatter: the larger range has a part for each rank, of the smaller one's length.
void check_parts(std::string_view operation, std::size_t in, std::size_t out, std::size_t ranks);
void check_root(std::string_view operation, int root, int size);
/// Whether `smaller` is the part of `larger` that begins at byte `offset`. They may not overlap otherwise.
[[nodiscard]] bool is_part(std::string_view operation, bytes larger, bytes smaller, std::size_t offset);
void check_offered(const algorithm::any& how, schedule::operation what);

template <class T, class U>
void check_buffers(std::string_view operation, std::span<T> in, std::span<U> out) {
    static_assert(std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>,
                  "tutti: input and output must have the same element type");
    check_not_null(operation, std::as_bytes(in));
    check_not_null(operation, std::as_bytes(out));
}

/// Whether the smaller of two ranges is the part of the larger one that begins at element `offset`: in place. They
/// may not overlap otherwise.
template <class T, class U>
[[nodiscard]] bool same_memory(std::string_view operation, std::span<T> larger, std::span<U> smaller,
                               std::size_t offset = 0) {
    return is_part(operation, std::as_bytes(larger), std::as_bytes(smaller), offset * sizeof(T));
}

/// Which algorithm runs: the one named, or one chosen for the bytes of the whole vector. An optional one says so when
/// the program runs.
template <schedule::operation what, class Op, class How>
[[nodiscard]] model::selection selected(const How& how, std::size_t volume, const model::chooser& by, bool symmetric) {
    constexpr bool free = is_commutative_v<Op>;
    if constexpr (std::is_same_v<How, automatic>) {
        static_assert(free || what != schedule::operation::reduce_scatter,
                      "tutti: no reduce_scatter keeps rank order, which a non_commutative operator needs: take "
                      "allreduce");
        return by.choose(what, volume, free, symmetric);
    } else if constexpr (std::is_same_v<How, std::optional<algorithm::any>>) {
        return how ? selected<what, Op>(*how, volume, by, symmetric)
                   : selected<what, Op>(automatic{}, volume, by, symmetric);
    } else if constexpr (std::is_same_v<How, algorithm::any>) {
        check_offered(how, what);
        return {how, model::segments_for(how, volume)};
    } else {
        static_assert(algorithm::algorithm<How>,
                      "tutti: the last argument names an algorithm, such as tutti::algorithm::ring{}");
        static_assert(algorithm::offers<How>(what), "tutti: this algorithm has no schedule for this operation");
        if constexpr (!free) // else nothing needs to be proven, which takes the compiler its time
            static_assert(algorithm::preserves_order<How, what>,
                          "tutti: this algorithm does not keep rank order, which a non_commutative operator needs");
        return {how, model::segments_for(how, volume)};
    }
}

/// The call says no algorithm, so the library chooses.
template <class How>
[[nodiscard]] constexpr bool leaves_choice(const How& how) noexcept {
    if constexpr (std::is_same_v<How, std::optional<algorithm::any>>)
        return !how;
    else
        return std::is_same_v<How, automatic>;
}

struct no_operator {};

/// The call for elements T and operator Op, without buffers. `op` must live as long as the call is under way.
template <schedule::operation what, class T, class Op, class How>
[[nodiscard]] engine::call make_call(std::size_t count, const Op& op, const How& how, const model::chooser& by,
                                     int root = 0, bool symmetric = false) {
    using value = std::remove_const_t<T>;
    const model::selection s = selected<what, Op>(how, count * sizeof(T), by, symmetric);
    engine::call c{what, s.how};
    c.segments = s.segments;
    c.root = root;
    c.count = count;
    c.element_bytes = sizeof(T);
    c.symmetric = symmetric && leaves_choice(how);
    c.type = type_id<value>();
    c.type_name = [] { return type_name<value>(); };
    if constexpr (!std::is_same_v<Op, no_operator>) {
        check_operator<Op, value>();
        c.reduce = make_reducer<value>(op);
        c.operation_on_elements = operator_id<Op>();
        c.operator_name = [] { return operator_name<Op>(); };
        if constexpr (!is_commutative_v<Op>) c.keeps_order = engine::proves_rank_order;
        c.finisher = finisher_of<Op, value>();
    }
    return c;
}

/// The call without an operator.
template <schedule::operation what, class T, class How>
[[nodiscard]] engine::call make_copying_call(std::size_t count, const How& how, const model::chooser& by,
                                             int root = 0) {
    return make_call<what, T>(count, no_operator{}, how, by, root);
}

/// Puts the buffers into a call.
template <class T, class U>
void put_buffers(engine::call& c, std::span<T> in, std::span<U> out, bool in_place) noexcept {
    c.input = reinterpret_cast<const std::byte*>(in.data());
    c.output = reinterpret_cast<std::byte*>(out.data());
    c.in_place = in_place;
}

/// What a call that outlives its caller's expression keeps of its operator: a copy, unless it has no state.
template <class Op>
[[nodiscard]] std::shared_ptr<const void> kept(const Op& op) {
    if constexpr (is_stateless<Op> || std::is_function_v<Op>)
        return {};
    else
        return std::make_shared<const Op>(op);
}
template <class Op>
[[nodiscard]] const Op& in_use(const std::shared_ptr<const void>& copy, const Op& op) noexcept {
    if constexpr (std::is_function_v<Op>)
        return op;
    else
        return copy ? *static_cast<const Op*>(copy.get()) : op;
}

} // namespace tutti::detail

#if !defined(TUTTI_COMPILED)
#include "arguments.ipp"
#endif
