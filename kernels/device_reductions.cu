// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The one object that kernels come from where nvcc does not compile the program. What is in the two lists at the end is
// compiled.
#include "device_reductions.hpp"

#include "reduce_many.cuh"

#include <tutti/collectives/reduction/element.hpp>
#include <tutti/collectives/reduction/operators.hpp>

#include <array>

namespace tutti::kernels {

namespace {

template <class T, class Op>
void reduce_on(std::span<const std::byte* const> from, std::byte* to, std::size_t n, cudaStream_t stream) {
    reduction<T, Op, stored<T>> what;
    for (std::size_t k = 0; k < from.size(); ++k) what.from[k] = reinterpret_cast<const T*>(from[k]);
    what.sources = static_cast<unsigned>(from.size());
    what.count = n;
    what.last.to[0] = reinterpret_cast<T*>(to);
    require_launched(launch(what, stream));
}

template <class T>
void average_on(std::byte* data, std::size_t n, int ranks, cudaStream_t stream) {
    using wide = tutti::detail::wide<T>;
    reduction<T, sum_operator, scaled<wide, stored<T>>> what;
    what.from[0] = reinterpret_cast<const T*>(data);
    what.sources = 1;
    what.count = n;
    what.last.factor = wide{1} / static_cast<wide>(ranks);
    what.last.next.to[0] = reinterpret_cast<T*>(data);
    require_launched(launch(what, stream));
}

struct reduction_entry {
    std::uint64_t type, op;
    void (*run)(std::span<const std::byte* const>, std::byte*, std::size_t, cudaStream_t);
};
struct average_entry {
    std::uint64_t type;
    void (*run)(std::byte*, std::size_t, int, cudaStream_t);
};

template <class Op, class... T>
constexpr std::array<reduction_entry, sizeof...(T)> entries() {
    return {reduction_entry{type_id<T>(), operator_id<Op>(), &reduce_on<T, Op>}...};
}
/// An average is summed first.
template <class... T>
constexpr std::array<reduction_entry, sizeof...(T)> entries_of_averages() {
    return {reduction_entry{type_id<T>(), operator_id<average_operator>(), &reduce_on<T, sum_operator>}...};
}
template <class... T>
constexpr std::array<average_entry, sizeof...(T)> averages() {
    return {average_entry{type_id<T>(), &average_on<T>}...};
}

template <class Op>
constexpr auto of_all_types = entries<Op, float, double, float16, bfloat16, std::int32_t, std::int64_t>();
constexpr auto averages_of_types = averages<float, double, float16, bfloat16>();
constexpr auto sums_of_averages = entries_of_averages<float, double, float16, bfloat16>();

constexpr std::array<std::span<const reduction_entry>, 5> all{
    of_all_types<sum_operator>, of_all_types<product_operator>, of_all_types<minimum_operator>,
    of_all_types<maximum_operator>, sums_of_averages};

} // namespace

bool device_reductions::reduce(std::uint64_t type, std::uint64_t op, std::span<const std::byte* const> from,
                               std::byte* to, std::size_t n, cudaStream_t stream) {
    for (const auto& list : all)
        for (const reduction_entry& e : list)
            if (e.type == type && e.op == op) return e.run(from, to, n, stream), true;
    return false;
}

bool device_reductions::finish(std::uint64_t type, std::uint64_t op, std::byte* data, std::size_t n, int ranks,
                               cudaStream_t stream) {
    if (op != operator_id<average_operator>()) return false;
    for (const average_entry& e : averages_of_types)
        if (e.type == type) return e.run(data, n, ranks, stream), true;
    return false;
}

} // namespace tutti::kernels
