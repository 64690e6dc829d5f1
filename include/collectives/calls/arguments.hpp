// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../choice/chooser.hpp"
#include "../engine/call.hpp"
#include "../reduction/kernel.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// Shared by the operations' headers: from a user's arguments to the engine's call.
namespace tutti::detail {

/// The default for "how": the library chooses.
struct automatic {};

template <class T>
concept range_like = std::ranges::range<T>;

template <class Range>
inline constexpr bool is_vector_of_bool = false;
template <class Allocator>
inline constexpr bool is_vector_of_bool<std::vector<bool, Allocator>> = true;

/// An element to be written over: T{}, or zeros where T has no such constructor.
template <class T>
[[nodiscard]] T blank() noexcept {
    if constexpr (std::is_default_constructible_v<T>)
        return T{};
    else
        return std::bit_cast<T>(std::array<std::byte, sizeof(T)>{});
}
template <class T>
[[nodiscard]] std::vector<T> blanks(std::size_t count) {
    if constexpr (std::is_default_constructible_v<T>)
        return std::vector<T>(count);
    else
        return std::vector<T>(count, blank<T>());
}

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

/// Buffers of a call that goes on after it returns must not be temporaries.
template <class... Range>
constexpr void check_outlive() noexcept {
    static_assert(((std::is_lvalue_reference_v<Range> || std::ranges::borrowed_range<Range>)&&...),
                  "tutti: the buffers of a non-blocking or prepared call must outlive it: do not pass a temporary");
}

// Compiled once for all element types: the checks of every call, and their error texts.

/// A range of elements whose type is forgotten.
struct raw_range {
    std::byte* data = nullptr;
    std::size_t count = 0;     ///< elements
    std::size_t alignment = 1; ///< of an element, in bytes: a power of two
};
template <class T>
[[nodiscard]] raw_range raw(std::span<T> range) noexcept {
    return {const_cast<std::byte*>(reinterpret_cast<const std::byte*>(range.data())), range.size(), alignof(T)};
}
/// Elements may lie there.
[[nodiscard]] inline bool is_usable(const raw_range& r) noexcept {
    return r.count == 0 || (r.data && (reinterpret_cast<std::uintptr_t>(r.data) & (r.alignment - 1)) == 0);
}
/// Why not. Precondition: !is_usable(r).
[[nodiscard]] std::string flaw_of(const raw_range& r);

/// Where the data of a call are: buffers whose sizes fit the operation and each other.
struct placement {
    std::size_t count = 0; ///< elements of the whole vector
    const std::byte* input = nullptr;
    std::byte* output = nullptr;
    bool in_place = false;
};

// What a call is refused for.
[[noreturn]] void refuse_range(schedule::operation what, const raw_range& r);
[[noreturn]] void refuse_root(schedule::operation what, const schedule::position& self);
[[noreturn]] void refuse_ranks(schedule::operation what, int ranks);

/// Checks the buffers and the root of a call of `element_bytes` an element. Throws invalid_argument. In place: the
/// smaller of two buffers is this rank's part of the larger one, or both are the same; they may not overlap otherwise.
[[nodiscard]] placement placed(schedule::operation what, raw_range in, raw_range out, std::size_t element_bytes,
                               const schedule::position& self);

/// Which algorithm runs: `how`, or where that is null one chosen for the bytes of the whole vector. Throws
/// invalid_argument where `how` has no schedule for the operation.
[[nodiscard]] model::selection selected(schedule::operation what, const algorithm::any* how, std::size_t volume,
                                        const model::chooser& by, bool any_order, bool symmetric);

/// The same for an algorithm, and properties of an operator, that the compiler knows.
template <schedule::operation what, class Op, class How>
[[nodiscard]] model::selection selected_for(const How& how, std::size_t volume, const model::chooser& by,
                                            bool symmetric) {
    constexpr bool free = is_commutative_v<Op>;
    if constexpr (std::is_same_v<How, std::optional<algorithm::any>>) {
        return selected(what, how ? &*how : nullptr, volume, by, free, symmetric);
    } else if constexpr (std::is_same_v<How, algorithm::any>) {
        return selected(what, &how, volume, by, free, symmetric);
    } else if constexpr (std::is_same_v<How, automatic>) {
        static_assert(free || what != schedule::operation::reduce_scatter,
                      "tutti: no reduce_scatter keeps rank order, which a non_commutative operator needs: take "
                      "allreduce");
        return by.choose(what, volume, free, symmetric);
    } else {
        static_assert(algorithm::algorithm<How>,
                      "tutti: the last argument names an algorithm, such as tutti::algorithm::ring{}");
        static_assert(algorithm::offers<How>(what), "tutti: this algorithm has no schedule for this operation");
        if constexpr (!free) // else nothing needs to be proven
            if constexpr (algorithm::detail::has_order_proofs<Op>)
                static_assert(algorithm::detail::order_proofs<Op>::template of_type<How, what>,
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

/// The call without its types.
[[nodiscard]] inline engine::call call_of(schedule::operation what, const model::selection& s, const placement& at,
                                          int root, bool symmetric) {
    engine::call c{what, s.how};
    c.segments = s.segments;
    c.root = root;
    c.count = at.count;
    c.input = at.input;
    c.output = at.output;
    c.in_place = at.in_place;
    c.symmetric = symmetric;
    return c;
}

/// The operator of operations that only move data.
struct no_operator {};

/// Puts the element type and the operator into a call. `op` must outlive the call.
template <class T, class Op>
void put_types(engine::call& c, const Op& op) {
    c.element_bytes = sizeof(T);
    c.type = type_id<T>();
    c.type_name = words_of<T>();
    if constexpr (!std::is_same_v<Op, no_operator>) {
        check_operator<Op, T>();
        c.reduce = make_reducer<T>(op);
        c.operation_on_elements = operator_id<Op>();
        c.operator_name = [] { return operator_name<Op>(); };
        if constexpr (!is_commutative_v<Op>) {
            static_assert(
                algorithm::detail::has_order_proofs<Op>,
                "tutti: a non_commutative operator needs #include "
                "<tutti/collectives/algorithm/preserves_order.hpp>, which proves that operands stay in order");
            if constexpr (algorithm::detail::has_order_proofs<Op>)
                c.keeps_order = algorithm::detail::order_proofs<Op>::of_call;
        }
        if constexpr (has_starter<Op>) c.starter = starter_of<T>(op);
        c.finisher = finisher_of<Op, T>();
    }
}

/// Whether symmetric memory is used as such: peers read the output of an allreduce in place, but the input of a
/// reduce_scatter only if nothing is done with it before.
[[nodiscard]] constexpr bool reads_in_place(schedule::operation what, bool symmetric, bool has_first_stage) noexcept {
    return symmetric && !(has_first_stage && what == schedule::operation::reduce_scatter);
}

/// A call by `by`, a communicator or a view of one, of these buffers. `symmetric`: their types say symmetric memory.
template <schedule::operation what, class Issuer, class T, class U, class Op, class How>
[[nodiscard]] engine::call make_call(const Issuer& by, std::span<T> in, std::span<U> out, int root, const Op& op,
                                     const How& how, bool symmetric = false) {
    using value = std::remove_const_t<U>;
    static_assert(std::is_same_v<std::remove_const_t<T>, value>,
                  "tutti: input and output must have the same element type");
    static_assert(!(schedule::is_scan(what) && has_finisher<Op, value>),
                  "tutti: ranks of a scan have different numbers of operands, so that it has no average: take sum");
    const placement at = placed(what, raw(in), raw(out), sizeof(value), {by.rank(), by.size(), root});
    symmetric = reads_in_place(what, symmetric, has_starter<Op>);
    const model::selection s = selected_for<what, Op>(how, at.count * sizeof(value), by.choice(), symmetric);
    engine::call c = call_of(what, s, at, root, symmetric && leaves_choice(how));
    put_types<value>(c, op);
    return c;
}

/// The operator of a call that outlives its caller's expression: a copy, or nothing where it has no state.
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
