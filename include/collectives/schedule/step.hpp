// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// Schedules: collective algorithms as pure lists of steps. Nothing here touches memory, sockets or clocks.
namespace tutti::schedule {

/// What a step does. Peers are ranks of the communicator that runs the schedule.
enum class action : std::uint8_t {
    send,           ///< hand `from` to the peer; complete when the peer has it (or it is safe in a buffer)
    receive,        ///< to = incoming
    receive_reduce, ///< to = from ∘ incoming, the incoming on the side that the step names
    copy,           ///< to = from
    reduce,         ///< to = to ∘ from, `from` on the side that the step names
};

/// The side of the operator on which the other operand (the incoming, or a reduce's `from`) stands.
enum class side : std::uint8_t { left, right };

/// The memory that a place lies in. Each scratch bank is as large as the data it is used for.
enum class buffer : std::uint16_t { input = 0, output = 1, first_scratch = 2 };

/// The scratch bank `bank`, from 0 to 65,533.
[[nodiscard]] constexpr buffer scratch(int bank) noexcept { return static_cast<buffer>(2 + bank); }
[[nodiscard]] constexpr int index_of(buffer b) noexcept { return static_cast<int>(b); }

/// A range of chunk ids in one buffer. A layout says which elements a chunk id stands for.
struct place {
    buffer where = buffer::input;
    int first = 0;
    int count = 0;
    friend constexpr bool operator==(const place&, const place&) = default;
};

/// One step. `from` is unused by receive, `to` by send, `peer` by copy and reduce.
struct step {
    action what = action::send;
    side other = side::right;
    int peer = -1;
    place from{};
    place to{};
    friend constexpr bool operator==(const step&, const step&) = default;
};

[[nodiscard]] constexpr bool sends(const step& s) noexcept { return s.what == action::send; }
[[nodiscard]] constexpr bool receives(const step& s) noexcept {
    return s.what == action::receive || s.what == action::receive_reduce;
}
[[nodiscard]] constexpr bool communicates(const step& s) noexcept { return sends(s) || receives(s); }
[[nodiscard]] constexpr bool reads_from(const step& s) noexcept { return s.what != action::receive; }
[[nodiscard]] constexpr bool reads_to(const step& s) noexcept { return s.what == action::reduce; }
[[nodiscard]] constexpr bool writes_to(const step& s) noexcept { return s.what != action::send; }
/// How many chunks the step works on.
[[nodiscard]] constexpr int width(const step& s) noexcept {
    return s.what == action::receive ? s.to.count : s.from.count;
}

// The vocabulary in which algorithms are written.
[[nodiscard]] constexpr step send(int peer, place from) noexcept { return {action::send, side::right, peer, from, {}}; }
[[nodiscard]] constexpr step receive(int peer, place to) noexcept {
    return {action::receive, side::right, peer, {}, to};
}
[[nodiscard]] constexpr step receive_reduce(int peer, place from, place to, side incoming) noexcept {
    return {action::receive_reduce, incoming, peer, from, to};
}
[[nodiscard]] constexpr step copy(place from, place to) noexcept { return {action::copy, side::right, -1, from, to}; }
[[nodiscard]] constexpr step reduce(place from, place to, side of_from) noexcept {
    return {action::reduce, of_from, -1, from, to};
}

} // namespace tutti::schedule
