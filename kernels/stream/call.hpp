// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allreduce/meeting.hpp"

#include <tutti/base/error.hpp>
#include <tutti/collectives/algorithm/any.hpp>
#include <tutti/collectives/reduction/element.hpp>
#include <tutti/collectives/reduction/operators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tutti::kernels::detail {

/// A stream-ordered allreduce whose types are forgotten.
struct ordered_call {
    std::uint64_t type = 0, op = 0;                   ///< tutti::type_id, tutti::operator_id
    std::size_t element_bytes = 1;                    ///< of an element
    std::size_t count = 0;                            ///< elements of this part
    std::size_t whole = 0;                            ///< elements of the call that this is a part of
    std::size_t first = 0;                            ///< of them, where the part begins
    std::byte* in = nullptr;                          ///< of device memory; not written unless it is `out`
    std::byte* out = nullptr;                         ///< likewise
    std::string (*name)(std::size_t count) = nullptr; ///< the call in words
    const algorithm::any* how = nullptr;              ///< whose schedule runs; null: the library chooses

    [[nodiscard]] std::size_t bytes() const noexcept { return count * element_bytes; }
    /// Equal on all ranks, or they make different calls.
    [[nodiscard]] std::uint64_t signature() const noexcept {
        std::uint64_t call = tutti::detail::hash(op, type);
        for (const std::size_t number : {count, whole, first}) call = tutti::detail::hash(number, call);
        return how ? tutti::detail::hash(how->id(), call) : call;
    }
    /// The same in 32 bits.
    [[nodiscard]] std::uint32_t short_signature() const noexcept {
        const std::uint64_t all = signature();
        return static_cast<std::uint32_t>(all ^ all >> 32);
    }
    [[nodiscard]] std::string in_words() const {
        return how ? name(whole) + ", by " + std::string(how->name()) : name(whole);
    }
    /// Calls `start` with parts of `most` elements at most, in order; with an empty one if there are none.
    template <class Start>
    void for_each_part(std::size_t most, const Start& start) const {
        std::size_t begin = 0;
        do {
            const std::size_t some = std::min(std::max<std::size_t>(1, most), count - begin);
            start(part(begin, some));
            begin += some;
        } while (begin < count);
    }
    /// Elements [begin, begin + some) of it.
    [[nodiscard]] ordered_call part(std::size_t begin, std::size_t some) const noexcept {
        ordered_call p = *this;
        p.in += begin * element_bytes;
        p.out += begin * element_bytes;
        p.count = some;
        p.first = begin;
        return p;
    }
};

/// "allreduce on a stream of 1000 float32, sum".
template <class T, class Op>
[[nodiscard]] std::string name_of_call(std::size_t count) {
    return "allreduce on a stream of " + std::to_string(count) + " " + type_name<T>() + ", " + operator_name<Op>();
}

/// Throws what a group's failure means. `world_rank` is that of the rank at fault.
[[noreturn]] inline void throw_failure(failure_word f, int world_rank, const std::string& call) {
    fault told;
    told.operation = call;
    told.peer = world_rank;
    switch (f.why) {
    case group_failure::lost:
        told.why = cause::lost_peer;
        told.detail = "its process has ended";
        break;
    case group_failure::device:
        told.why = cause::aborted;
        told.detail = "its GPU has failed";
        break;
    case group_failure::mismatch:
        told.why = cause::mismatch;
        told.detail = "it made another call, or none of this number";
        told.remedy = "make the same stream-ordered calls in the same order on all ranks";
        break;
    default:
        told.why = cause::timeout;
        told.detail = "the deadline passed before its stream came to the call and the call ended";
        told.remedy = "see what its stream waits for, or set a longer deadline";
    }
    throw error(std::move(told));
}

} // namespace tutti::kernels::detail
