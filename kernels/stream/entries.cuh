// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allreduce/allreduce_packets.cuh"
#include "../allreduce/allreduce_shots.cuh"
#include "../allreduce/fused_allreduce.cuh"
#include "../engine/device_engine.cuh"
#include "../reduce_many.cuh"
#include "fused_call.hpp"

#include <tutti/collectives/reduction/element.hpp>
#include <tutti/collectives/reduction/operators.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <span>

/// How the kernels of stream_reductions are started: an entry for each type and operator. Each operator has a source of
/// its own, so that they are compiled beside each other.
namespace tutti::kernels::detail {

template <class T, class Op>
void fused_on(const fused_call& call, cudaStream_t stream) {
    require_launched(launch_fused(typed<T, Op>(call), stream));
}
template <class T, class Op>
void load_fused(unsigned ranks) {
    require_launched(load_kernel(kernel_of<decltype(typed<T, Op>(fused_call{}))>(ranks)));
}

/// As launch_shots, in two widths and for two numbers of sources alone: that is a third of the kernels to compile.
template <unsigned lanes, unsigned most, class Reduction>
void start_shots(const group_call& c, std::span<const Reduction> what, std::span<const access_width> how,
                 cudaStream_t stream) {
    std::array<shot<lanes, most, Reduction>, most_peers> calls;
    for (unsigned k = 0; k < c.number; ++k)
        calls[k] = {c.groups[c.first + k], what[c.first + k], {lanes, lanes == 1 ? 0 : how[k].head}, c.signature};
    require_launched(launch_together(std::span<const shot<lanes, most, Reduction>>(calls).first(c.number), stream));
}
template <class Reduction>
void start_shots(const group_call& c, std::span<const Reduction> what, cudaStream_t stream) {
    constexpr unsigned widest_lanes = lanes_of<Reduction>;
    std::array<access_width, most_peers> how;
    bool wide = true;
    for (unsigned k = 0; k < c.number; ++k) {
        how[k] = access_of_shot(c.groups[c.first + k], what[c.first + k]);
        wide = wide && how[k].lanes == widest_lanes;
    }
    const bool two = what.size() <= 2;
    if (wide)
        two ? start_shots<widest_lanes, 2>(c, what, std::span<const access_width>(how), stream)
            : start_shots<widest_lanes, most_peers>(c, what, std::span<const access_width>(how), stream);
    else
        two ? start_shots<1, 2>(c, what, std::span<const access_width>(how), stream)
            : start_shots<1, most_peers>(c, what, std::span<const access_width>(how), stream);
}

template <class T, class Op>
void together_on(const group_call& c, cudaStream_t stream) {
    const auto of_ranks = typed<T, Op>(c);
    const auto what = std::span(of_ranks).first(c.groups.size());
    if (c.way == group_way::packets)
        require_launched(launch_packets(c.groups.subspan(c.first, c.number), c.boxes, c.signature,
                                        what.subspan(c.first, c.number), stream));
    else
        start_shots(c, what, stream);
}

template <class T, class Op>
void placed_on(const placed_call& c, cudaStream_t stream) {
    require_launched(c.group->size <= 2 ? launch_in_group(typed<2, T, Op>(c), stream)
                                        : launch_in_group(typed<most_peers, T, Op>(c), stream));
}

template <class T, class Op>
void scheduled_on(const scheduled_call& c, cudaStream_t stream) {
    const auto of_ranks = typed<T, Op>(c);
    require_launched(launch_together(std::span(of_ranks).first(c.groups.size()), stream));
    if constexpr (std::same_as<Op, average_operator>)
        for (std::size_t r = 0; r < c.groups.size(); ++r) require_launched(launch(last_stage<T, Op>(c, r), stream));
}

/// The kernels of one type and operator.
struct entry {
    std::uint64_t type, op;
    void (*fused)(const fused_call&, cudaStream_t);
    void (*load_fused)(unsigned ranks);
    void (*together)(const group_call&, cudaStream_t);
    void (*placed)(const placed_call&, cudaStream_t);
    void (*scheduled)(const scheduled_call&, cudaStream_t);
};

template <class Op, class... T>
constexpr std::array<entry, sizeof...(T)> entries() {
    return {entry{type_id<T>(), operator_id<Op>(), &fused_on<T, Op>, &load_fused<T, Op>, &together_on<T, Op>,
                  &placed_on<T, Op>, &scheduled_on<T, Op>}...};
}
template <class Op>
constexpr auto of_all_types() {
    return entries<Op, float, double, float16, bfloat16, std::int32_t, std::int64_t>();
}

/// Those of each operator, in stream_sums.cu and so on.
/// @{
std::span<const entry> sums() noexcept;
std::span<const entry> products() noexcept;
std::span<const entry> minima() noexcept;
std::span<const entry> maxima() noexcept;
std::span<const entry> averages() noexcept;
/// @}

} // namespace tutti::kernels::detail
