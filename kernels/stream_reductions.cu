// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What stream-ordered calls find their kernels by where nvcc does not compile the program. Those are in stream_sums.cu,
// stream_products.cu, stream_minima.cu, stream_maxima.cu and stream_averages.cu.
#include "stream_reductions.hpp"

#include "stream/entries.cuh"

#include <algorithm>
#include <array>

namespace tutti::kernels {

namespace {

const std::array<std::span<const detail::entry>, 5>& all_entries() {
    static const std::array all{detail::sums(), detail::products(), detail::minima(), detail::maxima(),
                                detail::averages()};
    return all;
}

const detail::entry* find(std::uint64_t type, std::uint64_t op) {
    for (const auto& list : all_entries())
        for (const detail::entry& e : list)
            if (e.type == type && e.op == op) return &e;
    return nullptr;
}

} // namespace

bool stream_reductions::has(std::uint64_t type, std::uint64_t op) { return find(type, op) != nullptr; }

void stream_reductions::fused(const fused_call& call, cudaStream_t stream) {
    find(call.type, call.op)->fused(call, stream);
}

void stream_reductions::together(const group_call& call, cudaStream_t stream) {
    find(call.type, call.op)->together(call, stream);
}

void stream_reductions::placed(const placed_call& call, cudaStream_t stream) {
    find(call.type, call.op)->placed(call, stream);
}

void stream_reductions::scheduled(const scheduled_call& call, cudaStream_t stream) {
    find(call.type, call.op)->scheduled(call, stream);
}

void stream_reductions::load(unsigned ranks) {
    for (const auto& list : all_entries())
        for (const detail::entry& e : list) e.load_fused(ranks);
}

unsigned stream_reductions::blocks(unsigned ranks) {
    int device = 0, multiprocessors = 0;
    require_launched(cudaGetDevice(&device));
    require_launched(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    // A block of group_threads threads with up to 128 registers each fills a multiprocessor.
    return std::clamp(static_cast<unsigned>(multiprocessors) / ranks, 1U, most_group_blocks);
}

} // namespace tutti::kernels
