// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/schedule/verify.hpp>

#include "support/catch.hpp"

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// For schedules written by hand in tests.
namespace tutti::test {

constexpr schedule::place in(int first, int count = 1) { return {schedule::buffer::input, first, count}; }
constexpr schedule::place out(int first, int count = 1) { return {schedule::buffer::output, first, count}; }
constexpr schedule::place bank(int number, int first = 0, int count = 1) {
    return {schedule::scratch(number), first, count};
}

/// to = the operands, which are the same chunks in several buffers, from left to right.
constexpr schedule::step combine(std::initializer_list<schedule::place> operands, schedule::place to) {
    std::array<schedule::buffer, 16> more{};
    std::size_t n = 0;
    for (const schedule::place& x : operands) more[n++] = x.where;
    return schedule::reduce_many(*operands.begin(), std::span(more).subspan(1, n - 1), to);
}

using steps = std::vector<schedule::step>;

/// One list of steps a rank.
inline schedule::program hand_made(schedule::operation what, int chunks, std::vector<steps> ranks, int root = 0,
                                   bool in_place = false) {
    const int size = static_cast<int>(ranks.size());
    return {what, size, root, in_place, chunks, std::move(ranks)};
}

/// A message without the words for its steps, which stand in brackets behind their numbers.
inline std::string without_words(std::string message) {
    for (auto open = message.find(" ("); open != std::string::npos; open = message.find(" (", open))
        message.erase(open, message.find(')', open) + 1 - open);
    return message;
}

/// verify must find exactly this flaw, and say exactly this, besides what the steps are in words.
inline void rejected(const schedule::program& p, schedule::flaw what, const std::string& message,
                     const schedule::cost* stated = nullptr) {
    const schedule::proof found = schedule::verify(p, stated);
    CHECK_FALSE(found.proven);
    CHECK(static_cast<int>(found.fault.what) == static_cast<int>(what));
    CHECK(without_words(found.message()) == message);
}

/// verify must find nothing wrong.
inline schedule::proof accepted(const schedule::program& p, const schedule::cost* stated = nullptr) {
    const schedule::proof found = schedule::verify(p, stated);
    CHECK(found.message() == "proven");
    CHECK(found.proven);
    return found;
}

/// Two ranks swap a chunk and reduce it: the smallest schedule that does something.
inline schedule::program swap_and_reduce() {
    using schedule::side;
    return hand_made(schedule::operation::allreduce, 1,
                     {{schedule::send(1, in(0)), schedule::receive_reduce(1, in(0), out(0), side::right)},
                      {schedule::send(0, in(0)), schedule::receive_reduce(0, in(0), out(0), side::left)}});
}

} // namespace tutti::test
