// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <tutti/base/language.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

struct CUstream_st; // cudaStream_t points to one

namespace tutti::kernels {

/// The kernels of engine::stream_executor on a GPU, for programs that nvcc does not compile: link
/// kernels/device_reductions.cu, compiled by nvcc. There are sum, product, minimum and maximum of float, double,
/// float16, bfloat16, int32 and int64, and average of the floating-point types.
///
/// `type` is tutti::type_id, `op` tutti::operator_id; false: there is no such kernel. The bits are those of the host.
/// Throws std::runtime_error with what the runtime says, and invalid_argument where an array is not aligned to its
/// elements. Cost: one launch.
struct device_reductions {
    /// to = from[0] ∘ from[1] ..., from left to right, rounded once; 1 to 8 sources of n elements.
    static bool reduce(std::uint64_t type, std::uint64_t op, std::span<const std::byte* const> from, std::byte* to,
                       std::size_t n, CUstream_st* stream);
    /// The operator's last stage, in place: an average's division by the ranks.
    static bool finish(std::uint64_t type, std::uint64_t op, std::byte* data, std::size_t n, int ranks,
                       CUstream_st* stream);

    /// The same on a transport::cuda_runtime's stream.
    template <class Stream>
    bool reduce(std::uint64_t type, std::uint64_t op, std::span<const std::byte* const> from, std::byte* to,
                std::size_t n, Stream& stream) const {
        return reduce(type, op, from, to, n, stream.get());
    }
    /// Starts the operator's last stage of `n` elements on a stream, in place: an average's division by `ranks`. False:
    /// there is no kernel for this type and operator.
    template <class Stream>
    bool finish(std::uint64_t type, std::uint64_t op, std::byte* data, std::size_t n, int ranks, Stream& stream) const {
        return finish(type, op, data, n, ranks, stream.get());
    }
};

} // namespace tutti::kernels
