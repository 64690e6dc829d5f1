// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/reducer.hpp"
#include "memory.hpp"
#include "operators.hpp"
#include "simd/kernels.hpp"
#include "simd/scale.hpp"

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <type_traits>

// clang warns where a loop that it was told to be free of dependences does not vectorise, as with long double.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

namespace tutti {

namespace detail {

/// to[i] = op(left[i], right[i]). Since `to` is `left`, is `right`, or overlaps neither, no iteration reads what
/// another one writes; the compilers cannot see that, and clang would leave the in-place case scalar.
template <element T, class Op, class Count>
[[gnu::always_inline]] inline void apply_run(std::byte* to, const std::byte* left, const std::byte* right, Count count,
                                             const Op& op) {
    const std::size_t end = count;
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::size_t i = 0; i < end; ++i)
        store<T>(to + i * sizeof(T), static_cast<T>(op(load<T>(left + i * sizeof(T)), load<T>(right + i * sizeof(T)))));
}

/// Elements in a run of known length. At -O2 g++ vectorises only where it knows the length; clang always does, and
/// would unroll a run of known length beyond recognition.
#if defined(__clang__)
template <element T>
inline constexpr std::size_t run_length = 0;
#else
template <element T>
inline constexpr std::size_t run_length = std::is_arithmetic_v<T> ? 256 / sizeof(T) : 0;
#endif

template <element T, class Op>
[[gnu::always_inline]] inline void apply(std::byte* to, const std::byte* left, const std::byte* right,
                                         std::size_t count, const Op& op) {
    if constexpr (constexpr std::size_t run = run_length<T>; run > 0) {
        for (; count >= run; count -= run) {
            apply_run<T>(to, left, right, std::integral_constant<std::size_t, run>{}, op);
            to += run * sizeof(T);
            left += run * sizeof(T);
            right += run * sizeof(T);
        }
    }
    apply_run<T>(to, left, right, count, op);
}

/// An operator that a kernel can make for itself.
template <class Op>
inline constexpr bool is_stateless = std::is_empty_v<Op> && std::is_trivially_default_constructible_v<Op>;
template <class Functor>
inline constexpr bool is_stateless<non_commutative<Functor>> = is_stateless<Functor>;
template <fixed_text text, class Functor>
inline constexpr bool is_stateless<named_operator<text, Functor>> = is_stateless<Functor>;

/// The state pointer from which a kernel finds `op` again.
template <class Op>
[[nodiscard]] const void* state_of(const Op& op) noexcept {
    if constexpr (is_stateless<Op>)
        return nullptr;
    else if constexpr (std::is_function_v<Op>)
        return reinterpret_cast<const void*>(&op);
    else
        return __builtin_addressof(op);
}

/// The operator again. A small one is copied: clang keeps a loop scalar whose stores might change the operator.
template <class Op>
[[nodiscard]] decltype(auto) operator_of([[maybe_unused]] const void* state) noexcept {
    if constexpr (is_stateless<Op>)
        return Op{};
    else if constexpr (std::is_function_v<Op>)
        return *reinterpret_cast<Op*>(const_cast<void*>(state));
    else if constexpr (std::is_trivially_copyable_v<Op> && std::is_copy_constructible_v<Op> && sizeof(Op) <= 64)
        return Op(*static_cast<const Op*>(state));
    else
        return *static_cast<const Op*>(state);
}

/// Ends the process, in words, and lets the terminate handler tell of the exception that is being handled.
[[noreturn]] inline void operator_threw() noexcept {
    std::fputs("tutti: an operator threw an exception; operators must not, so this process ends\n", stderr);
    std::terminate();
}

/// The kernel of a reducer. Not inlined, so that clang lays its remarks on this line and not on the caller's.
template <element T, class Op>
[[gnu::noinline]] void combine(std::byte* to, const std::byte* left, const std::byte* right, std::size_t count,
                               const void* state) noexcept {
    decltype(auto) op = operator_of<Op>(state);
    if constexpr (std::is_nothrow_invocable_r_v<T, const Op&, const T&, const T&>) {
        apply<T>(to, left, right, count, op);
    } else {
        try {
            apply<T>(to, left, right, count, op);
        } catch (...) {
            operator_threw();
        }
    }
}

/// Bytes of each source that are reduced before the next ones: they stay in the first cache.
inline constexpr std::size_t block_bytes = 4096;

/// The kernel of many sources. A block's total grows where no source lies, since `to` may be any of them, and only the
/// last step, which reads the last source, writes to `to`.
template <element T, class Op>
void combine_many(std::byte* to, const std::byte* const* sources, std::size_t number, std::size_t count,
                  const void* state) noexcept {
    constexpr std::size_t most = sizeof(T) < block_bytes ? block_bytes / sizeof(T) : 1;
    std::byte total[most * sizeof(T)];
    for (std::size_t at = 0, n = 0; at < count; at += n) {
        n = count - at < most ? count - at : most;
        const std::size_t offset = at * sizeof(T);
        const std::byte* left = sources[0] + offset;
        for (std::size_t s = 1; s < number; ++s) {
            std::byte* const result = s + 1 == number ? to + offset : total;
            combine<T, Op>(result, left, sources[s] + offset, n, state);
            left = total;
        }
    }
}

template <element T>
[[gnu::noinline]] void scale_to_average(std::byte* data, std::size_t count, int ranks) noexcept {
    const wide<T> factor = wide<T>{1} / static_cast<wide<T>>(ranks);
    if constexpr (is_narrow_float<T>)
        scale<T>(data, data, count, factor, best_instructions());
    else
        apply<T>(data, data, data, count, [factor](T total, T) noexcept { return multiply(total, factor); });
}

/// The kernels of a type that is summed part by part.
template <element T>
void sum_parts(std::byte* to, const std::byte* left, const std::byte* right, std::size_t count, const void*) noexcept;
template <element T>
void sum_parts_of_many(std::byte* to, const std::byte* const* sources, std::size_t number, std::size_t count,
                       const void*) noexcept;

} // namespace detail

/// `op` on elements of type T, with its types forgotten. Preconditions: unless it is an empty trivial type, `op`
/// outlives the reducer; the kernel may copy it, so it must not rely on changing itself. Errors: an exception that
/// leaves `op` is reported on stderr and ends the process, because the kernel runs inside a transport that carries
/// other collectives; the other ranks see a lost peer. Cost: one pass without allocation, with the widest vectors of
/// this processor for the built-in operators on integers, float, double, and floats of 16 and 8 bits.
template <element T, class Op>
[[nodiscard]] reducer make_reducer(const Op& op) noexcept {
    check_operator<Op, T>();
    if constexpr (detail::is_premultiplied_sum<detail::bare_operator<Op>>)
        return make_reducer<T>(sum); // its inputs are multiplied before: see start.hpp
    else if constexpr (detail::summed_parts<T>::number > 0 && std::same_as<detail::bare_operator<Op>, sum_operator>)
        return {&detail::sum_parts<T>, nullptr, sizeof(T), &detail::sum_parts_of_many<T>};
    else if constexpr (detail::vectorised<T, detail::bare_operator<Op>>)
        return detail::vector_reducer<T, detail::bare_operator<Op>>(detail::best_instructions());
    else if constexpr (operator_on<Op, T>)
        return {&detail::combine<T, Op>, detail::state_of(op), sizeof(T), &detail::combine_many<T, Op>,
                detail::built_in_name<detail::bare_operator<Op>>().empty()};
    else
        return {};
}

namespace detail {

template <element T>
void sum_parts(std::byte* to, const std::byte* left, const std::byte* right, std::size_t count, const void*) noexcept {
    const reducer part = make_reducer<typename summed_parts<T>::type>(sum);
    part.combine(to, left, right, count * summed_parts<T>::number, nullptr);
}
template <element T>
void sum_parts_of_many(std::byte* to, const std::byte* const* sources, std::size_t number, std::size_t count,
                       const void*) noexcept {
    const reducer part = make_reducer<typename summed_parts<T>::type>(sum);
    part.combine_many(to, sources, number, count * summed_parts<T>::number, nullptr);
}

} // namespace detail

/// The last stage of a reduction, run once on its finished result.
struct finish {
    /// data[i] = finished(data[i]) for `count` elements of any alignment, reduced over `ranks` ranks.
    using kernel = void (*)(std::byte* data, std::size_t count, int ranks);
};

/// Op has a last stage on elements of type T: it is `average`.
template <class Op, element T>
inline constexpr bool has_finisher = std::same_as<detail::bare_operator<Op>, average_operator> && detail::floating<T>;

/// The last stage that Op asks for on elements of type T: for `average` one multiplication by 1/ranks, else null.
template <class Op, element T>
[[nodiscard]] constexpr finish::kernel finisher_of() noexcept {
    if constexpr (has_finisher<Op, T>)
        return &detail::scale_to_average<T>;
    else
        return nullptr;
}

} // namespace tutti

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
