// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

namespace tutti::training::compressed {

/// What one rank has sent to others. Bytes are those of the data, without the transport's own.
struct traffic {
    std::uint64_t messages = 0; ///< how many
    std::uint64_t bytes = 0;    ///< of all of them
    /// Both together.
    traffic& operator+=(const traffic& more) noexcept {
        messages += more.messages;
        bytes += more.bytes;
        return *this;
    }
};

/// A compressor averages a vector over all ranks and sends less than an allreduce does. It has
/// average(ranks, data, sent), where `data` and `sent` are of equal length:
/// - `data` comes in as this rank's vector, and becomes the average, the same bits on all ranks;
/// - `sent` becomes what the others know of this rank's vector: what is missing is the error of compression;
/// - the result is what this rank has sent to others.
///
/// Preconditions on all ranks: equal lengths, compressors that were made alike, and the same calls in the same order.
/// A compressor may keep state for a vector, such as the number of calls: each bucket has one of its own. Where it has
/// numbers(), an array of double, ranks compare them.
template <class C, class Communicator>
concept compressor = requires(C& c, const Communicator& ranks, std::span<float> x) {
    { c.average(ranks, x, x) } -> std::same_as<traffic>;
};

/// A compressor that draws random numbers has with_stream(n): a fresh one of the same kind, with draws of its own for
/// each n, alike on all ranks. So several vectors of a model do not draw the same.
template <class C>
concept stream_compressor = requires(const C& c, std::uint64_t n) {
    { c.with_stream(n) } -> std::same_as<C>;
};

namespace detail {
/// A copy where it draws nothing.
template <class C>
[[nodiscard]] C with_stream(const C& of, std::uint64_t n) {
    if constexpr (stream_compressor<C>)
        return of.with_stream(n);
    else
        return of;
}
} // namespace detail

} // namespace tutti::training::compressed
