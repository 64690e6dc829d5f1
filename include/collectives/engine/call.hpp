// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/version.hpp"
#include "../algorithm/any.hpp"
#include "../reduction/start.hpp"
#include "../schedule/lowering/split.hpp"
#include "../schedule/part_lengths.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tutti::engine {

class executor;

/// Proves that an algorithm combines operands in rank order.
using order_proof = bool (*)(const algorithm::any& how, schedule::operation what, int size, int root);

/// Everything that ranks must agree on when they call a collective, and where this rank's data is. Lengths of parts
/// that not all ranks know are of this rank alone, and so is `count` then.
struct call {
    schedule::operation what;
    algorithm::any how;
    int segments = 1;      ///< pieces that each chunk is cut into
    int root = 0;          ///< where has_root(what)
    std::size_t count = 0; ///< elements of the whole vector: size times the shard where has_shards(what)
    const std::byte* input = nullptr;
    std::byte* output = nullptr;
    bool in_place = false;
    std::shared_ptr<const schedule::part_lengths> lengths{}; ///< of the parts; null: they are equal
    bool symmetric = false; ///< the buffers' type says symmetric memory, which the algorithm was chosen for

    const char* title = nullptr; ///< its name in errors, where that is not just the operation

    std::size_t element_bytes = 1;
    std::uint64_t type = 0;
    tutti::detail::type_words type_name{};

    reducer reduce{};
    order_proof keeps_order = nullptr;       ///< of an operator that is not commutative
    std::uint64_t operation_on_elements = 0; ///< identity of the operator; 0 where there is none
    std::string (*operator_name)() = nullptr;
    start starter{};
    finish::kernel finisher = nullptr;

    executor* by = nullptr; ///< does the local work; null: the driving thread. Ranks of a call may differ in it
};

/// Which of the call's buffers have gaps between their parts, or parts in another order.
[[nodiscard]] inline schedule::displaced_buffers displaced_of(const call& c) noexcept {
    if (!c.lengths) return {};
    return {!c.lengths->input_at().empty(), !c.lengths->output_at().empty()};
}

/// Whether two calls of one plan are the same: its operation, algorithm, segments and `in_place` are theirs. What
/// follows from the type and the operator is not compared either. Named operators may share their identity, but not
/// their code.
[[nodiscard]] inline bool repeats(const call& now, const call& before) noexcept {
    return now.input == before.input && now.output == before.output && now.count == before.count &&
           now.lengths == before.lengths && now.type == before.type && now.element_bytes == before.element_bytes &&
           now.reduce.combine == before.reduce.combine && now.reduce.state == before.reduce.state &&
           now.operation_on_elements == before.operation_on_elements && now.finisher == before.finisher &&
           now.starter == before.starter && now.root == before.root && now.symmetric == before.symmetric &&
           now.title == before.title && now.by == before.by;
}

/// The hash that goes on from h by x. The sum keeps small numbers from cancelling each other.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t h, std::uint64_t x) noexcept {
    h = ((h + 0x6a09e667f3bcc909) ^ x) * 0x9e3779b97f4a7c15;
    return h ^ (h >> 32);
}

/// The hash of a call's meaning: equal for calls that differ in their data alone.
[[nodiscard]] inline std::uint64_t meaning_of(const call& c) noexcept {
    std::uint64_t h = mixed(0, c.type);
    h = mixed(h, c.lengths ? c.lengths->meaning() : c.count);
    h = mixed(h, c.operation_on_elements);
    h = mixed(h, c.how.id());
    return mixed(h, std::uint64_t{tutti::detail::wire_version} << 56 | static_cast<std::uint64_t>(c.what) << 48 |
                        static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.segments)) << 32 |
                        static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.root)));
}

/// The signature of a communicator without calls.
[[nodiscard]] constexpr std::uint64_t first_signature(std::uint64_t communicator) noexcept {
    return mixed(0, communicator);
}
/// The hash that the messages of a call carry, given the signature of the call before: equal if the ranks have meant
/// the same by this call and by all before it on their communicator.
[[nodiscard]] constexpr std::uint64_t next_signature(std::uint64_t before, std::uint64_t meaning) noexcept {
    return mixed(before, meaning);
}

/// "allreduce(ring) of 1000 float32, sum".
[[nodiscard]] inline std::string in_words(const call& c) {
    if (c.title) return c.title;
    std::string text{name_of(c.what)};
    if (c.lengths) text += "v";
    text += "(" + std::string(c.how.name()) + ") of " + std::to_string(c.count);
    if (c.type_name) text += " " + c.type_name();
    if (c.lengths) text += " " + c.lengths->in_words();
    if (c.operator_name) text += ", " + c.operator_name();
    if (has_root(c.what)) text += ", root " + std::to_string(c.root);
    if (c.segments > 1) text += ", " + std::to_string(c.segments) + " segments";
    if (c.symmetric) text += ", symmetric memory";
    if (const schedule::placement* const placed = c.how.placed()) text += ", " + placed->in_words();
    return text;
}

} // namespace tutti::engine
