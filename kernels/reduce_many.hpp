// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "epilogue.hpp"
#include "reduce/access.hpp"
#include "reduce/execution.hpp"
#include "reduce/pack.hpp"

#include <tutti/collectives/reduction/host_device.hpp>
#include <tutti/collectives/reduction/operators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// to[i] = epilogue(((s0[i] ∘ s1[i]) ∘ s2[i]) ...) in one pass over memory: the kernel's body, for a GPU and for tests.
namespace tutti::kernels {

/// The most sources of one pass.
inline constexpr unsigned most_sources = 8;

/// The arguments of one reduce_many. `last` gets each element's total and writes it: see epilogue.hpp. Sources may
/// equal each other. Destinations may equal sources whose elements have the same size. They overlap in no other way.
template <element T, class Op, class Epilogue>
struct reduction {
    const T* from[most_sources]{}; ///< the sources, in the order of the operands
    unsigned sources = 0;          ///< how many sources there are, 1 to most_sources
    std::size_t count = 0;         ///< elements of each source that are reduced
    Epilogue last{};               ///< takes the totals
    /// The operator. Not [[no_unique_address]], as in operators.hpp.
    Op op{};
    std::size_t first = 0; ///< of the elements, in every array
};

namespace detail {

/// Floats of 16 and 8 bits are reduced in float by the built-in operators, as on the host. A functor takes them as they
/// are.
template <class T, class Op>
inline constexpr bool is_built_in = !tutti::detail::built_in_name<tutti::detail::bare_operator<Op>>().empty();

template <class T, class Op>
using total = std::conditional_t<is_built_in<T, Op>, tutti::detail::wide<T>, T>;

/// Elements [at, at + lanes). `most` is a bound of the sources that the compiler knows, so that all loads are under way
/// at once.
template <unsigned lanes, unsigned most, class T, class Op, class Epilogue>
TUTTI_HOST_DEVICE inline void reduce_pack(const reduction<T, Op, Epilogue>& what, std::size_t at) {
    using total_type = total<T, Op>;
    pack<T, lanes> in[most];
    TUTTI_UNROLL
    for (unsigned s = 0; s < most; ++s)
        if (s < what.sources) in[s].load(what.from[s] + at);
    total_type sum[lanes];
    TUTTI_UNROLL
    for (unsigned k = 0; k < lanes; ++k) {
        sum[k] = static_cast<total_type>(in[0].element[k]);
        TUTTI_UNROLL
        for (unsigned s = 1; s < most; ++s)
            if (s < what.sources)
                sum[k] = static_cast<total_type>(what.op(sum[k], static_cast<total_type>(in[s].element[k])));
    }
    what.last.template write<lanes>(sum, at);
}

} // namespace detail

namespace detail {

/// This thread's share of `count` elements: calls `visit.operator()<width>(at)` for the elements [at, at + width), of
/// which there are `lanes`, or one in the head and behind the last whole lanes.
template <unsigned lanes, class Visit, execution Here>
TUTTI_HOST_DEVICE inline void for_each_pack(std::size_t count, std::size_t head, const Here& here, const Visit& visit) {
    const std::size_t first = number_of(here), stride = stride_of(here);
    head = head < count ? head : count;
    const std::size_t packs = (count - head) / lanes;
    for (std::size_t p = first; p < packs; p += stride) visit.template operator()<lanes>(head + p * lanes);
    const std::size_t single = count - packs * lanes;
    for (std::size_t k = first; k < single; k += stride) visit.template operator()<1>(k < head ? k : k + packs * lanes);
}

} // namespace detail

/// The body of one thread. Preconditions: `how` is `access_of(what)`, and `lanes` its lanes; `what.sources` is 1 to
/// `most`. Result: the same bits for every geometry and access; of the built-in operators those of
/// reducer::combine_many on the host. A functor has the bits that its compiler gives it.
template <unsigned lanes, unsigned most, class T, class Op, class Epilogue, execution Here>
TUTTI_HOST_DEVICE void reduce_many(const reduction<T, Op, Epilogue>& what, access_width how, const Here& here) {
    detail::for_each_pack<lanes>(what.count, how.head, here, [&]<unsigned width>(std::size_t at) {
        detail::reduce_pack<width, most>(what, what.first + at);
    });
}

/// The lanes of elements that a kernel is compiled for at the most: 16 bytes of its narrowest array.
template <class Reduction>
inline constexpr unsigned lanes_of = 1;
/// As wide as its elements and accesses allow.
template <class T, class Op, class Epilogue>
inline constexpr unsigned lanes_of<reduction<T, Op, Epilogue>> =
    most_lanes(std::min(sizeof(T), Epilogue::smallest_element), std::max(sizeof(T), Epilogue::largest_element));

/// The widest access that all arrays of `what` allow. Errors: invalid_argument, where an array is not aligned to its
/// elements, or the number of sources is not 1 to 8.
template <class T, class Op, class Epilogue>
[[nodiscard]] access_width access_of(const reduction<T, Op, Epilogue>& what) {
    check_operator<Op, T>();
    static_assert(!std::same_as<tutti::detail::bare_operator<Op>, average_operator>,
                  "tutti: an average here is a sum with the epilogue scaled{1.0F / ranks, ...}");
    static_assert(!tutti::detail::is_premultiplied_sum<tutti::detail::bare_operator<Op>>,
                  "tutti: a premultiplied sum here is a sum of sources that were multiplied, each by a pass of its own "
                  "with the epilogue scaled{factor, ...}");
    if (what.sources < 1 || what.sources > most_sources)
        reject("reduce_many", "it has " + std::to_string(what.sources) + " sources",
               "reduce 1 to " + std::to_string(most_sources) + " in one pass");
    std::vector<touched> arrays;
    for (unsigned s = 0; s < what.sources; ++s)
        arrays.push_back({reinterpret_cast<std::uintptr_t>(what.from[s]), sizeof(T), alignof(T), "source"});
    what.last.list(arrays);
    for (touched& a : arrays) a.address += what.first * a.element_bytes;
    return widest_access(arrays, lanes_of<reduction<T, Op, Epilogue>>);
}

/// One access of each array a thread: so blocks begin in the order of memory. Blocks that stay for the whole pass drift
/// apart: on an H100 that costs 2 to 10 % of the memory's speed.
template <class T, class Op, class Epilogue>
[[nodiscard]] geometry geometry_of(const reduction<T, Op, Epilogue>& what, access_width how) {
    constexpr unsigned threads = 256;
    constexpr std::size_t most_blocks = 0x7fff'ffff; // of a launch
    const std::size_t packs = what.count / how.lanes + 1, blocks = (packs + threads - 1) / threads;
    return {static_cast<unsigned>(std::min(blocks, most_blocks)), threads};
}

/// Calls `run.template operator()<lanes, most>()` with what is known only at run time: one kernel for each width of
/// access, and for up to 2, 4 and 8 sources.
template <unsigned lanes, class Run>
void with_constants(access_width how, unsigned sources, const Run& run) {
    if constexpr (lanes > 1)
        if (how.lanes < lanes) return with_constants<lanes / 2>(how, sources, run);
    if (sources <= 2)
        run.template operator()<lanes, 2>();
    else if (sources <= 4)
        run.template operator()<lanes, 4>();
    else
        run.template operator()<lanes, most_sources>();
}

} // namespace tutti::kernels
