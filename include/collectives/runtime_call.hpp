// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/messages.hpp"
#include "calls/uneven.hpp"

#include "algorithm/any.hpp"
#include "reduction/narrow_float.hpp"
#include "schedule/operation.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

/// Collectives whose operation, element type and operator are values: for bindings of other languages, and for programs
/// that learn them when they run. Not part of collectives.hpp: it compiles a kernel for each pair of type and operator.
namespace tutti {

// g++ warns that an enumerator of a scoped enumeration hides an outer name.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// An element type.
enum class element_type : std::uint8_t {
    int8,        ///< `std::int8_t`
    uint8,       ///< `std::uint8_t`
    int16,       ///< `std::int16_t`
    uint16,      ///< `std::uint16_t`
    int32,       ///< `std::int32_t`
    uint32,      ///< `std::uint32_t`
    int64,       ///< `std::int64_t`
    uint64,      ///< `std::uint64_t`
    float16,     ///< `tutti::float16`
    bfloat16,    ///< `tutti::bfloat16`
    float32,     ///< `float`
    float64,     ///< `double`
    float8_e4m3, ///< `tutti::float8_e4m3`
    float8_e5m2, ///< `tutti::float8_e5m2`
};

/// A built-in operator.
enum class operator_type : std::uint8_t {
    sum,               ///< `tutti::sum`
    product,           ///< `tutti::product`
    minimum,           ///< `tutti::minimum`
    maximum,           ///< `tutti::maximum`
    average,           ///< `tutti::average`
    bitwise_and,       ///< `tutti::bitwise_and`
    bitwise_or,        ///< `tutti::bitwise_or`
    bitwise_xor,       ///< `tutti::bitwise_xor`
    logical_and,       ///< `tutti::logical_and`
    logical_or,        ///< `tutti::logical_or`
    logical_xor,       ///< `tutti::logical_xor`
    premultiplied_sum, ///< `tutti::premultiplied_sum`, by runtime_call::factor
};
#pragma GCC diagnostic pop

/// The names of element types, in the order of their enumeration.
inline constexpr std::array<std::string_view, 14> element_type_names{
    "int8",   "uint8",   "int16",    "uint16",  "int32",   "uint32",      "int64",
    "uint64", "float16", "bfloat16", "float32", "float64", "float8_e4m3", "float8_e5m2"};
/// The names of operators, in the order of their enumeration.
inline constexpr std::array<std::string_view, 12> operator_type_names{
    "sum",        "product",     "minimum",     "maximum",    "average",     "bitwise_and",
    "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor", "premultiplied_sum"};

/// "float32", "int8", ...
[[nodiscard]] constexpr std::string_view name_of(element_type t) noexcept {
    return element_type_names[static_cast<std::size_t>(t)];
}
/// "sum", "bitwise_and", ...
[[nodiscard]] constexpr std::string_view name_of(operator_type o) noexcept {
    return operator_type_names[static_cast<std::size_t>(o)];
}
/// Bytes of an element.
[[nodiscard]] constexpr std::size_t size_of(element_type t) noexcept {
    constexpr std::array<std::size_t, 14> sizes{1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1};
    return sizes[static_cast<std::size_t>(t)];
}
/// Whether it is a floating-point type, of any width.
[[nodiscard]] constexpr bool is_floating(element_type t) noexcept { return t >= element_type::float16; }
/// Whether the operator reduces elements of that type. Bitwise operators take integers, and the average takes
/// floating-point types.
[[nodiscard]] constexpr bool reduces(operator_type o, element_type t) noexcept {
    if (o == operator_type::average) return is_floating(t);
    const bool bits = operator_type::bitwise_and <= o && o <= operator_type::bitwise_xor;
    return !bits || !is_floating(t);
}

/// A type that the library does not know, whose elements only move: of all operations that do not reduce, and of
/// messages. Elements of one name and size match, and no others. Errors of collectives count them in bytes. The library
/// keeps one copy of each name for good.
struct opaque_type {
    std::size_t bytes = 1;   ///< of an element, at least 1. Elements may lie at any address
    std::string_view name{}; ///< for errors. Read within the call
};

/// visitor(std::type_identity<T>{}) for the type T that `t` names.
template <class Visitor>
decltype(auto) visit_type(element_type t, const Visitor& visitor) {
    switch (t) {
    case element_type::int8: return visitor(std::type_identity<std::int8_t>{});
    case element_type::uint8: return visitor(std::type_identity<std::uint8_t>{});
    case element_type::int16: return visitor(std::type_identity<std::int16_t>{});
    case element_type::uint16: return visitor(std::type_identity<std::uint16_t>{});
    case element_type::int32: return visitor(std::type_identity<std::int32_t>{});
    case element_type::uint32: return visitor(std::type_identity<std::uint32_t>{});
    case element_type::int64: return visitor(std::type_identity<std::int64_t>{});
    case element_type::uint64: return visitor(std::type_identity<std::uint64_t>{});
    case element_type::float16: return visitor(std::type_identity<float16>{});
    case element_type::bfloat16: return visitor(std::type_identity<bfloat16>{});
    case element_type::float32: return visitor(std::type_identity<float>{});
    case element_type::float64: break;
    case element_type::float8_e4m3: return visitor(std::type_identity<float8_e4m3>{});
    case element_type::float8_e5m2: return visitor(std::type_identity<float8_e5m2>{});
    }
    return visitor(std::type_identity<double>{});
}

/// The lengths of unequal parts, in elements, by rank: for allgatherv, gatherv, scatterv, reduce_scatterv and
/// alltoallv.
struct runtime_counts {
    /// Each rank's part. For alltoallv: the block sent to each rank. For gatherv and scatterv only the root reads it.
    std::span<const std::size_t> of_ranks{};
    std::span<const std::size_t> received{}; ///< for alltoallv only: the block received from each rank
    /// Where each part begins, in elements from the beginning of its buffer: see `displaced`. Empty: one after the
    /// other.
    std::span<const std::size_t> displacements{};
    std::span<const std::size_t> received_displacements{}; ///< for alltoallv only: of the blocks received
    /// Where each part begins, in place of the buffer's own pointer and of displacements: parts may lie anywhere,
    /// those of a type that the library knows a whole number of elements apart. Those of an empty part may be null.
    std::span<const void* const> parts{};
    std::span<const void* const> received_parts{}; ///< for alltoallv only: of the blocks received
};

/// A call of any operation. Preconditions, shapes and in-place rules are the operation's own; it matches typed calls of
/// the same meaning on other ranks. A barrier has no values: `on.barrier()`. Messages are of a runtime_range.
///
/// @snippet reference.cpp runtime_call
struct runtime_call {
    schedule::operation what = schedule::operation::allreduce; ///< the operation
    element_type type = element_type::float32;                 ///< the type of its elements
    operator_type op = operator_type::sum;                     ///< ignored by operations that do not reduce
    std::size_t count = 0;               ///< elements of the vector, or of one rank's part where has_shards(what)
    const void* input = nullptr;         ///< ignored by broadcast; scatter reads it at the root only
    void* output = nullptr;              ///< reduce and gather use it at the root only; broadcast's data
    int root = 0;                        ///< ignored where the operation has none: see schedule::has_root
    std::optional<algorithm::any> how{}; ///< empty: the library chooses
    bool symmetric = false;              ///< all ranks' buffers are symmetric_memory; used by the library's choice
    /// Empty: the parts are equal. Otherwise `count` is this rank's own part, and alltoall ignores it. What the spans
    /// point to must outlive issue().
    std::optional<runtime_counts> counts{};
    std::optional<opaque_type> opaque{}; ///< in place of `type`, where elements only move
    /// Of premultiplied_sum: this rank's factor, a float for types of 16 and 8 bits, else one value of the type. Read
    /// within issue().
    const void* factor = nullptr;
};

/// The data of a message, in place of a range: `world.send(range, to)`, `world.receive(range, from)`, and so in
/// sendrecv, asynchronous messages and groups. It matches typed messages.
///
/// @snippet reference.cpp runtime_range
struct runtime_range {
    static constexpr bool is_read_only = false; ///< it can be received into
    void* data = nullptr;                       ///< of a send only read
    std::size_t count = 0;                      ///< elements
    element_type type = element_type::float32;  ///< the type of the elements
    std::optional<opaque_type> opaque{};        ///< in place of `type`
};

namespace detail {

/// Puts a range into the arguments of a message.
void describe_message(message_arguments& a, const runtime_range& data);

/// The engine's call. Throws invalid_argument.
[[nodiscard]] engine::call engine_call_of(const runtime_call& c, int rank, int size, const model::chooser& by);

} // namespace detail

/// Issues a call on a communicator, which makes it; on its async() view, which returns a request; or on its prepare()
/// view, which returns a prepared call. Errors: as of the operation; invalid_argument for a type that the operator does
/// not reduce.
///
/// Several vectors at once are several calls: start one each, in the same order on all ranks, and wait_all().
template <class Issuer>
auto issue(const Issuer& on, const runtime_call& c) {
    return detail::access::issue<>(on, detail::no_operator{}, [&](const auto&) {
        return detail::engine_call_of(c, on.rank(), on.size(), on.choice());
    });
}

} // namespace tutti

#if !defined(TUTTI_COMPILED)
#include "calls/runtime_call.ipp"
#else
#define TUTTI_HAS_RUNTIME_CALL // for implementation.hpp
#endif
