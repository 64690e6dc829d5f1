// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "built_in.hpp"
#include "element.hpp"
#include "premultiplied.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// Operators, built in or your own, and their properties at compile time.
///
/// A functor of your own, taken as associative and commutative, serves as well: anything that can be called as
/// op(T const&, T const&), as a const object, and gives something that converts to T. It must not throw: a reduction
/// runs deep inside a transport that carries other collectives too, so an exception ends the process.
namespace tutti {

namespace detail {

/// A text as a template argument.
template <std::size_t Size>
struct fixed_text {
    char characters[Size]{};
    // NOLINTNEXTLINE(google-explicit-constructor): it is written as the text
    consteval fixed_text(const char (&text)[Size]) {
        for (std::size_t i = 0; i < Size; ++i) characters[i] = text[i];
    }
    [[nodiscard]] constexpr std::string_view view() const noexcept { return {characters, Size - 1}; }
};

} // namespace detail

/// A functor that is associative but not commutative: `non_commutative(f)`. Operands then stay in rank order, by an
/// algorithm that is proven to keep it, for which a call includes collectives/algorithm/preserves_order.hpp.
///
/// @snippet reference.cpp non_commutative
template <class Functor>
struct non_commutative {
    /// The caller's own. Not [[no_unique_address]], by which nvcc and g++ do not lay out the same.
    Functor functor;

    /// The functor's result.
    template <element T>
    TUTTI_HOST_DEVICE constexpr auto operator()(const T& left, const T& right) const
        noexcept(noexcept(functor(left, right))) -> decltype(functor(left, right)) {
        return functor(left, right);
    }
};

/// `non_commutative(f)` names no type.
template <class Functor>
non_commutative(Functor) -> non_commutative<Functor>;

/// A functor with a name, which ranks compare and errors show: `named<"saturating sum">(f)`. Functors of your own that
/// have no name are told apart by their sizes alone. A class of yours can have a name without this:
/// `static constexpr std::string_view name = "...";`.
///
/// @snippet reference.cpp operators
template <detail::fixed_text text, class Functor>
struct named_operator {
    /// What ranks compare and errors show.
    static constexpr std::string_view name = text.view();
    /// The caller's own.
    Functor functor;

    /// The functor's result.
    template <element T>
    TUTTI_HOST_DEVICE constexpr auto operator()(const T& left, const T& right) const
        noexcept(noexcept(functor(left, right))) -> decltype(functor(left, right)) {
        return functor(left, right);
    }
};

/// Gives a functor a name: `named<"saturating sum">(f)`.
template <detail::fixed_text text, class Functor>
[[nodiscard]] constexpr named_operator<text, Functor> named(Functor functor) {
    return {std::move(functor)};
}

namespace detail {

/// A type whose sum is that of its parts: so many of that arithmetic type, one after the other. None but those of
/// reduction/complex.hpp.
template <class T>
struct summed_parts {
    using type = T;
    static constexpr std::size_t number = 0;
};

} // namespace detail

/// Op reduces elements of type T.
template <class Op, class T>
concept operator_on = element<T> && requires(const Op& op, const T& a, const T& b) {
    { op(a, b) } -> std::convertible_to<T>;
};

namespace detail {

template <class Op>
struct unwrapped {
    using type = Op;
    static constexpr bool commutative = true;
};

template <class Functor>
struct unwrapped<non_commutative<Functor>> {
    using type = unwrapped<Functor>::type;
    static constexpr bool commutative = false;
};

template <fixed_text text, class Functor>
struct unwrapped<named_operator<text, Functor>> {
    using type = named_operator<text, Functor>;
    static constexpr bool commutative = unwrapped<Functor>::commutative;
};

/// Op without const, reference and non_commutative.
template <class Op>
using bare_operator = unwrapped<std::remove_cvref_t<Op>>::type;

/// A functor of a caller's own that says its name.
template <class Op>
concept has_name = requires { typename std::bool_constant<(std::string_view(Op::name), true)>; };

/// Empty for functors.
template <class Op>
[[nodiscard]] constexpr std::string_view built_in_name() noexcept {
    if constexpr (std::same_as<Op, sum_operator>)
        return "sum";
    else if constexpr (std::same_as<Op, product_operator>)
        return "product";
    else if constexpr (std::same_as<Op, minimum_operator>)
        return "minimum";
    else if constexpr (std::same_as<Op, maximum_operator>)
        return "maximum";
    else if constexpr (std::same_as<Op, average_operator>)
        return "average";
    else if constexpr (is_premultiplied_sum<Op>)
        return "premultiplied_sum";
    else if constexpr (std::same_as<Op, bitwise_and_operator>)
        return "bitwise_and";
    else if constexpr (std::same_as<Op, bitwise_or_operator>)
        return "bitwise_or";
    else if constexpr (std::same_as<Op, bitwise_xor_operator>)
        return "bitwise_xor";
    else if constexpr (std::same_as<Op, logical_and_operator>)
        return "logical_and";
    else if constexpr (std::same_as<Op, logical_or_operator>)
        return "logical_or";
    else if constexpr (std::same_as<Op, logical_xor_operator>)
        return "logical_xor";
    else
        return {};
}

/// Of a functor: its own name, or its size.
template <class Op>
[[nodiscard]] std::string functor_name() {
    if constexpr (has_name<Op>)
        return std::string(std::string_view(Op::name));
    else
        return "functor of " + bytes_in_words(sizeof(std::decay_t<Op>));
}

} // namespace detail

/// Whether operands may change sides: true of everything but `non_commutative(f)`.
template <class Op>
inline constexpr bool is_commutative_v = detail::unwrapped<std::remove_cvref_t<Op>>::commutative;

/// An operator in words: "sum", "functor of 8 bytes", "non_commutative(functor of 1 byte)".
template <class Op>
[[nodiscard]] std::string operator_name() {
    using bare = detail::bare_operator<Op>;
    std::string name{detail::built_in_name<bare>()};
    if (name.empty()) name = detail::functor_name<bare>();
    return is_commutative_v<Op> ? name : "non_commutative(" + name + ")";
}

/// Identity of an operator, to compare across ranks. Of a functor it knows the size and its name, if it has one; not
/// what it does, nor its state, and compilers do not agree on the names of lambdas. That all ranks mean the same by one
/// is up to the caller.
template <class Op>
[[nodiscard]] consteval std::uint64_t operator_id() noexcept {
    using bare = detail::bare_operator<Op>;
    constexpr std::string_view name = detail::built_in_name<bare>();
    std::uint64_t id = detail::hash(is_commutative_v<Op> ? "commutative " : "non_commutative ");
    id = detail::hash(name.empty() ? "functor" : name, id);
    if constexpr (name.empty()) id = detail::hash(sizeof(std::decay_t<bare>), id);
    if constexpr (detail::has_name<bare>) id = detail::hash(bare::name, id);
    return id;
}

/// The same of an operator at hand.
template <class Op>
[[nodiscard]] std::string operator_name(const Op&) {
    return operator_name<Op>();
}
/// The same of an operator at hand.
template <class Op>
[[nodiscard]] constexpr std::uint64_t operator_id(const Op&) noexcept {
    return operator_id<Op>();
}

/// Stops the build with a plain sentence where Op does not reduce elements of type T.
template <class Op, element T>
constexpr void check_operator() noexcept {
    using bare = detail::bare_operator<Op>;
    constexpr bool adds = detail::is_one_of<bare, sum_operator, product_operator>;
    constexpr bool compares = detail::is_one_of<bare, minimum_operator, maximum_operator>;
    constexpr bool averages = std::same_as<bare, average_operator>;
    constexpr bool bits = detail::is_one_of<bare, bitwise_and_operator, bitwise_or_operator, bitwise_xor_operator>;
    constexpr bool logical = detail::is_one_of<bare, logical_and_operator, logical_or_operator, logical_xor_operator>;
    constexpr bool by_parts =
        std::same_as<bare, sum_operator> && (detail::summed_parts<T>::number > 0 || detail::sums_itself<T>);
    constexpr bool premultiplies = detail::is_premultiplied_sum<bare>;
    constexpr bool known = adds || compares || averages || bits || logical || premultiplies;

    static_assert(!adds || !std::same_as<T, bool>,
                  "tutti: sum and product are not defined on bool: take maximum for or, minimum for and");
    static_assert(
        !(adds || compares || logical) || detail::arithmetic<T> || by_parts,
        "tutti: sum, product, minimum, maximum and the logical operators need an arithmetic element: give a functor "
        "for a record; of std::complex there is the sum, by <collectives/reduction/complex.hpp>");
    static_assert(!averages || detail::floating<T>,
                  "tutti: average needs a floating-point element: take sum and divide");
    static_assert(!premultiplies || detail::number<T> || detail::summed_parts<T>::number > 0,
                  "tutti: premultiplied_sum needs an arithmetic element that is no bool, or a std::complex by "
                  "<collectives/reduction/complex.hpp>");
    static_assert(!std::integral<T> || detail::has_integer_factor<bare>,
                  "tutti: premultiplied_sum of integers needs an integer as the factor");
    static_assert(!bits || std::integral<T>, "tutti: the bitwise operators need an integer element");
    static_assert(known || operator_on<Op, T>,
                  "tutti: the operator must be callable, as a const object, with two elements (T const&, T const&) and "
                  "give something that converts to the element");
}

} // namespace tutti
