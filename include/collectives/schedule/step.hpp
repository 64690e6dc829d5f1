// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/language.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// Schedules: collective algorithms as pure lists of steps. Nothing here touches memory, sockets or clocks.
namespace tutti::schedule {

/// The kind of a step. Peers are ranks of the communicator that runs the schedule.
enum class action : std::uint8_t {
    send,           ///< send `from`; complete when `from` may be written again. Of a viewed message: see views.hpp
    receive,        ///< to = incoming
    receive_reduce, ///< to = from ∘ incoming; `other` says on which side the incoming stands
    copy,           ///< to = from
    reduce,         ///< to = to ∘ from; `other` says on which side `from` stands
    reduce_many,    ///< to = from ∘ more[0] ∘ more[1] ..., from left to right in one pass, rounded once
};

/// "send", "receive_reduce", ...
[[nodiscard]] constexpr std::string_view name_of(action a) noexcept {
    constexpr std::array<std::string_view, 6> names{"send", "receive", "receive_reduce",
                                                    "copy", "reduce",  "reduce_many"};
    return names[static_cast<std::size_t>(a)];
}

/// A side of the operator: where the incoming of a receive_reduce stands, or the `from` of a reduce.
enum class side : std::uint8_t {
    left,  ///< before the operator
    right, ///< behind the operator
};

/// The memory of a place: the user's input or output, or a scratch bank of the library. A bank holds the chunks from
/// the lowest to the highest that the rank's steps name in it.
enum class buffer : std::uint16_t {
    input = 0,         ///< the user's input, which is never written
    output = 1,        ///< the user's output
    first_scratch = 2, ///< scratch bank 0; the others follow
};

/// The scratch bank `bank`, from 0 to 65,533.
[[nodiscard]] constexpr buffer scratch(int bank) noexcept { return static_cast<buffer>(2 + bank); }
/// The number of a buffer: 0 of input, 1 of output, then the scratch banks.
[[nodiscard]] constexpr int index_of(buffer b) noexcept { return static_cast<int>(b); }

/// A range of chunk ids in one buffer. A layout says which elements a chunk id stands for.
struct place {
    buffer where = buffer::input; ///< the buffer
    int first = 0;                ///< the first chunk id
    int count = 0;                ///< how many chunks
    friend constexpr bool operator==(const place&, const place&) = default;
};

/// The most operands of one step; a reduce_many has two at least.
inline constexpr int most_operands = 8;

/// One step. A message may have several *parts*: sends to one peer, or receives from one, in a row, of which all but
/// the last are `joined`. It starts when all parts can, completes as one, and no part may need what another writes. A
/// receive ignores `from`, a send ignores `to`, a local step ignores `peer`. Only reduce_many uses `more`
/// and `extra`. Members that a step ignores may hold any value.
struct step {
    action what = action::send; ///< the kind of the step
    side other = side::right;   ///< where the other operand of a reduction stands
    int peer = -1;              ///< the rank at the other end; -1 of local steps
    /// What is read. Of a receive_reduce and a reduce_many it is the first operand of this rank.
    place from{};
    place to{};                                   ///< what is written
    std::array<buffer, most_operands - 1> more{}; ///< where the operands behind `from` lie: the same chunk ids
    std::uint8_t extra = 0;                       ///< how many of `more` there are
    bool joined = false; ///< one message with the next step, which sends to the same peer, or receives from it
    friend constexpr bool operator==(const step&, const step&) = default;
};

/// It sends.
[[nodiscard]] constexpr bool sends(const step& s) noexcept { return s.what == action::send; }
/// It receives.
[[nodiscard]] constexpr bool receives(const step& s) noexcept {
    return s.what == action::receive || s.what == action::receive_reduce;
}
/// It sends or receives.
[[nodiscard]] constexpr bool communicates(const step& s) noexcept { return sends(s) || receives(s); }
/// It reads `from`.
[[nodiscard]] constexpr bool reads_from(const step& s) noexcept { return s.what != action::receive; }
/// It applies the operator.
[[nodiscard]] constexpr bool reduces(const step& s) noexcept {
    return s.what == action::receive_reduce || s.what == action::reduce || s.what == action::reduce_many;
}
/// How many places the step reads, not counting the `to` of a reduce. source() is the k-th.
[[nodiscard]] constexpr int sources(const step& s) noexcept {
    return s.what == action::reduce_many ? 1 + s.extra : reads_from(s) ? 1 : 0;
}
/// The k-th place that the step reads, from 0.
[[nodiscard]] constexpr place source(const step& s, int k) noexcept {
    return k == 0 ? s.from : place{s.more[static_cast<std::size_t>(k) - 1], s.from.first, s.from.count};
}
/// It reads `to`, besides writing it.
[[nodiscard]] constexpr bool reads_to(const step& s) noexcept { return s.what == action::reduce; }
/// It writes `to`.
[[nodiscard]] constexpr bool writes_to(const step& s) noexcept { return s.what != action::send; }
/// How many chunks the step works on.
[[nodiscard]] constexpr int width(const step& s) noexcept {
    return s.what == action::receive ? s.to.count : s.from.count;
}

/// Whether step i is a message's first part, or no message; the other parts start and complete with the first.
[[nodiscard]] constexpr bool leads(const std::vector<step>& steps, std::size_t i) noexcept {
    return i == 0 || !steps[i - 1].joined;
}
/// How many steps the message has that begins with step i.
[[nodiscard]] constexpr std::size_t parts_from(const std::vector<step>& steps, std::size_t i) noexcept {
    std::size_t end = i;
    while (end + 1 < steps.size() && steps[end].joined) ++end;
    return end + 1 - i;
}
/// There is a message of several parts.
[[nodiscard]] TUTTI_CONSTEXPR bool has_joined(const std::vector<step>& steps) noexcept {
    return std::any_of(steps.begin(), steps.end(), [](const step& s) { return s.joined; });
}

// The vocabulary in which algorithms are written.
/// Sends the chunks of `from` to rank `peer`.
[[nodiscard]] constexpr step send(int peer, place from) noexcept { return {action::send, side::right, peer, from, {}}; }
/// Receives chunks from rank `peer` into `to`.
[[nodiscard]] constexpr step receive(int peer, place to) noexcept {
    return {action::receive, side::right, peer, {}, to};
}
/// Receives chunks from rank `peer` and reduces them with `from` into `to`. `incoming` is the side of the operator on
/// which they stand.
[[nodiscard]] constexpr step receive_reduce(int peer, place from, place to, side incoming) noexcept {
    return {action::receive_reduce, incoming, peer, from, to};
}
/// Copies the chunks of `from` to those of `to`.
[[nodiscard]] constexpr step copy(place from, place to) noexcept { return {action::copy, side::right, -1, from, to}; }
/// Reduces the chunks of `from` into those of `to`. `of_from` is the side of the operator on which `from` stands.
[[nodiscard]] constexpr step reduce(place from, place to, side of_from) noexcept {
    return {action::reduce, of_from, -1, from, to};
}
/// The same, joined to the step that is emitted next.
[[nodiscard]] constexpr step joined(step s) noexcept {
    s.joined = true;
    return s;
}
/// `to` may be one of the operands. Precondition: `more` has 1 to most_operands - 1 buffers; verify refuses others.
[[nodiscard]] constexpr step reduce_many(place from, std::span<const buffer> more, place to) noexcept {
    step s{action::reduce_many, side::right, -1, from, to};
    std::copy_n(more.begin(), std::min(more.size(), s.more.size()), s.more.begin());
    s.extra = static_cast<std::uint8_t>(std::min<std::size_t>(more.size(), most_operands));
    return s;
}

} // namespace tutti::schedule
